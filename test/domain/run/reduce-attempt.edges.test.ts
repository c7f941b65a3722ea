import { describe, expect, test } from "vitest";
import { PREPARE_STEP, type StepKind } from "../../../src/domain/batch/step-spec.ts";
import type { RunFact } from "../../../src/domain/run/event.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import type { Attempt } from "../../../src/domain/run/ticket-state.ts";
import { type Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { vecWith } from "../../../src/domain/values/vec.ts";
import { renderMarkdown } from "../../../src/store/results/summary.ts";
import { claimed } from "../claimed-run.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const of = { ticket: T1, fence: 1 as Fence };
const again = { ticket: T1, fence: 2 as Fence };
const ticket = (sim: Simulation) => stateOf(sim.state, T1);
const ready: RunFact = { type: "worktree-ready", ...of, path: "/w", branch: "b", baseSha: "s" };
const captured: RunFact = { type: "change-captured", ...of, tip: "t", files: 1, additions: 0, deletions: 0 };

function after(...facts: readonly RunFact[]): Simulation {
  const sim = claimed();
  for (const fact of facts) sim.report(fact);
  return sim;
}

describe("a transient", () => {
  const retried = (step: number): RunFact => {
    return { type: "step-retried", ...of, step, name: "tests", transient: "registry", waitMs: 5 };
  };
  const began = (step: number): RunFact => ({ type: "step-started", ...of, step, kind: "check", name: "tests" });
  const ended = (step: number, ok: boolean): RunFact => ({ type: "step-ended", ...of, step, ok, summary: "" });

  test.for<[string, readonly RunFact[], number]>([
    ["is mended where its step passes then", [began(1), retried(1), ended(1, true)], 1],
    ["is not where it fails again", [began(1), retried(1), ended(1, false)], 0],
    ["is not where another step passes", [began(1), retried(2), ended(1, true)], 0],
    ["is none where nothing was retried", [began(1), ended(1, true), ready], 0],
    ["is mended where its worktree is there then", [retried(PREPARE_STEP), ready], 1],
  ])("%s", ([, facts, passed]) => {
    expect(after(...facts).state.transients.passed).toBe(passed);
  });

  test("of a re-verification counts with those before it", () => {
    const sim = after(began(1), retried(1), ended(1, true));
    sim.report({ type: "reverify-ended", reopened: 0, transients: { retried: 2, passed: 1 } });
    expect(sim.state.transients).toEqual({ retried: 3, passed: 2 });
  });
});

test.for<[StepKind, boolean]>([
  ["check", true],
  ["review", true],
  ["adversary", true],
  ["verify", false],
])("a change that a %s turns away is refused: %s", ([kind, refused]) => {
  const sim = after({ type: "step-started", ...of, step: 0, kind, name: "x" });
  sim.report({ type: "step-ended", ...of, step: 0, ok: false, summary: "no" });
  expect(ticket(sim).attempt?.refused?.step).toBe(refused ? kind : undefined);
});

describe("the end of an attempt", () => {
  test("of which a step is left to a person has its gate recorded, once", () => {
    const sim = claimed();
    const attempt = { ...(ticket(sim).attempt as Attempt), humanStep: "press" };
    sim.state = { ...sim.state, tickets: vecWith(sim.state.tickets, 0, { ...ticket(sim), attempt }), gating: [2] };
    sim.report({ type: "attempt-ended", ...of, outcome: "gated" });
    expect(ticket(sim).gate).toEqual({ step: "press", writing: false, by: "blocker" });
    expect(sim.state.gating).toEqual([2, 0]);
    const asked = after({ type: "gate-requested", ticket: T1, step: "turn" }, { type: "attempt-ended", ...of, outcome: "gated" });
    expect(asked.state.gating).toEqual([0]);
  });

  test("leaves no gate and no step where there is none, and keeps the evidence of one that was lost", () => {
    const evidence = { step: "check", name: "tests", summary: "red", detail: "" } as const;
    const sim = after(ready, captured, { type: "attempt-ended", ...of, outcome: "lost", evidence });
    expect(ticket(sim)).not.toHaveProperty("gate");
    expect(ticket(sim)).not.toHaveProperty("foundBy");
    expect(ticket(sim).pendingWork).not.toHaveProperty("humanStep");
    expect(ticket(sim).evidence).toMatchObject([{ summary: "red" }]);
  });

  test("of an agent that claimed nothing leaves no claim, whatever one before it said", () => {
    const ended = (which: typeof of, exitCode: number): RunFact[] => [
      { ...ready, ...which },
      { type: "agent-launching", ...which },
      { type: "agent-ended", ...which, ending: "exited", exitCode, signal: null, costUsd: 0 },
      { ...captured, ...which },
      { type: "attempt-ended", ...which, outcome: "lost" },
    ];
    const sim = after(...ended(of, 0));
    expect(ticket(sim).pendingWork?.claimed).toBe(true);
    sim.report({ type: "attempt-claimed", ...again, attempt: 2, slot: 0, reservedUsd: 0 });
    for (const fact of ended(again, 1)) sim.report(fact);
    expect(ticket(sim).pendingWork?.claimed).toBe(false);
  });
});

test("money that is set aside for an agent that runs stays so when its change is there", () => {
  const sim = new Simulation({ ...batchOf([ticketOf("T-1")]), agent: { kind: "command", command: ["x"], usdPerAttempt: 2 } });
  sim.decide();
  const launched: RunFact = { type: "agent-launching", ...of };
  for (const fact of [ready, launched, captured]) sim.report(fact);
  expect(sim.state.reservedUsd).toBe(2);
});

test("one ticket that the tracker does not take leaves the others to be filed, and has no cause that was not told", () => {
  const sim = new Simulation(batchOf([ticketOf("T-1")], { discoveries: 2 }));
  sim.decide();
  for (const name of ["T-8", "T-9"]) {
    const discovered = { ...ticketOf(name), foundBy: T1 };
    sim.report({ type: "ticket-discovered", ...sim.of(T1), discovered, reason: "", blocks: false });
  }
  sim.report({ type: "ticket-stalled", ticket: TicketId.parse("T-8"), reason: "down" });
  expect(sim.state.filing).toEqual([2]);
  expect(stateOf(sim.state, TicketId.parse("T-8"))).not.toHaveProperty("stalledBy");
});

test("a run in which nothing was tried has no slots to show", () => {
  expect(renderMarkdown(new Simulation(batchOf([ticketOf("T-1")])).state)).not.toContain("## Slots");
});

test("a merge that has its candidate checked is still the running step after the check", () => {
  const merging: RunFact = { type: "step-started", ...of, step: 2, kind: "merge", name: "merge" };
  const checking: RunFact = { type: "step-started", ...of, step: 0, kind: "gates", name: "gates" };
  const checked: RunFact = { type: "step-ended", ...of, step: 0, ok: true, summary: "" };
  expect(ticket(after(merging, checking)).attempt?.step).toMatchObject({ kind: "gates", outer: { kind: "merge" } });
  expect(ticket(after(merging, checking, checked)).attempt?.step).toMatchObject({ kind: "merge", index: 2 });
  const merged: RunFact = { type: "step-ended", ...of, step: 2, ok: true, summary: "" };
  expect(ticket(after(merging, checking, checked, merged)).attempt?.step).toBeUndefined();
});
