import { describe, expect, test } from "vitest";
import { whatIsLeft } from "../../../src/domain/results/what-is-left.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { LONGEST_BACKOFF_MS } from "../../../src/domain/schedule/backoff.ts";
import { decide, nextMoment } from "../../../src/domain/schedule/decide.ts";
import { describeReason, whyNot } from "../../../src/domain/schedule/why-not.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, honestJudgement, Simulation, ticketOf } from "../simulate.ts";

const [T1, T2, T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];
const S = 1_000;
const MIN = 60 * S;

const run = (tickets = 3, workers = 1) =>
  new Simulation(
    batchOf(
      Array.from({ length: tickets }, (_, i) => ticketOf(`T-${i + 1}`)),
      { workers, attempts: 3, outageMinutes: 15 },
    ),
  );

const startsAt = (sim: Simulation, at = sim.state.lastEventAt) =>
  decide(sim.state, at).flatMap((action) => (action.do === "start" ? [action.ticket] : []));

/** An agent that starts now is turned away; the wait is announced. How long it is, from the agent's end on. */
function turnedAway(sim: Simulation, options: { ticket?: TicketId; retryAfterMs?: number } = {}): number {
  sim.decide();
  sim.stopAgent(options.ticket ?? T1, "rate-limited", options.retryAfterMs);
  const { signs, history } = stateOf(sim.state, options.ticket ?? T1);
  expect(signs?.turnedAway).toBeGreaterThan(0);
  const at = history.at(-1)?.slotLeftAt ?? Number.NaN;
  sim.decide();
  return (sim.state.backoff?.until ?? Number.NaN) - at;
}

describe("a model's API that wants to be left alone", () => {
  test("nobody starts until then, and then somebody does; the run is kept open for it", () => {
    const sim = run();
    expect(turnedAway(sim, { retryAfterMs: 5 * MIN })).toBe(5 * MIN);
    const until = sim.state.backoff?.until ?? 0;
    expect(sim.state.backoff?.reason).toBe("an agent asks to wait (rate-limited): it says so");
    sim.report({ type: "oracle-judged", final: false, judgement: honestJudgement(sim.state) });
    expect(decide(sim.state, until - 1)).toEqual([]);
    expect(startsAt(sim, until)).toEqual([T1]);
  });

  test("the wait is announced before anything else is decided, and once", () => {
    const sim = run();
    sim.decide();
    sim.stopAgent(T1, "overloaded");
    const { backoffDue } = sim.state;
    expect(decide(sim.state, sim.state.lastEventAt)).toEqual([{ do: "backoff", ...backoffDue }]);
    sim.decide();
    expect(sim.events.at(-1)).toMatchObject({ type: "backoff-started", ...backoffDue });
    expect(sim.state.backoffDue).toBeUndefined();
    expect(decide(sim.state, sim.state.lastEventAt).map((action) => action.do)).not.toContain("backoff");
  });

  test("what is under way goes on, and may finish", () => {
    const sim = run(3, 2);
    turnedAway(sim);
    expect(stateOf(sim.state, T2).attempt).toBeDefined();
    sim.endAttempt(T2, "done");
    expect(stateOf(sim.state, T2).phase).toBe("done");
    expect(startsAt(sim)).toEqual([]);
  });

  test("each time in a row the wait is twice as long, up to half an hour", () => {
    const sim = run(1);
    const waits = Array.from({ length: 8 }, () => {
      const wait = turnedAway(sim);
      sim.pass(wait);
      return wait / S;
    });
    expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1800, 1800]);
  });

  test("never shorter than what the API asks for, and never shorter than its turn", () => {
    const sim = run();
    expect(turnedAway(sim, { retryAfterMs: 1 })).toBe(30 * S);
    sim.pass(30 * S);
    expect(turnedAway(sim, { retryAfterMs: 61 * S })).toBe(61 * S);
  });

  test("agents that are turned away together are one time; the longest wait counts", () => {
    const sim = run(3, 3);
    sim.decide();
    sim.stopAgent(T1, "rate-limited");
    sim.stopAgent(T2, "rate-limited", 10 * MIN);
    sim.decide();
    const { until } = sim.state.backoff ?? { until: 0 };
    sim.stopAgent(T3, "rate-limited");
    expect(sim.state.backoffDue).toBeUndefined();
    expect(sim.state.backoff?.until).toBe(until);
    expect(sim.state.rateLimited?.agent?.[0]?.times).toBe(1);
    expect(until - sim.state.lastEventAt).toBeGreaterThan(9 * MIN);
  });

  test("one that comes to its own end has had its answers: the next wait is short again", () => {
    const sim = run(3, 2);
    turnedAway(sim);
    sim.pass(30 * S);
    expect(turnedAway(sim)).toBe(60 * S);
    sim.endAgent(T2, 1);
    expect(sim.state.rateLimited?.agent?.[0]?.times).toBe(2);
    sim.endAttempt(T2, "failed");
    sim.pass(60 * S);
    sim.decide();
    sim.endAgent(T2);
    expect(sim.state.rateLimited).toEqual({});
    expect(stateOf(sim.state, T1).attempt).toBeDefined();
    sim.stopAgent(T1, "rate-limited");
    sim.decide();
    expect((sim.state.backoff?.until ?? 0) - sim.state.lastEventAt).toBeLessThanOrEqual(30 * S);
  });

  test("says until when, by a clock that is the same everywhere", () => {
    const sim = run();
    sim.report({ type: "backoff-started", until: Date.UTC(2026, 0, 31, 14, 3, 22), reason: "x" });
    expect(describeReason(whyNot(sim.state, 0))).toBe("ready; the model's API is rate limited until 2026-01-31 14:03:22 UTC");
    sim.report({ type: "run-paused" });
    expect(whyNot(sim.state, 0)).toEqual({ kind: "paused" });
    sim.report({ type: "run-unpaused" });
    sim.report({ type: "backoff-started", until: sim.state.lastEventAt + 10, reason: "over with the next fact" });
    expect(whyNot(sim.state, 0)).toEqual({ kind: "ready" });
  });

  test("a wait does not hold up a run in which nobody could start", () => {
    const sim = run(1);
    turnedAway(sim);
    sim.report({ type: "gate-requested", ticket: T1, step: "do it" });
    sim.report({ type: "ticket-gated", ticket: T1, step: "do it" });
    expect(decide(sim.state, sim.state.lastEventAt)).toEqual([{ do: "reverify" }]);
  });

  test("outlives its engine", () => {
    const sim = run();
    turnedAway(sim, { retryAfterMs: 5 * MIN });
    sim.report({ type: "run-resumed", orphansKilled: 0 });
    sim.prove();
    expect(startsAt(sim)).toEqual([]);
    const early = run();
    early.decide();
    early.stopAgent(T1, "rate-limited");
    // The engine was killed before it could say so.
    early.report({ type: "run-resumed", orphansKilled: 0 });
    expect(decide(early.state, early.state.lastEventAt)).toEqual([{ do: "backoff", ...early.state.backoffDue }]);
  });
});

