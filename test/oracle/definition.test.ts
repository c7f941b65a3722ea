import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judge, type SnapshotTicket } from "../../oracle/definition.ts";

const done = (id: string) => ({ id, state: "done" });
const open = (id: string) => ({ id, state: "open" });
const gated = (id: string, step?: string) => ({ id, state: "human-gated", ...(step !== undefined && { step }) });

describe("what done means", () => {
  test("all done or gated with a step", () => {
    expect(judge([done("A"), gated("B", " press it "), open("X")], ["B", "A"])).toEqual({
      verdict: "done",
      evidence: [
        { id: "B", state: "human-gated", step: "press it" },
        { id: "A", state: "done" },
      ],
      done: 1,
      gated: 1,
      open: 0,
    });
  });

  test.each([
    ["one open", [done("A"), open("B")]],
    ["gated without a step", [done("A"), gated("B")]],
    ["gated with a blank step", [done("A"), gated("B", " \t\n\u00a0\ufeff")]],
    ["gated with a step that nobody can see", [done("A"), gated("B", "\u200b\u3164\u2800")]],
    ["open with a step", [done("A"), { ...open("B"), step: "press it" }]],
  ])("%s is not done", (_what, snapshot) => {
    expect(judge(snapshot, ["A", "B"])).toMatchObject({
      verdict: "not-done",
      done: 1,
      gated: 0,
      open: 1,
      evidence: [{}, { id: "B", state: "open" }],
    });
  });

  test.each([
    "Done",
    "DONE",
    "done ",
    " done",
    "done\n",
    "done?",
    "closed",
    "complete",
    "completed",
    "dоne",
    "ｄｏｎｅ",
    "d\u200bone",
    "done\u0000",
    "",
    "human gated",
    "Human-Gated",
    "human‑gated",
    "true",
    "null",
    "undefined",
    "__proto__",
    "toString",
  ])("the state %j is unreadable", (state) => {
    expect(judge([done("A"), { id: "B", state, step: "s" }], ["A", "B"]).verdict).toBe("unjudged");
    expect(judge([done("A"), { id: "B", state }], ["A"]).verdict).toBe("unjudged");
  });

  test.each<[string, SnapshotTicket[], string[], RegExp]>([
    ["an empty batch", [done("A")], [], /empty/],
    ["an empty batch and tracker", [], [], /empty/],
    ["a batch that names one twice", [done("A")], ["A", "A"], /twice/],
    ["a ticket that is not there", [done("A")], ["A", "B"], /"B".*not in the tracker/],
    ["a ticket that is there twice", [done("A"), done("A")], ["A"], /"A".*twice/],
    ["an id in other letters", [done("a")], ["A"], /"A"/],
  ])("%s cannot be judged", (_what, snapshot, batch, problem) => {
    expect(judge(snapshot, batch)).toEqual({ verdict: "unjudged", problem: expect.stringMatching(problem) as string });
  });

  test("an unreadable state is shown, a long one in part", () => {
    const problem = (state: string) => judge([{ id: "A", state }], ["A"]);
    const words = "which is none of open, done and human-gated";
    expect(problem("Done")).toEqual({ verdict: "unjudged", problem: `ticket "A" is in state "Done", ${words}` });
    expect(problem("x".repeat(100))).toEqual({
      verdict: "unjudged",
      problem: `ticket "A" is in state "${"x".repeat(80)}", ${words}`,
    });
  });

  test("4,000 random snapshots, against a second definition", () => {
    const id = fc.constantFrom("A", "B", "C", "D", "E");
    const state = fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom("done", "done", "done", "human-gated", "open") },
      { weight: 1, arbitrary: fc.constantFrom("Done", "done ", "closed", "") },
    );
    const ticket = fc
      .record({ id, state, step: fc.constantFrom("press", "", "  ", " x ") })
      .chain((t) => fc.constantFrom<SnapshotTicket>(t, { id: t.id, state: t.state }));
    const snapshot = fc.oneof(
      { weight: 4, arbitrary: fc.uniqueArray(ticket, { selector: (t) => t.id, maxLength: 5 }) },
      { weight: 1, arbitrary: fc.array(ticket, { maxLength: 5 }) },
    );
    const batch = fc.oneof(
      { weight: 5, arbitrary: fc.uniqueArray(id, { maxLength: 3 }) },
      { weight: 1, arbitrary: fc.array(id, { maxLength: 3 }) },
    );
    const seen: Record<string, number> = {};
    fc.assert(
      fc.property(snapshot, batch, (tickets, ids) => {
        const verdict = judge(tickets, ids);
        seen[verdict.verdict] = (seen[verdict.verdict] ?? 0) + 1;
        expect(verdict.verdict).toBe(secondOpinion(tickets, ids));
        if (verdict.verdict === "unjudged") return;
        expect(verdict.evidence.map((e) => e.id)).toEqual(ids);
        expect(verdict.done + verdict.gated + verdict.open).toBe(ids.length);
        expect(verdict.open === 0).toBe(verdict.verdict === "done");
      }),
      { numRuns: 4_000 },
    );
    for (const word of ["done", "not-done", "unjudged"]) expect(seen[word]).toBeGreaterThan(100);
  });
});

/** The definition said the other way round: as what is missing from done. */
function secondOpinion(tickets: readonly SnapshotTicket[], ids: readonly string[]): string {
  const count = (list: readonly string[], text: string) => list.filter((x) => x === text).length;
  const held = tickets.map((t) => t.id);
  const bad =
    ids.length < 1 ||
    ids.some((x) => count(ids, x) !== 1 || count(held, x) !== 1) ||
    held.some((x) => count(held, x) > 1) ||
    tickets.some((t) => !/^(?:done|open|human-gated)$/.test(t.state) || t.state.endsWith("\n"));
  if (bad) return "unjudged";
  const lacking = ids.filter((x) => {
    const t = tickets.find((one) => one.id === x);
    if (t?.state === "done") return false;
    return !(t?.state === "human-gated" && /\S/.test(t.step ?? ""));
  });
  return lacking.length > 0 ? "not-done" : "done";
}
