import { describe, expect, test } from "vitest";
import { describeReason, whyNot } from "../../../src/domain/schedule/why-not.ts";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import { begun, counted, type Limits, refusal, starts, T1, T2, T3 } from "../command-refusal.ts";
import { working } from "../play.ts";
import { honestJudgement, type Simulation } from "../simulate.ts";

describe("a heal that a person asks for", () => {
  const heal = { type: "heal" } as const;
  /** T-1 has failed once and is tried again, T-2 is at work. */
  const failed = (limits: Limits = {}, usd = 0) => {
    const sim = begun({ attempts: 3, heals: 1, ...limits }, usd);
    sim.endAttempt(T1, "failed");
    sim.decide();
    return sim;
  };
  const end = (sim: Simulation, outcome: "accepted" | "nothing") =>
    sim.report({ type: "heal-ended", n: sim.state.heals.started, outcome, why: "so", changed: [], costUsd: 0 });

  test("begins once nothing is under way; nothing new starts before, and then the run continues", () => {
    const sim = failed();
    const others = working(sim.state).map(({ id }) => id);
    sim.command(heal);
    expect(sim.state.heals).toMatchObject({ started: 0, asked: true });
    expect(counted(sim)).toEqual(["I2 harness: requested a heal"]);
    expect(refusal(sim, heal)).toMatch(/^a heal was requested already/);
    sim.endAttempt(others[0] as TicketId, "failed");
    expect(starts(sim)).toEqual([]);
    expect(describeReason(whyNot(sim.state, 4))).toBe("ready; the harness is healed first");
    sim.endAttempt(others[1] as TicketId, "failed");
    expect(sim.decide()).toMatchObject([{ do: "heal", n: 1 }]);
    expect(sim.events.at(-1)).toMatchObject({ reason: expect.stringMatching(/^a person requested it; 5 of 5 tickets are open/) });
    expect(sim.state.heals).not.toHaveProperty("asked");
    expect(refusal(sim, heal)).toBe("a heal is under way already");
    expect(describeReason(whyNot(sim.state, 4))).toBe("ready; the harness is healed first");
    const { seq } = sim.state;
    expect(sim.report({ type: "heal-agent-started", n: 2, pid: 7, startTime: "8" })).toBe(false);
    expect(sim.state.seq).toBe(seq);
    end(sim, "accepted");
    // The tripwire comes after it as after every other.
    expect(sim.decide().map((action) => action.do)).toEqual(["tripwire"]);
    sim.report({ type: "tripwire-ended", ok: true, canaries: 30, ms: 1 });
    expect(sim.decide().map((action) => action.do)).toEqual(["start", "start"]);
    expect(sim.state.heals).toMatchObject({ started: 1, accepted: 1, versions: { app: 1 } });
    expect(refusal(sim, heal)).toBe("no heal is left: 1 of 1 are used up");
  });

  test("is granted where there is money for one of several tickets, and not for all of them", () => {
    const sim = failed({ usdPerTicket: 5 }, 2);
    sim.endAttempt(T2, "failed");
    expect(refusal(sim, heal)).toBeUndefined();
  });

  test("that comes to nothing takes no later one away: it was in no end's place", () => {
    const sim = failed({ heals: 2, attempts: 1 });
    sim.command(heal);
    sim.endAttempt(T2, "done");
    sim.endAttempt(T3, "done");
    sim.decide();
    end(sim, "nothing");
    expect(sim.state.heals).not.toHaveProperty("givenUp", expect.anything());
    for (let step = 0; step < 20 && sim.state.stage !== "healing"; step++) {
      sim.decide();
      for (const { id } of working(sim.state)) sim.endAttempt(id, "done");
      if (sim.state.stage === "verifying") sim.report({ type: "reverify-ended", reopened: 0 });
      if (sim.state.oracle.asking)
        sim.report({ type: "oracle-judged", final: sim.state.stage === "judging", judgement: honestJudgement(sim.state) });
    }
    expect(sim.state.heals.running).toMatchObject({ n: 2 });
    expect(sim.state.heals.running).not.toHaveProperty("asked");
  });

  test("waits for the proof of the oracle, for a pause and for a hold", () => {
    const sim = failed();
    sim.command(heal);
    sim.report({ type: "tripwire-started" });
    for (const { id } of working(sim.state)) sim.endAttempt(id, "failed");
    expect(sim.decide()).toEqual([]);
    sim.report({ type: "tripwire-ended", ok: true, canaries: 30, ms: 1 });
    sim.report({ type: "run-paused" });
    expect(sim.decide()).toEqual([]);
    sim.report({ type: "backoff-started", until: sim.state.lastEventAt + 60_000, reason: "busy" });
    sim.report({ type: "run-unpaused" });
    expect(sim.decide()).toEqual([]);
    sim.pass(60_000);
    expect(sim.decide()).toMatchObject([{ do: "heal" }]);
  });

  test("is still asked for after its engine was lost, and begins once the oracle is proven again", () => {
    const sim = failed();
    sim.command(heal);
    const underWay = working(sim.state).map(({ id }) => id);
    sim.report({ type: "run-resumed", orphansKilled: 0 });
    for (const id of underWay) sim.endAttempt(id, "lost");
    expect(sim.decide()).toEqual([{ do: "tripwire" }]);
    sim.report({ type: "tripwire-ended", ok: true, canaries: 30, ms: 1 });
    expect(sim.decide()).toMatchObject([{ do: "heal", n: 1 }]);
  });

  test("is cancelled until it has begun, and what waited starts", () => {
    const drop = { type: "drop-heal" } as const;
    const sim = failed();
    expect(refusal(sim, drop)).toBe("no heal is requested");
    sim.command(heal);
    for (const { id } of working(sim.state).slice(1)) sim.endAttempt(id, "failed");
    expect(starts(sim)).toEqual([]);
    sim.command(drop);
    expect(sim.events.at(-1)).toMatchObject({ type: "heal-dropped", why: "a person cancelled it" });
    // One decision about the harness, whatever it came to.
    expect(counted(sim)).toEqual(["I2 harness: requested a heal"]);
    expect(starts(sim).length).toBeGreaterThan(0);
    expect(sim.state.heals).toMatchObject({ started: 0 });
    sim.command(heal);
    for (const { id } of working(sim.state)) sim.endAttempt(id, "failed");
    expect(sim.decide()).toMatchObject([{ do: "heal", n: 1 }]);
    expect(refusal(sim, drop)).toBe("the heal has begun: it can no longer be cancelled");
    expect(sim.state.heals.running).toMatchObject({ n: 1 });
  });

  test("is dropped with the reason where nothing is left to heal, and the run continues", () => {
    const sim = failed();
    sim.command(heal);
    for (const { id } of working(sim.state)) sim.endAttempt(id, "done");
    const why = "there is nothing to heal: no open ticket failed because of its agents";
    expect(sim.decide()).toEqual([{ do: "drop-heal", why }]);
    expect(sim.events.at(-1)).toMatchObject({ type: "heal-dropped", why });
    expect(sim.state.heals).toMatchObject({ started: 0 });
    expect(starts(sim)).toHaveLength(2);
  });

  test("is refused where it makes no sense", () => {
    expect(refusal(failed({ heals: 0 }), heal)).toBe("heals are off in this batch");
    expect(refusal(begun({ heals: 1 }), heal)).toBe("there is nothing to heal: no open ticket failed because of its agents");
    expect(refusal(failed({ usdPerRun: 5 }, 2), heal)).toBe("the budget does not cover a heal and one more attempt");
    const halted = failed();
    halted.stopAgent(T2, "authentication");
    expect(refusal(halted, heal)).toMatch(/^no agent starts any more/);
    const stopping = failed();
    stopping.command({ type: "stop" });
    expect(refusal(stopping, heal)).toBe("the run is stopping");
    const killed = begun({ attempts: 3, heals: 1 });
    killed.endAttempt(T1, "killed");
    expect(refusal(killed, heal)).toMatch(/^there is nothing to heal/);
  });
});
