import { describe, expect, test } from "vitest";
import { listHealResults } from "../../../src/domain/results/heal-results.ts";
import { computeLedger } from "../../../src/domain/results/ledger.ts";
import { admitFact } from "../../../src/domain/run/admit.ts";
import type { HealOutcome } from "../../../src/domain/run/heal-fact.ts";
import { reduce } from "../../../src/domain/run/reduce.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import { decide } from "../../../src/domain/schedule/decide.ts";
import { describeReason, whyNot } from "../../../src/domain/schedule/why-not.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { vecItems } from "../../../src/domain/values/vec.ts";
import { numbersLine } from "../../../src/store/results/numbers-line.ts";
import { batchOf, honestJudgement, Simulation, ticketOf } from "../simulate.ts";

const [T1, T2] = [TicketId.parse("T-1"), TicketId.parse("T-2")];
type Limits = Parameters<typeof batchOf>[1];

/** A run of these tickets, each tried once, in which one heal may be. */
function begun(limits: Limits = {}, usdPerAttempt = 0, tickets = [ticketOf("T-1"), ticketOf("T-2", { dependsOn: [T1] })]) {
  const batch = batchOf(tickets, { attempts: 1, heals: 1, ...limits });
  return new Simulation({ ...batch, agent: { kind: "command", command: ["x"], usdPerAttempt } });
}

/** Goes on until the run has ended, heals, or nothing is decided any more; the oracle is honest. */
function goOn(sim: Simulation): string[] {
  for (let step = 0; step < 50; step++) {
    const actions = sim.decide();
    const keeping = sim.state.heals.past.find(({ keep }) => keep?.as === "keeping");
    if (keeping !== undefined) sim.report({ type: "heal-kept", n: keeping.n, as: "kept", why: "it moved T-1" });
    const asked = keeping !== undefined || sim.state.oracle.asking || sim.state.stage === "verifying";
    if (sim.state.stage === "verifying") sim.report({ type: "reverify-ended", reopened: 0 });
    if (sim.state.oracle.asking)
      sim.report({ type: "oracle-judged", final: sim.state.stage === "judging", judgement: honestJudgement(sim.state) });
    if ((actions.length === 0 && !asked) || sim.state.stage === "ended" || sim.state.stage === "healing")
      return actions.map((a) => a.do);
  }
  throw new Error("it goes on for ever");
}

/** A run whose first ticket has failed, as far as its stop. */
function stopped(...options: Parameters<typeof begun>): Simulation {
  const sim = begun(...options);
  sim.decide();
  sim.endAttempt(T1, "failed");
  goOn(sim);
  return sim;
}

function end(sim: Simulation, outcome: HealOutcome, costUsd = 0): void {
  sim.report({ type: "heal-ended", n: sim.state.heals.started, outcome, why: "it says so", changed: [], costUsd });
}

const ticket = (state: RunState, id: TicketId) => [...vecItems(state.tickets)].find((each) => each.id === id);

