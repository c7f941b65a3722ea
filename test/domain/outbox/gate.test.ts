import { expect, test } from "vitest";
import { admitCommand } from "../../../src/domain/run/admit.ts";
import { HumanStep } from "../../../src/domain/run/command.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");

/** A run whose first agent has ended, and whose blocker was upheld. */
function ruled(): Simulation {
  const sim = new Simulation(batchOf([ticketOf("T-1")]));
  sim.decide();
  sim.endAgent(T1);
  const change = { tip: "abc", files: 1, additions: 1, deletions: 0 };
  sim.report({ type: "blocker-claimed", ...sim.of(T1), claim: "c", humanStep: "Log in" });
  sim.report({ type: "blocker-ruled", ...sim.of(T1), upheld: true, reason: "r", step: "Log in", change });
  return sim;
}

test("an upheld blocker gates its ticket once its attempt has ended, and not before", () => {
  const sim = ruled();
  expect(sim.decide().map((action) => action.do)).not.toContain("write-gate");
  sim.report({ type: "attempt-ended", ...sim.of(T1), outcome: "gated" });
  expect(stateOf(sim.state, T1).gate).toEqual({ step: "Log in", writing: false, by: "blocker" });
  sim.report({ type: "gate-writing", ticket: T1 });
  expect(stateOf(sim.state, T1).gate).toEqual({ step: "Log in", writing: true, by: "blocker" });
});

test("a person's gate that comes after the ruling stands, and is told as a person's", () => {
  const sim = ruled();
  for (const fact of admitCommand(sim.state, { type: "gate", ticket: T1, step: HumanStep.parse("Ask Kim") })) sim.report(fact);
  sim.report({ type: "attempt-ended", ...sim.of(T1), outcome: "gated" });
  expect(stateOf(sim.state, T1).gate).toEqual({ step: "Ask Kim", writing: false });
  expect(sim.decide()).toContainEqual({ do: "write-gate", ticket: T1, step: "Ask Kim" });
});

test("an attempt that fails or is done after the ruling gates nothing", () => {
  for (const outcome of ["failed", "done"] as const) {
    const sim = ruled();
    sim.endAttempt(T1, outcome);
    expect(stateOf(sim.state, T1).gate).toBeUndefined();
    expect(stateOf(sim.state, T1).pendingWork).toBeUndefined();
  }
});
