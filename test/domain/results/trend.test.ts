import { describe, expect, test } from "vitest";
import { computeTrend, runNumbers } from "../../../src/domain/results/trend.ts";
import type { RunEvent } from "../../../src/domain/run/event.ts";
import { reduce } from "../../../src/domain/run/reduce.ts";
import { RunId, TicketId } from "../../../src/domain/values/ids.ts";
import { earlierRuns } from "../../report/pages.ts";
import { plumbing, plumbingEnded } from "../../store/scenes.ts";
import { attempt } from "../mixed-run.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

/** One ticket was done before the run, one is shipped by it, and one is left to a person; the oracle is content. */
function settledBefore(): Simulation {
  const [T1, T2, T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];
  const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3")]));
  const first = sim.events[0] as Extract<RunEvent, { type: "run-started" }>;
  sim.state = reduce(undefined, { ...first, settled: [{ id: T1, as: "done" }] });
  attempt(sim, T2, "done");
  sim.report({ type: "ticket-gated", ticket: T3, step: "press" });
  return sim;
}

describe("the numbers of a run", () => {
  test("are its ledger laid flat, with what it shipped apart from what was settled before", () => {
    const numbers = runNumbers(plumbingEnded().state);
    expect(numbers).toMatchObject({
      "tickets.total": 11,
      "tickets.shipped": 9,
      "tickets.before": 0,
      "tickets.gated": 2,
      "interventions.total": 1,
      "interventions.byClass.I5": 1,
      "claims.gap": 2,
      "reviewer.canaries.seen": 0,
    });
    expect(Object.values(numbers).every(Number.isFinite)).toBe(true);
  });

  test("tell what was settled before the run from what it shipped, and from what is gated", () => {
    const numbers = runNumbers(settledBefore().state);
    expect(numbers).toMatchObject({ "tickets.total": 3, "tickets.done": 2, "tickets.before": 1, "tickets.shipped": 1 });
  });
});

describe("a ticket that was done before the run", () => {
  test("is not shipped by it because its check failed for a while", () => {
    const sim = settledBefore();
    const ticket = TicketId.parse("T-1");
    const first = sim.events[0] as Extract<RunEvent, { type: "run-started" }>;
    const landedEarlier = { run: RunId.parse("first-run"), sha: "sha-1" };
    sim.state = reduce(undefined, { ...first, settled: [{ id: ticket, as: "done", landedEarlier }] });
    sim.report({
      type: "ticket-reopened",
      ticket,
      evidence: { step: "verify", name: "live", summary: "down", detail: "" },
    });
    sim.report({ type: "live-check-started", ticket, why: "due" });
    sim.report({ type: "live-check-ended", ticket, ok: true, summary: "up", detail: "" });
    expect(runNumbers(sim.state)).toMatchObject({ "tickets.done": 1, "tickets.before": 1, "tickets.shipped": 0 });
  });
});

describe("the trend", () => {
  test("is oldest first, and the last is this run", () => {
    const { state } = plumbingEnded();
    const points = computeTrend(state, earlierRuns());
    expect(points.map(({ run }) => run.slice(-4))).toEqual(["dddd", "cccc", "bbbb", "aaaa", "k3f9"]);
    expect(points[0]).toMatchObject({ interventions: null, costUsd: null, complete: true, sameBatch: false });
    expect(points.at(-1)).toMatchObject({ interventions: 1, shipped: 9, complete: true, verdict: "done" });
  });

  test("an earlier run that nobody has judged is unjudged", () => {
    const [first] = computeTrend(plumbing().state, [{ run: "old", startedAt: 0, sameBatch: true }]);
    expect(first).toMatchObject({ run: "old", verdict: "unjudged", complete: false });
  });

  test("a run that goes on is not complete", () => {
    expect(computeTrend(plumbing().state, [])[0]).toMatchObject({ complete: false, verdict: "unjudged" });
  });
});
