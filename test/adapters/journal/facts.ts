import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { RunFact } from "../../../src/domain/run/event.ts";
import { Fence, RepoId, RunId, TicketId } from "../../../src/domain/values/ids.ts";
import type { RunRow } from "../../../src/ports/run-store.ts";

export const RUN = RunId.parse("plumbing-20260101-abc");

/** A state fact: written at once. */
export function stalled(reason: string): RunFact {
  return { type: "ticket-stalled", ticket: TicketId.parse("T-1"), reason };
}

/** An activity fact: may wait. */
export function activity(text: string): RunFact {
  return { type: "activity", ticket: TicketId.parse("T-1"), fence: Fence.parse(1), text, lines: 1 };
}

const OF = { ticket: TicketId.parse("T-1"), fence: Fence.parse(1) };

/** One fact of each kind that may wait. */
export const WAITING: readonly RunFact[] = [
  activity("a"),
  { type: "worktree-ready", ...OF, path: "/w", branch: "b", baseSha: "0" },
  { type: "change-captured", ...OF, tip: "0", files: 1, additions: 1, deletions: 0 },
  { type: "step-started", ...OF, step: 0, kind: "gates", name: "gates" },
  { type: "step-ended", ...OF, step: 0, ok: true, summary: "" },
  { type: "step-started", ...OF, step: 1, kind: "merge", name: "merge" },
  { type: "merge-landed", ...OF, repo: RepoId.parse("app"), from: "0", to: "1" },
];

/** The same kinds of work announced, and so written at once. */
export const ANNOUNCING: readonly RunFact[] = [
  { type: "agent-launching", ...OF },
  { type: "step-started", ...OF, step: 2, kind: "check", name: "tests" },
  { type: "step-started", ...OF, step: 3, kind: "verify", name: "live" },
  { type: "merge-intended", ...OF, repo: RepoId.parse("app"), from: "0", to: "1" },
];

export function runRow(
  runRow: Partial<RunRow> = {},
): Parameters<import("../../../src/ports/run-store.ts").RunStore["create"]>[0] {
  return { run: RUN, name: "plumbing", batchPath: "/b/batch.json", batchFileSha: "0".repeat(64), startedAt: 1_000, ...runRow };
}

/** A folder that is gone when the test is over. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "loopdash-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