describe("what ends all starts", () => {
  /** The rest of the run, where nothing else happens. */
  function toEnd(sim: Simulation): Simulation {
    for (let i = 0; i < 20 && sim.state.stage !== "ended"; i++) {
      sim.decide();
      if (sim.state.stage === "verifying") sim.report({ type: "reverify-ended", reopened: 0 });
      if (sim.state.oracle.asking)
        sim.report({ type: "oracle-judged", final: sim.state.stage === "judging", judgement: honestJudgement(sim.state) });
    }
    return sim;
  }

  test("a key that is refused: not one attempt for each ticket; what is under way ends; exit 1 with what to do", () => {
    const sim = run(3, 2);
    sim.decide();
    sim.stopAgent(T1, "authentication");
    expect(startsAt(sim)).toEqual([]);
    expect(whyNot(sim.state, 2)).toMatchObject({ kind: "halted", by: { kind: "authentication" } });
    sim.endAttempt(T2, "done");
    toEnd(sim);
    expect(sim.state.end).toMatchObject({ kind: "not-done", exitCode: 1 });
    expect(sim.state.end?.reason).toBe(
      "no agent starts any more (authentication): it says so; use an API key that the model's API accepts, then run the same command again; " +
        "2 of 3 tickets are open: T-1 not done; T-3 not done",
    );
    expect(sim.events.filter((event) => event.type === "attempt-claimed")).toHaveLength(2);
  });

  test.for([
    ["permission", "grant the key the missing permission, or name another key or model"],
    ["model", "name a model that the key can use"],
  ] as const)("%s", ([kind, todo]) => {
    const sim = run();
    sim.decide();
    sim.stopAgent(T1, kind);
    expect(describeReason(whyNot(sim.state, 1))).toBe(
      `no agent starts any more (${kind}): it says so; ${todo}, then run the same command again`,
    );
  });

  test("the first cause stays", () => {
    const sim = run(3, 2);
    sim.decide();
    sim.stopAgent(T1, "model");
    sim.stopAgent(T2, "authentication");
    expect(sim.state.halted).toEqual({ kind: "model", says: "it says so" });
  });

  test("a new engine tries again", () => {
    const sim = run();
    sim.decide();
    sim.stopAgent(T1, "authentication");
    sim.report({ type: "run-resumed", orphansKilled: 0 });
    expect(sim.state.halted).toBeUndefined();
    expect(startsAt(sim)).toEqual([T1]);
  });

  test("a wait of more than six hours parks the run and says when to come back", () => {
    const sim = run();
    sim.decide();
    sim.stopAgent(T1, "rate-limited", LONGEST_BACKOFF_MS + 1);
    expect(sim.state.backoffDue).toBeUndefined();
    toEnd(sim);
    expect(sim.state.end?.exitCode).toBe(1);
    expect(sim.state.end?.reason).toMatch(
      /^no agent starts any more \(rate-limited\): it says so; try again after 1970-01-01 06:00:0\d UTC; 3 of 3 tickets are open/,
    );
    const just = run();
    just.decide();
    just.stopAgent(T1, "rate-limited", LONGEST_BACKOFF_MS);
    expect(just.state.halted).toBeUndefined();
  });

  test("waits that follow each other are one wait: six hours at a stretch are the most", () => {
    const sim = run(8);
    for (let hours = 0; hours < 5; hours++) {
      sim.decide();
      const [ticket] = sim.state.slots.flatMap((index) =>
        index === null ? [] : [sim.state.plan.tickets[index]?.id as TicketId],
      );
      sim.stopAgent(ticket as TicketId, "rate-limited", 3_600_000);
      sim.decide();
      expect(sim.state.halted).toBeUndefined();
      sim.pass(3_600_000);
    }
    sim.decide();
    const [next] = sim.state.slots.flatMap((index) => (index === null ? [] : [sim.state.plan.tickets[index]?.id as TicketId]));
    sim.stopAgent(next as TicketId, "rate-limited", 3_600_000 + MIN);
    expect(sim.state.halted).toMatchObject({ kind: "rate-limited" });
    sim.report({ type: "run-resumed", orphansKilled: 0 });
    expect([sim.state.halted, sim.state.rateLimited]).toEqual([undefined, undefined]);
  });

  test("what is left names it once, before the tickets", () => {
    const sim = run();
    sim.report({ type: "ticket-stalled", ticket: T3, reason: "1 attempt failed" });
    sim.decide();
    sim.stopAgent(T1, "model");
    const words = whatIsLeft(sim.state);
    expect(words.split("no agent starts any more")).toHaveLength(2);
    expect(words).toContain("T-1 not done; T-2 not done; T-3 stalled (1 attempt failed)");
  });
});

