import { expect, test } from "vitest";
import { Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { desk } from "../desk.ts";
import { plumbing } from "../scenes.ts";

const T9 = TicketId.parse("T-9");
const COMMIT = "c".repeat(40);

/** A run in which a change of T-9 waits for an approval. */
function awaiting(commit = COMMIT) {
  const run = plumbing();
  const ref = { ticket: T9, fence: Fence.parse(90) } as const;
  run.play({ type: "attempt-claimed", ...ref, attempt: 1, slot: 0, reservedUsd: 0 });
  run.play({ type: "worktree-ready", ...ref, path: "/w", branch: "b", baseSha: "a".repeat(40) });
  run.play({ type: "change-captured", ...ref, tip: "b".repeat(40), files: 1, additions: 1, deletions: 0 });
  run.play({ type: "approval-awaited", ...ref, commit, base: "a".repeat(40), change: "d", zones: ["pay/"], files: 1 });
  run.play({ type: "attempt-ended", ...ref, outcome: "stopped" });
  return run;
}

test("a change of danger zones is approved by its commit after a question, and not by the burst that asked", () => {
  const d = desk(awaiting());
  d.store.dispatch({ type: "select", ticket: T9 });
  d.type("Yy");
  expect(d.sent).toEqual([]);
  expect(d.ui().modal).toEqual({ kind: "approve", ticket: "T-9", commit: COMMIT });
  d.type("y");
  expect(d.sent).toEqual([{ type: "approve", ticket: "T-9", commit: COMMIT }]);
});

test("says why there is nothing to approve", () => {
  const d = desk(awaiting());
  d.type("Y");
  expect(d.ui().toast?.text).toBe("select a ticket first: j/k");
  d.store.dispatch({ type: "select", ticket: TicketId.parse("T-7") });
  d.type("Y");
  expect(d.ui().toast?.text).toMatch(/^no change of T-7 waits for an approval/);
});