describe("a heal", () => {
  test("comes in the place of the end where attempts were used up, with the reason that the end would have had", () => {
    const sim = stopped();
    expect(sim.state).toMatchObject({ stage: "healing", heals: { started: 1, accepted: 0, running: { n: 1, token: 2 } } });
    expect(sim.events.at(-1)).toMatchObject({
      type: "heal-started",
      reason: "2 of 2 tickets are open: T-1 stalled (broken · 1 attempt failed); T-2 waits for T-1, which is stalled",
    });
    expect(decide(sim.state, sim.state.lastEventAt)).toEqual([]);
  });

  test("that is accepted reopens what was given up, afresh, and has the oracle proven again before anything counts", () => {
    const sim = stopped();
    end(sim, "accepted");
    expect(sim.state).toMatchObject({
      stage: "working",
      reverified: false,
      tripwire: { status: "due" },
      heals: { started: 1, accepted: 1, versions: { app: 1 }, proving: { n: 1 }, past: [{ stalled: ["T-1"], moved: [] }] },
      counts: { stalled: 0 },
    });
    expect(ticket(sim.state, T1)).toMatchObject({ phase: "waiting", failures: 0, evidence: [{ summary: "broken" }] });
    expect(ticket(sim.state, T1)).not.toHaveProperty("stalledReason");
    expect(ticket(sim.state, T1)).not.toHaveProperty("signs");
    expect(sim.decide().map((action) => action.do)).toEqual(["tripwire"]);
    expect(sim.decide()).toEqual([]);
    expect(describeReason(whyNot(sim.state, 0))).toBe("ready; the harness is healed first");
    sim.report({ type: "tripwire-ended", ok: true, canaries: 30, ms: 1 });
    expect(sim.decide().map((action) => action.do)).toContain("start");
    sim.endAttempt(T1, "done");
    sim.decide();
    sim.endAttempt(T2, "done");
    goOn(sim);
    expect(sim.state.end).toMatchObject({ exitCode: 0 });
    expect(computeLedger(sim.state)).toMatchObject({ heals: 1, healsAccepted: 1, incidents: 0, interventions: { total: 0 } });
    expect(numbersLine(computeLedger(sim.state))).toContain("heals 1, accepted 1");
  });

  test("that the tripwire rejects is undone, and the run ends with the reason that it would have had", () => {
    const sim = stopped({ heals: 2 });
    const { stalledReason } = ticket(sim.state, T1) ?? {};
    end(sim, "accepted");
    sim.decide();
    sim.report({ type: "tripwire-ended", ok: false, problem: "the oracle", canaries: 0, ms: 1 });
    expect(sim.state).toMatchObject({ stage: "working", tripwire: { status: "due" }, ready: [], exhausted: [] });
    expect(sim.state.heals).toMatchObject({ accepted: 0, versions: {}, givenUp: true, past: [{ reverted: "the oracle" }] });
    expect(sim.state.heals).not.toHaveProperty("proving");
    expect(ticket(sim.state, T1)).toMatchObject({ phase: "stalled", stalledBy: "attempts", failures: 1, stalledReason });
    expect(sim.decide().map((action) => action.do)).toContain("tripwire");
    sim.report({ type: "tripwire-ended", ok: true, canaries: 30, ms: 1 });
    goOn(sim);
    expect(sim.state.end).toMatchObject({
      kind: "not-done",
      exitCode: 1,
      reason: expect.stringMatching(/T-1 stalled \(broken · 1 attempt/),
    });
    expect(listHealResults(sim.state)).toMatchObject([
      { outcome: "reverted", kept: "no", why: "the tripwire rejected it: the oracle" },
    ]);
  });

  test("after which the tripwire fires even without it ends the run as unjudged: something else is wrong", () => {
    const sim = stopped();
    end(sim, "accepted");
    sim.decide();
    sim.report({ type: "tripwire-ended", ok: false, problem: "the oracle", canaries: 0, ms: 1 });
    sim.decide();
    sim.report({ type: "tripwire-ended", ok: false, problem: "the oracle", canaries: 0, ms: 1 });
    sim.decide();
    expect(sim.state.end).toMatchObject({ kind: "tripwire", exitCode: 3 });
  });

  test.each(["rejected", "failed", "nothing"] as const)("that was %s shows the real stop, though another is left", (outcome) => {
    const sim = stopped({ heals: 2 });
    end(sim, outcome);
    goOn(sim);
    expect(sim.state.end).toMatchObject({ kind: "not-done", exitCode: 1, reason: expect.stringContaining("T-1 stalled") });
    expect(sim.state.heals).toMatchObject({ started: 1, accepted: 0, versions: {} });
  });

  test("that did not help is followed by another, as long as one is left", () => {
    const sim = stopped({ heals: 2 });
    for (const n of [1, 2]) {
      expect(sim.state.heals.running?.n).toBe(n);
      end(sim, "accepted");
      sim.decide();
      sim.report({ type: "tripwire-ended", ok: true, canaries: 30, ms: 1 });
      sim.decide();
      sim.endAttempt(T1, "failed");
      goOn(sim);
    }
    expect(sim.state.end).toMatchObject({ exitCode: 1 });
    expect(computeLedger(sim.state)).toMatchObject({ heals: 2, healsAccepted: 2 });
  });

  test("that was lost with its engine is used up, costs what was set aside, and another may follow", () => {
    const sim = stopped({ heals: 2 }, 2);
    expect(sim.state).toMatchObject({ reservedUsd: 2, spentUsd: 2 });
    sim.report({ type: "run-resumed", orphansKilled: 0 });
    expect(decide(sim.state, sim.state.lastEventAt).some((action) => action.do === "end")).toBe(false);
    end(sim, "lost", 2);
    expect(sim.state).toMatchObject({ reservedUsd: 0, spentUsd: 4, heals: { started: 1, accepted: 0, versions: {} } });
    sim.prove();
    goOn(sim);
    expect(sim.state.heals.running?.n).toBe(2);
  });

  test("is cancelled by a stop, and the run ends as interrupted", () => {
    const sim = stopped();
    sim.report({ type: "stop-requested", by: "signal" });
    expect(sim.decide()).toEqual([]);
    end(sim, "failed");
    sim.decide();
    expect(sim.state.end).toMatchObject({ kind: "interrupted", exitCode: 130 });
    expect(sim.state.heals.givenUp).toBeUndefined();
  });

  test("settles its money, and only its own report counts, once", () => {
    const sim = stopped({}, 2);
    const late = { type: "heal-ended", n: 2, outcome: "accepted", why: "", changed: [], costUsd: 0 } as const;
    expect(admitFact(sim.state, late)).toBeUndefined();
    expect(() => reduce(sim.state, { ...late, seq: sim.state.seq + 1, at: 1 })).toThrow("heal 2 does not run");
    sim.report({ type: "heal-agent-started", n: 1, pid: 7, startTime: "8" });
    expect(sim.state.heals.running).toMatchObject({ pid: 7, startTime: "8" });
    end(sim, "nothing", 0.5);
    expect(sim.state).toMatchObject({ reservedUsd: 0, spentUsd: 2.5 });
    expect(admitFact(sim.state, { ...late, n: 1 })).toBeUndefined();
  });
});

describe("no heal", () => {
  const ends = (sim: Simulation) => {
    expect(sim.state.heals.started).toBe(0);
    expect(sim.state.end).toMatchObject({ kind: "not-done", exitCode: 1 });
  };

  test("where none may be", () => ends(stopped({ heals: 0 })));

  test("where there is no money for it and for one more attempt after it", () => {
    ends(stopped({ usdPerRun: 5 }, 2));
    ends(stopped({ usdPerDay: 5 }, 2));
    ends(stopped({ usdPerTicket: 3 }, 2));
    expect(stopped({ usdPerRun: 6, usdPerDay: 6, usdPerTicket: 6 }, 2).state.stage).toBe("healing");
  });

  test("where the last attempt was ended by a person, or the tracker could not be told", () => {
    const killed = begun();
    killed.decide();
    killed.endAttempt(T1, "killed");
    goOn(killed);
    ends(killed);
    const untold = begun();
    untold.decide();
    untold.endAgent(T1);
    const evidence = { step: "assert", name: "assert", summary: "disk full", detail: "" } as const;
    untold.report({ type: "attempt-ended", ...untold.of(T1), outcome: "failed", evidence });
    goOn(untold);
    ends(untold);
  });

  test("where a ticket is stalled for another cause", () => {
    const sim = begun({}, 0, [ticketOf("T-1")]);
    sim.report({ type: "ticket-stalled", ticket: T1, reason: "the human gate was not recorded" });
    goOn(sim);
    ends(sim);
  });

  test("where something has ended all starts", () => {
    const sim = begun({ attempts: 1 }, 0, [ticketOf("T-1"), ticketOf("T-3")]);
    sim.decide();
    sim.endAttempt(T1, "failed");
    sim.stopAgent(TicketId.parse("T-3"), "authentication");
    goOn(sim);
    ends(sim);
  });

  test("begins while the run is paused or held: it waits", () => {
    const sim = begun();
    sim.decide();
    sim.report({ type: "run-paused" });
    sim.endAttempt(T1, "failed");
    expect(goOn(sim)).toEqual([]);
    expect(sim.state).toMatchObject({ stage: "working", heals: { started: 0 } });
    sim.report({ type: "backoff-started", until: sim.state.lastEventAt + 60_000, reason: "busy" });
    sim.report({ type: "run-unpaused" });
    expect(goOn(sim)).toEqual([]);
    expect(sim.state.stage).toBe("working");
    sim.pass(60_000);
    goOn(sim);
    expect(sim.state.stage).toBe("healing");
  });
});

test("a ticket that a breaker stopped is healed too, and its breaker is let go", () => {
  const sim = begun({ attempts: 9 }, 0, [ticketOf("T-1")]);
  for (let n = 0; n < 3; n++) {
    sim.decide();
    sim.endAttempt(T1, "failed");
  }
  goOn(sim);
  expect(sim.state.stage).toBe("healing");
  end(sim, "accepted");
  sim.decide();
  sim.report({ type: "tripwire-ended", ok: true, canaries: 30, ms: 1 });
  expect(sim.decide().map((action) => action.do)).toContain("start");
});

test("a gate that a person asks for while the harness is healed is recorded, and its ticket is not reopened", () => {
  const sim = stopped();
  sim.report({ type: "gate-requested", ticket: T1, step: "do it" });
  sim.decide();
  end(sim, "accepted");
  expect(ticket(sim.state, T1)).toMatchObject({ phase: "human-gated", humanStep: "do it" });
  expect(ticket(sim.state, T1)).not.toHaveProperty("stalledBy");
});
