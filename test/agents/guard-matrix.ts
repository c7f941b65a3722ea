import type { VendorKind } from "../../src/domain/batch/vendors.ts";

/** What a guard in a worker does. guard.test.ts measures each of them with the vendors' programs; docs/guard.md shows them. */
export const GUARD_CLAIMS = {
  notRun: "a blocked command is not run",
  alternative: "the agent sees the alternative",
  feed: "the feed shows what was blocked",
  files: "file tools are judged, not only commands",
  stop: "the stop guard tells what is unmet",
  dead: "a hook that does not block is noticed before the start",
  skipped: "a program that skips its hooks is noticed",
  served: "tools are judged without a start of Node",
  frozen: "the agent cannot change guard, settings or hooks",
  planted: "hooks, settings and plugins of the repository stay out",
} as const;

export type GuardClaim = keyof typeof GUARD_CLAIMS;
export const CLAIMS = Object.keys(GUARD_CLAIMS) as readonly GuardClaim[];

const ALL: Readonly<Record<GuardClaim, boolean>> = {
  notRun: true,
  alternative: true,
  feed: true,
  files: true,
  stop: true,
  dead: true,
  skipped: true,
  served: true,
  frozen: true,
  planted: true,
};

/** The measured results. */
export const GUARD_MATRIX: Readonly<Record<VendorKind, Readonly<Record<GuardClaim, boolean>>>> = {
  claude: ALL,
  codex: ALL,
  gemini: ALL,
  opencode: ALL,
};

/** The table of docs/guard.md. */
export function guardTable(): string {
  const vendors = Object.keys(GUARD_MATRIX) as readonly VendorKind[];
  const rows = CLAIMS.map((claim) => {
    const cells = vendors.map((vendor) => (GUARD_MATRIX[vendor][claim] ? "yes" : "**no**"));
    return `| ${GUARD_CLAIMS[claim]} | ${cells.join(" | ")} |`;
  });
  return [`| | ${vendors.join(" | ")} |`, `|---|${vendors.map(() => "---|").join("")}`, ...rows].join("\n");
}
