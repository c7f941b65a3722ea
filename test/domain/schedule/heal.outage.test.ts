import { expect, test } from "vitest";
import type { AgentStopKind } from "../../../src/domain/run/attempt-fact.ts";
import { usedHeals } from "../../../src/domain/run/heals-state.ts";
import { TURNED_AWAY } from "../../../src/domain/schedule/breaker.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, honestJudgement, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const MIN = 60_000;

/** Goes on until a heal runs, the run ends, or it waits. */
function goOn(sim: Simulation): void {
  for (let step = 0; step < 20; step += 1) {
    const actions = sim.decide();
    const { stage, oracle } = sim.state;
    if (stage === "ended" || stage === "healing") return;
    if (stage === "verifying") sim.report({ type: "reverify-ended", reopened: 0 });
    else if (oracle.asking)
      sim.report({ type: "oracle-judged", final: stage === "judging", judgement: honestJudgement(sim.state) });
    else if (actions.length === 0) return;
  }
}

/** A run with one heal, which has begun. */
function healing(): Simulation {
  const sim = new Simulation(batchOf([ticketOf("T-1")], { attempts: 1, heals: 1, outageMinutes: 15 }));
  sim.decide();
  sim.endAttempt(T1, "failed");
  goOn(sim);
  return sim;
}

/** The heal's agent meets this stop. */
function turnAway(sim: Simulation, kind: AgentStopKind, answered = false): void {
  const stop = { kind, says: "ECONNREFUSED", ...(answered ? { answered } : {}) } as const;
  sim.report({
    type: "heal-ended",
    ...{ n: sim.state.heals.started, outcome: "failed", why: "its agent stopped early", changed: [], costUsd: 0, stop },
  });
}

function waitOut(sim: Simulation): void {
  goOn(sim);
  sim.pass((sim.state.backoff?.until ?? 0) - sim.state.lastEventAt);
}

test.each(["unreachable", "overloaded"] as const)("a heal whose model's API is away (%s) costs none: it begins again", (kind) => {
  const sim = healing();
  turnAway(sim, kind);
  expect(usedHeals(sim.state.heals)).toBe(0);
  goOn(sim);
  expect(sim.state).toMatchObject({ stage: "working", outages: { model: { why: "ECONNREFUSED" } } });
  waitOut(sim);
  goOn(sim);
  expect(sim.state).toMatchObject({ stage: "healing", heals: { started: 2, running: { n: 2 } } });
  expect(usedHeals(sim.state.heals)).toBe(1);
  sim.report({ type: "heal-ended", n: 2, outcome: "nothing", why: "it changed nothing", changed: [], costUsd: 0 });
  expect(sim.state.outages?.model).toBeUndefined();
  goOn(sim);
  expect(sim.state.end).toMatchObject({ kind: "not-done", exitCode: 1 });
});

test("an outage that lasts ends the run unjudged, whatever heals are left", () => {
  const sim = healing();
  const since = sim.state.lastEventAt;
  for (let times = 0; times < 50 && sim.state.stage === "healing"; times += 1) {
    turnAway(sim, "unreachable");
    waitOut(sim);
    goOn(sim);
  }
  expect(sim.state.end).toMatchObject({ kind: "unjudged", exitCode: 3 });
  expect(sim.state.lastEventAt - since).toBeLessThan(17 * MIN);
});

test("one that got answers before counts after some such heals", () => {
  const sim = healing();
  for (let times = 0; times <= TURNED_AWAY; times += 1) {
    expect(sim.state.stage).toBe("healing");
    turnAway(sim, "overloaded", true);
    waitOut(sim);
    goOn(sim);
  }
  expect(usedHeals(sim.state.heals)).toBe(1);
  expect(sim.state.end).toMatchObject({ kind: "not-done" });
});

test("a heal that a person requested is still requested", () => {
  const sim = new Simulation(batchOf([ticketOf("T-1")], { attempts: 2, heals: 1, outageMinutes: 15 }));
  sim.decide();
  sim.endAttempt(T1, "failed");
  sim.report({ type: "heal-asked" });
  sim.report({ type: "tripwire-ended", ok: true, canaries: 30, ms: 1 });
  goOn(sim);
  expect(sim.state.heals.running).toMatchObject({ asked: true });
  turnAway(sim, "unreachable");
  expect(sim.state.heals).toMatchObject({ asked: true });
  waitOut(sim);
  goOn(sim);
  expect(sim.state.heals).toMatchObject({ started: 2, running: { asked: true } });
});

test("another stop is the heal's own", () => {
  const sim = healing();
  sim.report({ type: "heal-ended", n: 1, outcome: "failed", why: "it crashed", changed: [], costUsd: 0 });
  goOn(sim);
  expect(sim.state.end).toMatchObject({ kind: "not-done" });
});
