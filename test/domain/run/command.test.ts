import { describe, expect, test } from "vitest";
import { computeLedger } from "../../../src/domain/results/ledger.ts";
import { admitCommand } from "../../../src/domain/run/admit.ts";
import { HumanStep } from "../../../src/domain/run/command.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { describeReason, whyNot } from "../../../src/domain/schedule/why-not.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { begun, counted, refusal, starts, T1, T2, T3, T4, T5 } from "../command-refusal.ts";
import { finishing } from "../play.ts";
import { honestJudgement, ticketOf } from "../simulate.ts";

describe("a stalled ticket that a person wants retried", () => {
  const stalled = (...options: Parameters<typeof begun>) => {
    const sim = begun(...options);
    sim.endAttempt(T1, "failed");
    sim.decide();
    return sim;
  };
  const retry = { type: "retry", ticket: T1 } as const;

  test("waits again, as if it were new but for its history; what it leaves to the next prompt stays", () => {
    const sim = stalled();
    expect(stateOf(sim.state, T1)).toMatchObject({ phase: "stalled", failures: 1 });
    expect(admitCommand(sim.state, retry)).toEqual([
      { type: "intervention", class: "I5", target: "T-1", note: "retried" },
      { type: "ticket-retried", ticket: "T-1" },
    ]);
    sim.command(retry);
    const after = stateOf(sim.state, T1);
    expect(after).toMatchObject({
      phase: "waiting",
      failures: 0,
      history: [{ outcome: "failed" }],
      evidence: [{ summary: "broken" }],
    });
    for (const gone of ["stalledReason", "stalledBy", "endedAt", "signs"]) expect(after).not.toHaveProperty(gone);
    expect(sim.state).toMatchObject({ counts: { stalled: 0 }, reverified: false });
    expect(sim.state.ready).toContain(0);
    expect(refusal(sim, retry)).toBe("T-1 is not stalled");
  });

  test("has its breaker let go", () => {
    const sim = begun({ attempts: 9, workers: 1 });
    for (let n = 0; n < 3; n++) {
      sim.endAttempt(T1, "failed");
      sim.decide();
    }
    expect(stateOf(sim.state, T1).stalledReason).toMatch(/^same-failure/);
    sim.endAttempt(T2, "done");
    sim.command(retry);
    expect(starts(sim)).toEqual([[T1, 0]]);
    sim.endAttempt(T1, "failed");
    sim.decide();
    expect(stateOf(sim.state, T1)).toMatchObject({ phase: "working", failures: 1 });
  });

  test("lets its dependents become possible again", () => {
    const sim = stalled({}, 0, { dependsOn: [T1] });
    expect(whyNot(sim.state, 1)).toMatchObject({ kind: "depends", stalled: [T1] });
    sim.command(retry);
    expect(whyNot(sim.state, 1)).toMatchObject({ kind: "depends", stalled: [] });
    sim.endAttempt(T3, "done");
    sim.decide();
    sim.endAttempt(T1, "done");
    expect(whyNot(sim.state, 1)).toEqual({ kind: "ready" });
  });

  test("keeps a run going that would have ended, even while the oracle is asked for the last time", () => {
    const sim = stalled();
    for (const id of [T2, T3, T4, T5]) {
      sim.endAttempt(id, "done");
      sim.decide();
    }
    sim.report({ type: "reverify-ended", reopened: 0 });
    sim.decide();
    expect(sim.state.stage).toBe("judging");
    sim.command(retry);
    sim.report({ type: "oracle-judged", final: true, judgement: honestJudgement(sim.state) });
    expect(starts(sim)).toEqual([[T1, 0]]);
    sim.endAttempt(T1, "done");
    sim.decide();
    // All is looked at once more before the oracle's word counts.
    expect(sim.state.stage).toBe("verifying");
  });

  test("has what failed before counted as mended by a person", () => {
    const numbers = (isRetried: boolean) => {
      const sim = begun({ attempts: isRetried ? 1 : 2 });
      sim.endAttempt(T1, "failed");
      sim.decide();
      if (isRetried) sim.command(retry);
      if (stateOf(sim.state, T1).attempt === undefined) sim.endAttempt(T2, "done");
      sim.decide();
      sim.endAttempt(T1, "done");
      return computeLedger(sim.state);
    };
    expect(numbers(false)).toMatchObject({ fixAndProceed: 1, interventions: { total: 0 } });
    expect(numbers(true)).toMatchObject({ fixAndProceed: 0, interventions: { total: 1, harness: 1, byClass: { I5: 1 } } });
  });

  test("is filed again where the tracker did not take it, and does not start before", () => {
    const sim = begun({ discoveries: 1 });
    const discovered = { ...ticketOf("T-9"), foundBy: T1 };
    sim.report({ type: "ticket-discovered", ...sim.of(T1), discovered, reason: "", blocks: false });
    sim.report({ type: "ticket-stalled", ticket: discovered.id, reason: "the tracker does not hold it: down" });
    sim.command({ type: "retry", ticket: discovered.id });
    expect(stateOf(sim.state, discovered.id)).toMatchObject({ phase: "waiting", unfiled: true });
    expect(sim.state.filing).toEqual([5]);
    expect(sim.state.ready).not.toContain(5);
    sim.report({ type: "discovery-filed", ticket: discovered.id });
    expect(sim.state.ready).toContain(5);
  });

  test("is refused where it could not start, or the tracker may hold its gate", () => {
    const sim = stalled({ usdPerTicket: 3, usdPerRun: 7 }, 2);
    expect(refusal(sim, { type: "retry", ticket: T2 })).toBe("T-2 is not stalled");
    expect(refusal(sim, { type: "retry", ticket: TicketId.parse("T-99") })).toBe("there is no ticket T-99 in this batch");
    expect(refusal(sim, retry)).toBe("one more attempt could exceed limits.usdPerTicket ($3)");
    const poor = stalled({ usdPerRun: 3 }, 2);
    expect(refusal(poor, retry)).toBe("one more attempt could exceed limits.usdPerRun ($3)");
    // What is set aside for those at work may come back.
    expect(refusal(stalled({ usdPerRun: 6 }, 2), retry)).toBeUndefined();
    const stopped = stalled();
    stopped.stopAgent(T2, "authentication");
    expect(refusal(stopped, retry)).toMatch(/^no agent starts any more \(authentication\)/);
    const untold = begun();
    untold.report({ type: "ticket-stalled", ticket: T4, reason: "the human gate was not recorded: disk full" });
    expect(refusal(untold, { type: "retry", ticket: T4 })).toBe(
      "T-4 is not stalled by its attempts: the human gate was not recorded: disk full",
    );
    const gating = stalled();
    gating.command({ type: "gate", ticket: T1, step: HumanStep.parse("do it") });
    expect(refusal(gating, retry)).toBe("the gate of T-1 is being recorded already");
  });
});

