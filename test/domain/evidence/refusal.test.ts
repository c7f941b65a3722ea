import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../../src/domain/batch/step-spec.ts";
import { computeLedger } from "../../../src/domain/results/ledger.ts";
import { mayWait, type RunFact } from "../../../src/domain/run/event.ts";
import { reduce } from "../../../src/domain/run/reduce.ts";
import { type RunState, ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { type Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { numbersLine } from "../../../src/store/results/numbers-line.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const of = { ticket: T1, fence: 1 as Fence };
const finish: StepSpec[] = [
  { step: "check", name: "a", command: ["a"] },
  { step: "check", name: "b", command: ["b"] },
  { step: "merge" },
];

/** A run whose first try has been captured, and then these facts. */
function after(...facts: readonly RunFact[]): RunState {
  const begun: RunFact[] = [
    { type: "attempt-claimed", ...of, attempt: 1, slot: 0, reservedUsd: 0 },
    { type: "worktree-ready", ...of, path: "/w", branch: "b", baseSha: "base" },
    { type: "change-captured", ...of, tip: "tip", files: 1, additions: 1, deletions: 0 },
  ];
  let { state } = new Simulation(batchOf([ticketOf("T-1", { finish })]));
  for (const fact of [...begun, ...facts]) state = reduce(state, { ...fact, seq: state.seq + 1, at: state.lastEventAt + 1 });
  return state;
}

const starts = (step: number): RunFact => ({ type: "step-started", ...of, step, kind: "check", name: "a" });
const ends = (step: number, over: object): RunFact => ({ type: "step-ended", ...of, step, ok: true, summary: "says", ...over });

describe("a check that refused its change", () => {
  test("is written at once; what passed may wait", () => {
    expect(mayWait(ends(0, { ok: false }))).toBe(false);
    expect(mayWait(ends(0, {}))).toBe(true);
  });

  test.for(["lost", "stopped"] as const)("counts, and is not judged again, where its attempt is %s", (outcome) => {
    const ticket = stateOf(after(starts(0), ends(0, { ok: false }), { type: "attempt-ended", ...of, outcome }), T1);
    expect(ticket).toMatchObject({ failures: 1, evidence: [{ step: "check", name: "a", summary: "says" }] });
    expect(ticket.pendingWork).toBeUndefined();
  });

  test("an attempt without a refusal goes on from its work", () => {
    const ticket = stateOf(after(starts(0), ends(0, {}), starts(1), { type: "attempt-ended", ...of, outcome: "lost" }), T1);
    expect(ticket).toMatchObject({ failures: 0, pendingWork: { tip: "tip" } });
  });
});

test("passed checks are counted by what they proved; one that does not say proved an exit code", () => {
  const passed = (step: number, strength?: string) => [starts(step), ends(step, strength === undefined ? {} : { strength })];
  const state = after(
    ...passed(0, "compared"),
    ...passed(1, "uncompared"),
    ...passed(0),
    ...passed(1, "compared"),
    starts(0),
    ends(0, { ok: false }),
  );
  expect(computeLedger(state).checks).toEqual({ compared: 2, uncompared: 1, exitCodeOnly: 1 });
  expect(numbersLine(computeLedger(state))).toContain("checks 2 test by test, 1 with nothing to compare, 1 by exit code only");
  expect(numbersLine(computeLedger(after()))).not.toContain("checks");
});
