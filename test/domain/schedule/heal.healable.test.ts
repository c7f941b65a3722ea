import { describe, expect, test } from "vitest";
import type { Evidence } from "../../../src/domain/run/attempt-fact.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import type { TicketState } from "../../../src/domain/run/ticket-state.ts";
import { isHealable } from "../../../src/domain/schedule/heal.ts";
import { type Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, honestJudgement, Simulation, ticketOf } from "../simulate.ts";

const T2 = TicketId.parse("T-2");

/** A run whose second ticket has used up its attempts, and which heals for it. */
function healing(): Simulation {
  const agent = { kind: "command", command: ["x"], usdPerAttempt: 2 } as const;
  const batch = batchOf([ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3")], { attempts: 1, heals: 2 });
  const sim = new Simulation({ ...batch, agent });
  sim.decide();
  for (const name of ["T-1", "T-2", "T-3"]) sim.endAttempt(TicketId.parse(name), name === "T-2" ? "failed" : "done");
  for (let step = 0; step < 20 && sim.state.stage !== "healing"; step++) {
    sim.decide();
    const { oracle, stage } = sim.state;
    if (stage === "verifying") sim.report({ type: "reverify-ended", reopened: 0 });
    if (oracle.asking) sim.report({ type: "oracle-judged", final: stage === "judging", judgement: honestJudgement(sim.state) });
  }
  expect(sim.state.stage).toBe("healing");
  return sim;
}
const accept = (sim: Simulation, costUsd = 0) =>
  sim.report({ type: "heal-ended", n: sim.state.heals.started, outcome: "accepted", why: "", changed: [], costUsd });

describe("what a heal mends", () => {
  const mended = (over: Partial<TicketState>) => isHealable({ ...stateOf(healing().state, T2), ...over });
  const evidence: Evidence = { step: "assert", name: "assert", summary: "disk full", detail: "" };

  test("is a ticket whose agents used up its attempts, also where they left no evidence or history", () => {
    expect(mended({})).toBe(true);
    expect(mended({ evidence: [], history: [] })).toBe(true);
    const { signs: _, ...bare } = stateOf(healing().state, T2);
    expect(isHealable(bare)).toBe(true);
  });

  test("is none that a person is to have, that the tracker could not be told of, or that its model's API turned away", () => {
    expect(mended({ gate: { step: "do it", writing: false } })).toBe(false);
    expect(mended({ evidence: [evidence] })).toBe(false);
    expect(mended({ signs: { turnedAway: 1 } })).toBe(false);
    expect(mended({ phase: "waiting" })).toBe(false);
  });
});

describe("a heal that is accepted", () => {
  test("reopens the ticket wherever it stands in the batch, and has its cost counted", () => {
    const sim = healing();
    accept(sim, 0.5);
    expect(stateOf(sim.state, T2)).toMatchObject({ phase: "waiting", failures: 0 });
    expect(sim.state.ready).toEqual([1]);
    expect(sim.state.counts).toMatchObject({ done: 2, waiting: 1, stalled: 0 });
    expect(sim.state.heals.usd).toBe(0.5);
  });

  test("is remembered with why it began and when, behind those before it", () => {
    const sim = healing();
    const { reason, startedAt } = sim.state.heals.running ?? {};
    accept(sim, 0.5);
    const times = { reason, startedAt, endedAt: sim.now };
    const of = { repo: "app", base: 0, stalled: ["T-2"], moved: [] };
    const first = { n: 1, outcome: "accepted", why: "", changed: [], costUsd: 0.5, ...times, ...of };
    expect(sim.state.heals.past).toEqual([first]);
    sim.report({ type: "heal-started", n: 2, token: 9 as Fence, reason: "again", reservedUsd: 0 });
    accept(sim);
    expect(sim.state.heals.past).toMatchObject([first, { n: 2, reason: "again" }]);
  });

  test("leaves a ticket to the person whose gate for it is still to be written", () => {
    const sim = healing();
    sim.report({ type: "gate-requested", ticket: T2, step: "do it" });
    accept(sim);
    expect(stateOf(sim.state, T2).gate?.step).toBe("do it");
    expect(sim.state.ready).toEqual([]);
  });
});
