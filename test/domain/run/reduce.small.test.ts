import { describe, expect, test } from "vitest";
import { computeLedger } from "../../../src/domain/results/ledger.ts";
import type { RunEvent } from "../../../src/domain/run/event.ts";
import { reduce } from "../../../src/domain/run/reduce.ts";
import { type RunState, ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { describeReason, whyNot } from "../../../src/domain/schedule/why-not.ts";
import { type Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const [T1, T2] = ["T-1", "T-2"].map((name) => TicketId.parse(name)) as [TicketId, TicketId];
type Started = Extract<RunEvent, { type: "run-started" }>;

/** A run of two tickets at its first moment, with what its first event says beyond. */
function began(over: Partial<Started>): RunState {
  const [first] = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")])).events;
  return reduce(undefined, { ...(first as Started), ...over });
}

describe("a gate that the tracker cannot take", () => {
  const postponed = () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")]));
    sim.report({ type: "gate-requested", ticket: T1, step: "press" });
    sim.report({ type: "gate-writing", ticket: T1 });
    sim.report({ type: "gate-postponed", ticket: T1 });
    return sim;
  };

  test("is kept with its step, and is not written again by this engine", () => {
    const sim = postponed();
    expect(stateOf(sim.state, T1).gate).toEqual({ step: "press", writing: false, postponed: true });
    expect(sim.state.gating).toEqual([0]);
    expect(sim.decide().map((action) => action.do)).not.toContain("write-gate");
  });

  test("does not keep a stopped run from its end", () => {
    const sim = postponed();
    sim.report({ type: "stop-requested", by: "person" });
    expect(sim.decide()).toMatchObject([{ do: "end", kind: "interrupted" }]);
  });

  test("keeps it from its end while another one is still to be written", () => {
    const sim = postponed();
    sim.report({ type: "gate-requested", ticket: T2, step: "turn" });
    sim.report({ type: "gate-writing", ticket: T2 });
    sim.report({ type: "stop-requested", by: "person" });
    expect(sim.decide()).toEqual([]);
  });
});

describe("a run at its first moment", () => {
  test("has what was left of the run before, of which nothing was claimed in it", () => {
    const state = began({ carriedOver: [{ id: T2, tip: "tip", baseSha: "base" }] });
    expect(stateOf(state, T2).pendingWork).toStrictEqual({ tip: "tip", baseSha: "base", claimed: false });
    expect(stateOf(state, T1)).not.toHaveProperty("unfinished");
  });

  test("has the steps of what is gated already, where they are known", () => {
    const state = began({
      settled: [
        { id: T1, as: "human-gated" },
        { id: T2, as: "human-gated", step: "press" },
      ],
    });
    expect(stateOf(state, T1)).not.toHaveProperty("humanStep");
    expect(stateOf(state, T2).humanStep).toBe("press");
  });
});

describe("a ticket that is found not to be done", () => {
  const evidence = { step: "verify", name: "live", summary: "down", detail: "" } as const;

  test("has nothing that landed where it was settled before the run", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")]));
    sim.state = began({ settled: [{ id: T1, as: "done" }] });
    sim.report({ type: "ticket-reopened", ticket: T1, evidence });
    expect(stateOf(sim.state, T1)).toMatchObject({ phase: "waiting", failures: 1, signs: { failure: { times: 1 } } });
    expect(stateOf(sim.state, T1)).not.toHaveProperty("mergedSha");
  });
});

describe("a ticket that is retried", () => {
  test("was given up: no other one is changed by it", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")]));
    const before = stateOf(sim.state, T1);
    sim.report({ type: "ticket-retried", ticket: T1 });
    expect(stateOf(sim.state, T1)).toBe(before);
  });

  test("is filed first where the tracker does not hold it, says so, and what was verified is verified again", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")], { discoveries: 1 }));
    sim.decide();
    const discovered = { ...ticketOf("T-9"), foundBy: T1 };
    sim.report({ type: "ticket-discovered", ...sim.of(T1), discovered, reason: "", blocks: false });
    expect(describeReason(whyNot(sim.state, 2))).toBe("it is being filed in the tracker");
    sim.report({ type: "ticket-stalled", ticket: discovered.id, reason: "the tracker is down" });
    sim.state = { ...sim.state, reverified: true };
    sim.report({ type: "ticket-retried", ticket: discovered.id });
    expect(sim.state).toMatchObject({ filing: [2], reverified: false });
  });
});

test("one of two tickets without attempts left that starts again leaves the other to be given up", () => {
  const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")]));
  sim.state = { ...sim.state, exhausted: [0, 1] };
  sim.report({ type: "attempt-claimed", ticket: T1, fence: 7 as Fence, attempt: 1, slot: 0, reservedUsd: 0 });
  expect(sim.state.exhausted).toEqual([1]);
});

describe("words at a pull request", () => {
  const attempted = () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")]));
    sim.decide();
    return sim;
  };
  const said = (sim: Simulation, ids: readonly string[], people: number) =>
    sim.report({ type: "pull-request-words", ...sim.of(T1), ids, people });

  test("by people are one intervention on the ticket, and those within ten minutes are the same one", () => {
    const sim = attempted();
    said(sim, ["c1", "c2", "b1"], 2);
    const counted = { class: "I2", target: T1, note: "2 remarks at its pull request led to an attempt", observed: true };
    expect(sim.state.interventions).toMatchObject([counted]);
    said(sim, ["c3"], 1);
    expect(sim.state.interventions).toHaveLength(1);
    expect(computeLedger(sim.state).interventions).toMatchObject({ total: 1, work: 0, harness: 1, byClass: { I2: 1 } });
  });

  test("by bots are none", () => {
    const sim = attempted();
    said(sim, ["b1"], 0);
    expect(sim.state.interventions).toEqual([]);
  });
});