describe("the next moment at which time alone decides", () => {
  test("is the end of a hold, and none once it is over", () => {
    const sim = run();
    turnedAway(sim);
    sim.report({ type: "oracle-judged", final: false, judgement: honestJudgement(sim.state) });
    const until = sim.state.backoff?.until ?? 0;
    expect(nextMoment(sim.state, until - 1)).toBe(until);
    expect(nextMoment(sim.state, until)).toBeUndefined();
  });

  test("is the moment at which a slot is kept no more", () => {
    const tickets = [
      ticketOf("T-1"),
      ticketOf("T-2", { dependsOn: [T1] }),
      ticketOf("T-4", { dependsOn: [T2] }),
      ticketOf("T-3"),
    ];
    const sim = new Simulation(batchOf(tickets, { workers: 1 }));
    sim.decide();
    sim.report({ type: "oracle-judged", final: false, judgement: honestJudgement(sim.state) });
    sim.pass(10 * S);
    sim.endAgent(T1);
    expect(startsAt(sim)).toEqual([]);
    const at = nextMoment(sim.state, sim.state.lastEventAt) ?? 0;
    expect(at).toBeGreaterThan(sim.state.lastEventAt + 9 * S);
    expect(startsAt(sim, at - 1)).toEqual([]);
    expect(startsAt(sim, at)).toEqual([T3]);
  });

  test("is when a judgement falls due, the first of several, and never in a run that stops", () => {
    const sim = run(3, 2);
    sim.decide();
    sim.report({ type: "oracle-judged", final: false, judgement: honestJudgement(sim.state) });
    expect(nextMoment(sim.state, sim.state.lastEventAt)).toBeUndefined();
    const judged = sim.state.lastEventAt;
    sim.endAttempt(T1, "done");
    expect(nextMoment(sim.state, sim.state.lastEventAt)).toBe(judged + 5 * S);
    sim.report({ type: "backoff-started", until: judged + 4 * S, reason: "x" });
    expect(nextMoment(sim.state, sim.state.lastEventAt)).toBe(judged + 4 * S);
    sim.report({ type: "stop-requested", by: "person" });
    expect(nextMoment(sim.state, sim.state.lastEventAt)).toBeUndefined();
  });
});
