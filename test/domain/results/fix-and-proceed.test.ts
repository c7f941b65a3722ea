import { describe, expect, test } from "vitest";
import { countFixAndProceed, totalFixes } from "../../../src/domain/results/fix-and-proceed.ts";
import { computeLedger } from "../../../src/domain/results/ledger.ts";
import type { AttemptOutcome, Evidence } from "../../../src/domain/run/attempt-fact.ts";
import { type Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const NONE = { transient: 0, reviewFinding: 0, failedCheck: 0, liveFix: 0, sentBack: 0, conflict: 0 };

/** One attempt after the other ends like this. */
function played(ends: readonly (readonly [AttemptOutcome, Evidence["step"]?])[]): Simulation {
  const sim = new Simulation(batchOf([ticketOf("T-1")], { attempts: 20 }));
  for (const [i, [outcome, step]] of ends.entries()) attempt(sim, i + 1, outcome, step);
  return sim;
}

function attempt(sim: Simulation, n: number, outcome: AttemptOutcome, step?: Evidence["step"], name = step ?? ""): void {
  const of = { ticket: T1, fence: (sim.state.lastFence + 1) as Fence };
  sim.report({ type: "attempt-claimed", ...of, attempt: n, slot: 0, reservedUsd: 0 });
  const evidence = step === undefined ? {} : { evidence: { step, name, summary: `${step} ${n}`, detail: "" } };
  sim.report({ type: "attempt-ended", ...of, outcome, ...evidence });
}

describe("what a run fixed without a person", () => {
  test.for([
    ["gates", "failedCheck"],
    ["check", "failedCheck"],
    ["review", "reviewFinding"],
    ["adversary", "reviewFinding"],
    ["merge", "conflict"],
    ["verify", "liveFix"],
  ] as const)("%s that failed and passed in the next attempt is a %s", ([step, cause]) => {
    expect(countFixAndProceed(played([["failed", step], ["done"]]).state)).toEqual({ ...NONE, [cause]: 1 });
  });

  test.for(["pull request", "checks"])("what a forge sent back about its %s was no conflict", (name) => {
    const sim = new Simulation(batchOf([ticketOf("T-1")], { attempts: 20 }));
    attempt(sim, 1, "failed", "merge", name);
    attempt(sim, 2, "done");
    expect(countFixAndProceed(sim.state)).toEqual({ ...NONE, sentBack: 1 });
  });

  test("counts no agent that crashed, was silent or was ended by a person: another one began afresh", () => {
    const ends = [["failed", "agent"], ["silent", "agent"], ["killed", "agent"], ["lost"], ["stopped"], ["done"]] as const;
    expect(countFixAndProceed(played(ends).state)).toEqual(NONE);
  });

  test("counts nothing of a ticket that did not ship, nor what failed before a person's retry", () => {
    expect(countFixAndProceed(played([["failed", "check"]]).state)).toEqual(NONE);
    const sim = played([["failed", "check"]]);
    sim.report({ type: "ticket-stalled", ticket: T1, reason: "x", by: "attempts" });
    sim.report({ type: "ticket-retried", ticket: T1 });
    attempt(sim, 2, "failed", "review");
    attempt(sim, 3, "done");
    expect(countFixAndProceed(sim.state)).toEqual({ ...NONE, reviewFinding: 1 });
  });

  test("a verification that takes a shipped ticket back is a live fix once it ships again, and an incident at once", () => {
    const sim = played([["done"]]);
    sim.report({ type: "ticket-reopened", ticket: T1, evidence: { step: "verify", name: "live", summary: "down", detail: "" } });
    expect(computeLedger(sim.state)).toMatchObject({ fixAndProceed: 0, incidents: 1, incidentsByKind: { reopened: 1 } });
    attempt(sim, 2, "done");
    expect(countFixAndProceed(sim.state)).toEqual({ ...NONE, liveFix: 1 });
    expect(sim.state.incidents).toMatchObject([{ kind: "reopened", endedAt: expect.any(Number) }]);
  });

  test("the total is the sum of the causes", () => {
    expect(totalFixes({ transient: 1, reviewFinding: 2, failedCheck: 3, liveFix: 4, sentBack: 6, conflict: 5 })).toBe(21);
  });
});
