import { describe, expect, test } from "vitest";
import { AgentSpec } from "../../../src/domain/batch/party.ts";
import type { AgentStopKind } from "../../../src/domain/run/attempt-fact.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { TURNED_AWAY } from "../../../src/domain/schedule/breaker.ts";
import { decide } from "../../../src/domain/schedule/decide.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { sendAway, toReview } from "../play.ts";
import { batchOf, honestJudgement, Simulation, ticketOf } from "../simulate.ts";

const [T1, T2] = ["T-1", "T-2"].map((name) => TicketId.parse(name)) as [TicketId, TicketId];
const MIN = 60_000;

const run = (tickets = 1, over: Parameters<typeof batchOf>[1] = {}) =>
  new Simulation(
    batchOf(
      Array.from({ length: tickets }, (_, i) => ticketOf(`T-${i + 1}`)),
      { workers: 1, attempts: 1, outageMinutes: 15, ...over },
    ),
  );

/** The next agent starts, and its model's API is away. */
function away(sim: Simulation, kind: AgentStopKind = "unreachable", { ticket = T1, answered = false } = {}): void {
  sim.decide();
  const stop = { kind, says: "ECONNREFUSED", ...(answered ? { answered } : {}) } as const;
  sim.endAgent(ticket, 1, stop);
  sim.report({ type: "attempt-ended", ...sim.of(ticket), outcome: "failed" });
}

/** Nothing is under way any more: the interim judgement has come, too. */
function conclude(sim: Simulation): void {
  if (sim.state.oracle.asking) sim.report({ type: "oracle-judged", final: false, judgement: honestJudgement(sim.state) });
  sim.decide();
}

/** Lets time pass until an agent may start. */
function waitOut(sim: Simulation): number {
  sim.decide();
  const ms = (sim.state.backoff?.until ?? 0) - sim.state.lastEventAt;
  sim.pass(ms);
  return ms;
}