describe("the number of workers", () => {
  const set = (workers: number) => ({ type: "workers", workers }) as const;

  test("that grows is there at once, and is filled", () => {
    const sim = begun();
    sim.command(set(4));
    expect(sim.state).toMatchObject({ workers: 4, slots: [0, 1, null, null] });
    expect(starts(sim)).toEqual([
      [T3, 2],
      [T4, 3],
    ]);
    expect(sim.state.batch.limits.workers).toBe(2);
    expect(counted(sim)).toEqual(["I2 workers: 2 before, 4 from now on"]);
  });

  test("that shrinks takes free slots at once, and busy ones when their agent leaves, the last one first", () => {
    const sim = begun({ workers: 4 });
    sim.endAgent(T4);
    sim.command(set(2));
    expect(sim.state.slots).toEqual([0, 1, 2]);
    expect(starts(sim)).toEqual([]);
    sim.endAgent(T1);
    // Three were at work, and two are wanted: nobody takes the place.
    expect(sim.state.slots).toEqual([null, 1, 2]);
    expect(starts(sim)).toEqual([]);
    expect(describeReason(whyNot(sim.state, 4))).toBe("ready; all 2 slots are busy");
    sim.endAgent(T3);
    expect(sim.state.slots).toEqual([null, 1]);
    sim.endAttempt(T3, "done");
    sim.endAttempt(T4, "done");
    expect(starts(sim)).toEqual([[T5, 0]]);
  });

  test("leaves every slot its place, whichever agent leaves first", () => {
    const sim = begun({ workers: 4 });
    sim.command(set(1));
    sim.endAgent(T2);
    expect(sim.state.slots).toEqual([0, null, 2, 3]);
    sim.endAgent(T4);
    expect(sim.state.slots).toEqual([0, null, 2]);
    sim.endAttempt(T3, "failed");
    expect(sim.state.slots).toEqual([0]);
    sim.command(set(3));
    expect(sim.state.slots).toEqual([0, null, null]);
    expect(stateOf(sim.state, T3).history).toMatchObject([{ slot: 2 }]);
  });

  test("holds for the finish line as well: agents do not run further ahead of it", () => {
    const sim = begun({ workers: 3 });
    for (const id of [T1, T2, T3]) sim.endAgent(id);
    sim.command(set(1));
    expect(finishing(sim.state)).toHaveLength(3);
    expect(starts(sim)).toEqual([]);
    expect(whyNot(sim.state, 3)).toEqual({ kind: "finishing", tickets: 3 });
    sim.endAttempt(T1, "done");
    expect(starts(sim)).toEqual([]);
    sim.endAttempt(T2, "done");
    expect(starts(sim)).toEqual([[T4, 0]]);
  });

  test("is never passed in a slot beyond it, though those within it still show who is being finished", () => {
    const sim = begun({ workers: 4 });
    sim.endAttempt(T3, "done");
    for (const id of [T1, T2]) sim.endAgent(id);
    sim.command(set(2));
    expect(sim.state.slots).toEqual([null, null, null, 3]);
    expect(starts(sim)).toEqual([[T5, 0]]);
  });

  test("bounds what is under way by itself, not by the slots that are still there", () => {
    const sim = begun({ workers: 4 });
    for (const id of [T1, T2, T3]) sim.endAgent(id);
    sim.command(set(2));
    expect(sim.state.slots).toEqual([null, null, null, 3]);
    expect(starts(sim)).toEqual([]);
    expect(whyNot(sim.state, 4)).toEqual({ kind: "finishing", tickets: 3 });
  });

  test("is the run's: its next engine has it", () => {
    const sim = begun();
    sim.command(set(5));
    sim.report({ type: "run-resumed", orphansKilled: 0 });
    expect(sim.state).toMatchObject({ workers: 5, slots: [0, 1, null, null, null] });
  });

  test("several times within the window is one decision, and what changes nothing is refused", () => {
    const sim = begun();
    for (const n of [3, 4, 5]) sim.command(set(n));
    expect(counted(sim)).toEqual(["I2 workers: 2 before, 3 from now on"]);
    expect(refusal(sim, set(5))).toBe("the run has 5 workers already");
    sim.command({ type: "pause" });
    expect(counted(sim)).toHaveLength(2);
  });
});
