import { expect, test } from "vitest";
import { Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { type FileLabel, LogText } from "../../../src/store/ticket-log/log-text.ts";
import { shownText } from "../../../src/store/ticket-log/source.ts";
import { currentTarget } from "../../../src/store/ticket-log/target.ts";
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

/** What the reader of the ticket view has found. */
function viewed(change: { readonly commit: string; readonly whole: boolean } | undefined, file: FileLabel = "there") {
  return { viewed: { key: "", text: new LogText("diff"), file, version: 1, ...(change && { change }) } };
}

test("a change of danger zones is approved by its commit after a question, and not by the burst that asked", () => {
  const d = desk(awaiting());
  d.store.setState(viewed({ commit: COMMIT, whole: true }));
  d.store.dispatch({ type: "select", ticket: T9 });
  d.type("Yy");
  expect(d.sent).toEqual([]);
  expect(d.ui().modal).toEqual({ kind: "approve", ticket: "T-9", commit: COMMIT });
  d.type("y");
  expect(d.sent).toEqual([{ type: "approve", ticket: "T-9", commit: COMMIT }]);
});

test("the question opens the change that it is about: of the last attempt, with its long lines", () => {
  const d = desk(awaiting());
  d.store.dispatch({ type: "select", ticket: T9 });
  d.type("Y");
  expect(d.ui()).toMatchObject({ view: "ticket", ticket: { tab: "diff", pick: { ticket: T9 } } });
  const target = currentTarget(d.store.getState());
  expect(target?.change).toMatchObject({ from: "a".repeat(40), tip: COMMIT, waits: true });
  expect(shownText(d.store.getState())?.room.wrap).toBe(true);
});

test.each([
  ["is not read yet", undefined, "there", /^its diff is being read/],
  ["is another commit", { commit: "e".repeat(40), whole: true }, "there", /^its diff is being read/],
  ["is cut", { commit: COMMIT, whole: false }, "there", /^its diff is not shown whole here: loopdash bound approve \S+ T-9/],
  ["cannot be read", undefined, { refused: "git does not have it" }, /^its diff is not shown whole here: loopdash bound approve/],
] as const)("what %s is not approved, and the hint says what to do", (_, change, file, hint) => {
  const d = desk(awaiting());
  d.store.setState(viewed(change, file));
  d.store.dispatch({ type: "select", ticket: T9 });
  d.type("Y");
  d.type("y");
  expect(d.sent).toEqual([]);
  expect(d.ui().toast?.text).toMatch(hint);
  expect(d.ui().modal).toMatchObject({ kind: "approve" });
});

test("says why there is nothing to approve", () => {
  const d = desk(awaiting());
  d.type("Y");
  expect(d.ui().toast?.text).toBe("select a ticket first: j/k");
  d.store.dispatch({ type: "select", ticket: TicketId.parse("T-7") });
  d.type("Y");
  expect(d.ui().toast?.text).toMatch(/^no change of T-7 waits for an approval/);
});
