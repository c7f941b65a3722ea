import { describe, expect, test } from "vitest";
import { computeLedger } from "../../../src/domain/results/ledger.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { type Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { attempt, mixed } from "../mixed-run.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const [T1, T2] = ["T-1", "T-2"].map((name) => TicketId.parse(name)) as [TicketId, TicketId];

describe("the ledger", () => {
  test("counts what the journal tells, claims against verdicts", () => {
    const sim = endedNotDone(mixed());
    const { elapsedMs, agentMs, ...numbers } = computeLedger(sim.state);
    expect(numbers).toEqual({
      tickets: { total: 4, done: 1, gated: 1, open: 2 },
      attempts: 3,
      preparations: { made: 0, reused: 0 },
      guard: { blocked: 0, byRule: {}, dead: 0, stopsTold: 0 },
      complexity: null,
      claims: { made: 3, upheld: 1, gap: 2 },
      checks: { compared: 0, uncompared: 0, exitCodeOnly: 0 },
      suites: { run: 0, perLanded: null, checkMs: 0, proofMs: 0, waitingMs: 0 },
      reviewer: {
        questions: 0,
        valid: 0,
        usd: 0,
        findings: { critical: 0, high: 0, medium: 0, low: 0 },
        canaries: { seen: 0, missed: 0 },
      },
      secondReviewer: null,
      blockers: { claimed: 0, upheld: 0, fake: 0 },
      discoveries: { filed: 0, refused: 0 },
      transients: { retried: 0, passed: 0 },
      interventions: { total: 1, work: 1, harness: 0, byClass: { I7: 1 }, becameTickets: 0 },
      fixAndProceed: 1,
      fixAndProceedByCause: { transient: 0, reviewFinding: 0, failedCheck: 1, liveFix: 0, sentBack: 0, conflict: 0 },
      remediations: { made: 0, helped: 0, byAction: {} },
      heals: 0,
      healsAccepted: 0,
      incidents: 0,
      incidentsByKind: { liveChecks: 0, brokenBases: 0, reopened: 0 },
      costUsd: 0.75,
    });
    expect(elapsedMs).toBe((sim.state.end?.at ?? 0) - sim.state.startedAt);
    expect(agentMs).toBe(30 + 40 + 30);
  });

  test("an attempt that runs counts; failures of a ticket that is not shipped mended nothing; a kill is not the agents' mending", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")]));
    for (const outcome of ["out-of-time", "killed", "lost", "silent", "done"] as const) attempt(sim, T1, outcome);
    attempt(sim, T2, "failed");
    sim.report({ type: "attempt-claimed", ticket: T2, fence: 7 as Fence, attempt: 2, slot: 0, reservedUsd: 0 });
    for (const c of ["I5", "I5", "I1"] as const) sim.report({ type: "intervention", class: c, target: "x", note: "" });
    sim.report({ type: "ticket-reopened", ticket: T1, evidence: { step: "verify", name: "live", summary: "", detail: "" } });
    const ledger = computeLedger(sim.state);
    expect(ledger).toMatchObject({
      attempts: 7,
      fixAndProceed: 0,
      // Its base is broken as long as its live check fails.
      incidents: 2,
      incidentsByKind: { liveChecks: 0, brokenBases: 1, reopened: 1 },
      interventions: { total: 2, work: 1, harness: 1 },
    });
    expect(ledger.elapsedMs).toBe(sim.state.lastEventAt - sim.state.startedAt);
    // The attempt at work counts from its beginning.
    const begun = stateOf(sim.state, T2).attempt?.startedAt ?? 0;
    expect(ledger.agentMs).toBeGreaterThan(sim.state.lastEventAt - begun);
    attempt(sim, T1, "done");
    // The verification that took the ticket back. An agent that was silent or out of time has fixed nothing.
    expect(computeLedger(sim.state).fixAndProceed).toBe(1);
  });
});

test("the times of a run and of its attempts count none in which no engine ran", () => {
  const sim = new Simulation(batchOf([ticketOf("T-1")]));
  sim.report({ type: "attempt-claimed", ticket: T1, fence: 1 as Fence, attempt: 1, slot: 0, reservedUsd: 0 });
  const before = computeLedger(sim.state);
  const from = sim.state.lastEventAt;
  sim.pass(3_600_000);
  sim.report({ type: "engine-suspended", from, to: sim.now });
  const { agentMs, elapsedMs } = computeLedger(sim.state);
  // The event itself is 10 ms later.
  expect([elapsedMs - before.elapsedMs, agentMs - before.agentMs]).toEqual([10, 10]);
});

function endedNotDone(sim: Simulation): Simulation {
  sim.report({ type: "run-ended", kind: "not-done", verdict: "not-done", exitCode: 1, reason: "2 of 4 tickets are open" });
  return sim;
}