describe.each(["unreachable", "overloaded"] as const)("a model's API that is away (%s)", (kind) => {
  test("costs no attempt, and the run ends unjudged once limits.outageMinutes are over", () => {
    const sim = run();
    const since = sim.state.lastEventAt;
    const waits: number[] = [];
    for (let times = 0; times < 50 && sim.state.fatalOutage === undefined; times += 1) {
      away(sim, kind);
      if (sim.state.fatalOutage === undefined) waits.push(waitOut(sim));
    }
    expect(waits[0]).toBeLessThan(MIN);
    expect(waits.length).toBeGreaterThan(TURNED_AWAY);
    expect(Math.max(...waits)).toBeLessThanOrEqual(2 * MIN);
    expect(sim.state.lastEventAt - since).toBeGreaterThanOrEqual(15 * MIN);
    expect(sim.state.lastEventAt - since).toBeLessThan(16 * MIN);
    expect(stateOf(sim.state, T1)).toMatchObject({ phase: "waiting", failures: 0, evidence: [] });
    conclude(sim);
    expect(sim.state.end).toMatchObject({ kind: "unjudged", verdict: "unjudged", exitCode: 3 });
    expect(sim.state.end?.reason).toMatch(/^the model's API was away: .*ECONNREFUSED \(given up after 15/);
  });

  test("is shown with the time at which it is given up, until it answers", () => {
    const sim = run(2);
    away(sim, kind);
    sim.decide();
    const { since, until, nextAt } = sim.state.outages?.model ?? { since: 0, until: 0, nextAt: 0 };
    expect(until - since).toBe(15 * MIN);
    expect(sim.state.backoff?.until).toBe(nextAt);
    expect(sim.state.backoff?.reason).toContain("gives up after 15 minutes");
    waitOut(sim);
    sim.decide();
    sim.endAgent(T1);
    expect(sim.state.outages).not.toHaveProperty("model");
    expect(sim.state.rateLimited?.agent).toBeUndefined();
  });

  test("the same command goes on with the time of a new outage", () => {
    const sim = run();
    while (sim.state.fatalOutage === undefined) {
      away(sim, kind);
      if (sim.state.fatalOutage === undefined) waitOut(sim);
    }
    sim.report({ type: "run-resumed", orphansKilled: 0 });
    expect([sim.state.fatalOutage, sim.state.halted, sim.state.rateLimited]).toEqual([undefined, undefined, undefined]);
    expect(sim.state.outages?.model).toBeUndefined();
  });
});

test("an answer in between begins a new outage", () => {
  const sim = run();
  away(sim);
  for (let times = 0; times < TURNED_AWAY; times += 1) {
    waitOut(sim);
    sim.pass(14 * MIN);
    away(sim, "unreachable", { answered: true });
  }
  expect(sim.state.fatalOutage).toBeUndefined();
});

test("an API that turns one ticket away and answers in between uses up its attempts in the end: everything is bounded", () => {
  const sim = run();
  for (let times = 0; times <= TURNED_AWAY; times += 1) {
    expect(stateOf(sim.state, T1).failures).toBe(0);
    away(sim, "overloaded", { answered: true });
    waitOut(sim);
  }
  expect(stateOf(sim.state, T1).failures).toBe(1);
});

test("a rate limit is no outage: it outlasts limits.outageMinutes", () => {
  const sim = run();
  for (let hours = 0; hours < 3; hours += 1) {
    sim.decide();
    sim.stopAgent(T1, "rate-limited", 60 * MIN);
    expect(sim.state.outages?.model).toBeUndefined();
    waitOut(sim);
  }
  expect([sim.state.fatalOutage, sim.state.halted]).toEqual([undefined, undefined]);
});

test("the reviewer's API: the work is kept, no attempt is counted, and the run ends unjudged", () => {
  const sim = run();
  for (let times = 0; times < 50 && sim.state.fatalOutage === undefined; times += 1) {
    sim.decide();
    toReview(sim, T1);
    sendAway(sim, T1, "unreachable");
    if (sim.state.fatalOutage === undefined) waitOut(sim);
  }
  expect(stateOf(sim.state, T1)).toMatchObject({ failures: 0, pendingWork: { tip: "tip-T-1", claimed: true } });
  conclude(sim);
  expect(sim.state.end).toMatchObject({ kind: "unjudged", exitCode: 3 });
  expect(sim.state.end?.reason).toMatch(/^the model's API was away: the reviewer: /);
});

describe("with a second account", () => {
  const agent = AgentSpec.parse({ kind: "claude", apiKeyEnv: "ONE", fallback: [{ apiKeyEnv: "TWO", baseUrl: "http://b.test" }] });
  const two = () => new Simulation({ ...batchOf([ticketOf("T-1"), ticketOf("T-2")], { workers: 1, attempts: 1 }), agent });
  const stop = { kind: "unreachable", says: "ECONNREFUSED" } as const;

  function awayAt(sim: Simulation, account: number, ticket = T1): void {
    sim.decide();
    sim.report({ type: "agent-launching", ...sim.of(ticket) });
    const ended = { ending: "exited", exitCode: 1, signal: null, costUsd: 0, stop, account } as const;
    sim.report({ type: "agent-ended", ...sim.of(ticket), ...ended });
    sim.report({ type: "attempt-ended", ...sim.of(ticket), outcome: "failed" });
  }

  test("nothing waits while the other answers", () => {
    const sim = two();
    awayAt(sim, 0);
    expect([sim.state.backoffDue, sim.state.outages?.model]).toEqual([undefined, undefined]);
    expect(decide(sim.state, sim.state.lastEventAt)).toMatchObject([{ do: "start", ticket: T1 }]);
  });

  test("the run ends once both were away for the whole time, and not before", () => {
    const sim = two();
    awayAt(sim, 0);
    sim.pass(20 * MIN);
    awayAt(sim, 1);
    expect(sim.state.fatalOutage).toBeUndefined();
    sim.pass(15 * MIN);
    awayAt(sim, 0);
    expect(sim.state.fatalOutage).toBeUndefined();
    awayAt(sim, 1);
    expect(sim.state.fatalOutage).toMatchObject({ what: "model" });
    expect(stateOf(sim.state, T2).failures).toBe(0);
  });
});
