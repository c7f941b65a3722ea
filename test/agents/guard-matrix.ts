import type { VendorKind } from "../../src/domain/batch/vendors.ts";

/** What a guard in a worker does. guard.test.ts measures each of them with the vendors' programs; docs/use/guard.md shows them. */
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

/** With which programs the claims were measured, and which of them fail: the sentence of docs/use/guard.md. */
export function guardClaims(): string {
  const vendors = Object.keys(GUARD_MATRIX) as readonly VendorKind[];
  const failing = vendors.flatMap((vendor) =>
    CLAIMS.filter((claim) => !GUARD_MATRIX[vendor][claim]).map((claim) => `not with \`${vendor}\`: ${GUARD_CLAIMS[claim]}`),
  );
  const exceptions = failing.length === 0 ? "without exception" : `but ${failing.join("; ")}`;
  return `Measured with ${vendors.map((vendor) => `\`${vendor}\``).join(", ")}, ${exceptions}.`;
}
