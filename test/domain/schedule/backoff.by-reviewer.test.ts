import { describe, expect, test } from "vitest";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { LONGEST_BACKOFF_MS } from "../../../src/domain/schedule/backoff.ts";
import { decide } from "../../../src/domain/schedule/decide.ts";
import { questionCap } from "../../../src/domain/schedule/money.ts";
import { describeReason, whyNot } from "../../../src/domain/schedule/why-not.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { sendAway, toReview } from "../play.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const [T1, T2] = ["T-1", "T-2"].map((name) => TicketId.parse(name)) as [TicketId, TicketId];
const S = 1_000;
const MIN = 60 * S;

const run = (tickets = 3, workers = 1) =>
  new Simulation(
    batchOf(
      Array.from({ length: tickets }, (_, i) => ticketOf(`T-${i + 1}`)),
      { workers, attempts: 3 },
    ),
  );

const startsAt = (sim: Simulation, at = sim.state.lastEventAt) =>
  decide(sim.state, at).flatMap((action) => (action.do === "start" ? [action.ticket] : []));

describe("the reviewer's API", () => {
  /** One more ticket is built and asked about, and the reviewer is turned away; how long all wait for it. */
  function reviewerTurnedAway(sim: Simulation, ticket: TicketId, retryAfterMs?: number): number {
    sim.decide();
    toReview(sim, ticket);
    sendAway(sim, ticket, "rate-limited", retryAfterMs);
    const at = sim.events.findLast((event) => event.type === "reviewer-answered")?.at ?? Number.NaN;
    sim.decide();
    return (sim.state.backoff?.until ?? Number.NaN) - at;
  }

  test("holds agents, too: nothing that they build could land", () => {
    const sim = run();
    expect(reviewerTurnedAway(sim, T1, 5 * MIN)).toBe(5 * MIN);
    expect(sim.state.backoff?.reason).toBe("the reviewer's API rejected a request (rate-limited): it says so");
    expect(startsAt(sim)).toEqual([]);
    expect(startsAt(sim, sim.state.backoff?.until)).toEqual([T1]);
    expect(stateOf(sim.state, T1)).toMatchObject({ failures: 0, evidence: [], signs: { turnedAway: 1 } });
  });

  test("has its own row of waits: that agents have their answers does not end it, a valid answer does", () => {
    const sim = run(8);
    const waits = [T1, T1, T1].map((ticket) => {
      const wait = reviewerTurnedAway(sim, ticket);
      sim.pass(wait);
      return wait / S;
    });
    expect(waits).toEqual([30, 60, 120]);
    expect(sim.state.rateLimited).toMatchObject({ reviewer: { 0: { times: 3 } } });
    sim.decide();
    toReview(sim, T1);
    const said = { question: "review", costUsd: 0, says: "" } as const;
    sim.report({ type: "reviewer-answered", ...sim.of(T1), ...said, valid: false });
    expect(sim.state.rateLimited).toMatchObject({ reviewer: { 0: { times: 3 } } });
    sim.report({ type: "reviewer-answered", ...sim.of(T1), ...said, valid: true });
    expect(sim.state.rateLimited).toEqual({});
    sim.endAttempt(T1, "done");
    expect(reviewerTurnedAway(sim, T2) / S).toBe(30);
  });

  test("an answer of its own leaves the agents' row as it is", () => {
    const sim = run(3, 2);
    sim.decide();
    toReview(sim, T2);
    sim.stopAgent(T1, "rate-limited");
    sim.report({ type: "reviewer-answered", ...sim.of(T2), question: "review", costUsd: 0, valid: true, says: "" });
    expect(sim.state.rateLimited).toMatchObject({ agent: { 0: { times: 1 } } });
  });

  test("that is to be left alone for more than six hours parks the run, and a wrong key does", () => {
    const sim = run();
    reviewerTurnedAway(sim, T1, LONGEST_BACKOFF_MS + 1);
    expect(sim.state.halted).toMatchObject({ kind: "rate-limited", party: "reviewer" });
    expect(describeReason(whyNot(sim.state, 0))).toMatch(
      /^no agent starts any more \(the reviewer: rate-limited\): it says so; try again after 1970-01-01 06:00:0\d UTC$/,
    );
  });

  test.for([
    ["authentication", "use an API key that the reviewer's API accepts"],
    ["permission", "grant the reviewer's key the missing permission, or name another key or model for it"],
    ["model", "name a model for the reviewer that its key can use"],
  ] as const)("%s ends all starts, and the words name the reviewer", ([kind, todo]) => {
    const sim = run();
    sim.decide();
    toReview(sim, T1);
    sendAway(sim, T1, kind);
    expect(startsAt(sim)).toEqual([]);
    expect(describeReason(whyNot(sim.state, 0))).toBe(
      `no agent starts any more (the reviewer: ${kind}): it says so; ${todo}, then run the same command again`,
    );
    expect(stateOf(sim.state, T1)).toMatchObject({ failures: 0, pendingWork: { tip: "tip-T-1", claimed: true } });
  });

  test.for(["budget", "turns", "context", "refused", "unfinished", "memory"] as const)(
    "%s is about this question alone",
    (kind) => {
      const sim = run();
      sim.decide();
      toReview(sim, T1);
      sendAway(sim, T1, kind);
      expect([sim.state.halted, sim.state.backoff, sim.state.backoffDue]).toEqual([undefined, undefined, undefined]);
      expect(stateOf(sim.state, T1)).toMatchObject({ failures: 1, evidence: [{ step: "review" }] });
    },
  );

  test("a person who kills an attempt that was turned away has ended it", () => {
    const sim = run();
    sim.decide();
    toReview(sim, T1);
    const stop = { kind: "overloaded", says: "busy" } as const;
    sim.report({ type: "reviewer-answered", ...sim.of(T1), question: "review", costUsd: 0, valid: false, says: "", stop });
    sim.report({ type: "attempt-ended", ...sim.of(T1), outcome: "killed" });
    expect(stateOf(sim.state, T1)).toMatchObject({ failures: 1 });
  });

  test("what was set aside for an agent that does not start again is there for the question", () => {
    const agent = { kind: "command", command: ["x"], usdPerAttempt: 2 } as const;
    const sim = new Simulation({ ...batchOf([ticketOf("T-1")], { usdPerTicket: 5 }), agent });
    sim.pass(reviewerTurnedAway(sim, T1));
    expect(sim.state).toMatchObject({ spentUsd: 2, reservedUsd: 0 });
    sim.decide();
    expect(sim.state.reservedUsd).toBe(2);
    toReview(sim, T1);
    expect(sim.state.reservedUsd).toBe(0);
    expect(questionCap(sim.state, stateOf(sim.state, T1), 2)).toBeUndefined();
    sim.endAttempt(T1, "done");
    expect(sim.state).toMatchObject({ spentUsd: 2, reservedUsd: 0 });
  });
});
