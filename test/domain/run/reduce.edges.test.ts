import { describe, expect, test } from "vitest";
import type { AttemptOutcome } from "../../../src/domain/run/attempt-fact.ts";
import type { RunEvent, RunFact } from "../../../src/domain/run/event.ts";
import { reduce } from "../../../src/domain/run/reduce.ts";
import { ticketById as stateOf, ticketIndex } from "../../../src/domain/run/state.ts";
import { decide } from "../../../src/domain/schedule/decide.ts";
import { soonReady } from "../../../src/domain/schedule/slot-reservation.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const A = TicketId.parse("A");
const app = RepoId.parse("app");

/** A run of one ticket whose attempt has begun. */
function begun(): Simulation {
  const sim = new Simulation(batchOf([ticketOf("A")]));
  sim.decide();
  return sim;
}
const ticketA = (sim: Simulation) => stateOf(sim.state, A);

function step(sim: Simulation, kind: "check" | "gates" | "verify", ok: boolean): void {
  const of = sim.of(A);
  sim.report({ type: "step-started", ...of, step: 0, kind, name: "tests" } as RunFact);
  sim.report({ type: "step-ended", ...of, step: 0, ok, summary: "red" } as RunFact);
}
const end = (sim: Simulation, outcome: AttemptOutcome) => sim.report({ type: "attempt-ended", ...sim.of(A), outcome });
const worktree = (sim: Simulation) =>
  sim.report({ type: "worktree-ready", ...sim.of(A), path: "/w", branch: "b", baseSha: "base" });
const change = (sim: Simulation) =>
  sim.report({
    type: "change-captured",
    ...sim.of(A),
    tip: "tip",
    files: ["f"],
    additions: 1,
    deletions: 0,
  } as unknown as RunFact);

describe("steps of the finish line", () => {
  test("a passed check counts by what it proved, another step does not", () => {
    const sim = begun();
    sim.endAgent(A);
    step(sim, "gates", true);
    expect(sim.state.checks).toEqual({ compared: 0, uncompared: 0, "exit-code": 0 });
    step(sim, "check", false);
    expect(sim.state.checks["exit-code"]).toBe(0);
    step(sim, "check", true);
    expect(sim.state.checks["exit-code"]).toBe(1);
    expect(ticketA(sim).phase).toBe("finishing");
  });

  test("only a check refuses a change, and only what passed has passed", () => {
    const sim = begun();
    sim.endAgent(A);
    step(sim, "gates", false);
    expect(ticketA(sim).attempt).toMatchObject({ passed: [] });
    expect(ticketA(sim).attempt).not.toHaveProperty("refused");
    step(sim, "check", false);
    expect(ticketA(sim).attempt).toMatchObject({
      passed: [],
      refused: { step: "check", name: "tests", summary: "red", detail: "" },
    });
    step(sim, "check", true);
    expect(ticketA(sim).attempt?.passed).toEqual([{ index: 0, kind: "check", name: "tests", ms: 10, byExitCode: true }]);
  });

  test("a step that ended without having begun leaves nothing", () => {
    const sim = begun();
    const fact = { type: "step-ended", ...sim.of(A), step: 0, summary: "x" };
    sim.report({ ...fact, ok: true } as RunFact);
    sim.report({ ...fact, ok: false } as RunFact);
    expect(ticketA(sim).attempt).toMatchObject({ passed: [] });
    expect(ticketA(sim).attempt).not.toHaveProperty("refused");
    expect(sim.state.checks["exit-code"]).toBe(0);
  });
});

describe("what is left of an attempt that was cut off", () => {
  test("nothing, where nothing was captured", () => {
    const sim = begun();
    worktree(sim);
    end(sim, "lost");
    expect(ticketA(sim)).not.toHaveProperty("unfinished");
    expect(ticketA(sim)).toMatchObject({ failures: 0, phase: "waiting" });
    expect(ticketA(sim).history[0]).toMatchObject({ summary: "", claimed: false, outcome: "lost" });
  });

  test("the change, and whether its agent claimed to be done", () => {
    for (const [exitCode, claimed] of [
      [0, true],
      [1, false],
    ] as const) {
      const sim = begun();
      worktree(sim);
      sim.endAgent(A, exitCode);
      change(sim);
      expect(ticketA(sim).phase).toBe("finishing");
      end(sim, "stopped");
      expect(ticketA(sim).pendingWork).toMatchObject({ tip: "tip", baseSha: "base", claimed });
      expect(ticketA(sim).history[0]).toMatchObject({ claimed });
      // The next attempt is cut off before it has anything of its own: what the first left is kept.
      sim.decide();
      end(sim, "lost");
      expect(ticketA(sim).pendingWork).toMatchObject({ tip: "tip", baseSha: "base", claimed });
    }
  });

  test("nothing of a change without a worktree to know its base", () => {
    const sim = begun();
    sim.endAgent(A);
    change(sim);
    end(sim, "stopped");
    expect(ticketA(sim)).not.toHaveProperty("unfinished");
  });

  test("a refused change is a failure however the attempt ended, unless it is done after all", () => {
    for (const [outcome, failures] of [
      ["lost", 1],
      ["stopped", 1],
      ["done", 0],
    ] as const) {
      const sim = begun();
      worktree(sim);
      sim.endAgent(A);
      change(sim);
      step(sim, "check", false);
      if (outcome === "done") sim.report({ type: "merge-landed", ...sim.of(A), repo: app, from: "a", to: "b" });
      end(sim, outcome);
      expect(ticketA(sim).failures, outcome).toBe(failures);
      expect(ticketA(sim), outcome).not.toHaveProperty("unfinished");
    }
  });
});

describe("what cannot follow", () => {
  test("a fact of an attempt that is over or of another fence is a broken journal", () => {
    const sim = begun();
    const of = sim.of(A);
    const at = { seq: sim.state.seq + 1, at: 2_000 };
    const other = { ticket: A, fence: (of.fence + 1) as typeof of.fence };
    expect(() => reduce(sim.state, { type: "agent-launching", ...other, ...at })).toThrow(`no attempt with fence ${other.fence}`);
    expect(() => reduce(sim.state, { type: "attempt-ended", ...other, outcome: "lost", ...at })).toThrow("no attempt with fence");
    end(sim, "stopped");
    const later = { seq: sim.state.seq + 1, at: 3_000 };
    expect(() => reduce(sim.state, { type: "agent-launching", ...of, ...later })).toThrow(RangeError);
    expect(() => reduce(sim.state, { type: "attempt-ended", ...of, outcome: "lost", ...later })).toThrow(RangeError);
  });
});

test.each([
  ["was stopped by its model's API claims nothing", { kind: "overloaded", says: "529" }, { stop: "overloaded" }, 0, []],
  ["ended with 0 claims to be done", undefined, {}, 1, [1]],
] as const)("an agent that %s", (_, stop, holds, made, soon) => {
  const sim = new Simulation(batchOf([ticketOf("A"), ticketOf("B", { dependsOn: [A] })]));
  sim.pass(1_000);
  sim.decide();
  sim.pass(1_000);
  sim.report({ type: "agent-launching", ...sim.of(A) });
  const ended = { ending: "exited", exitCode: 0, signal: null, costUsd: 0 } as const;
  sim.report({ type: "agent-ended", ...sim.of(A), ...ended, ...(stop !== undefined && { stop }) });
  const { launchedAt, endedAt, ...agent } = ticketA(sim).attempt?.agent ?? {};
  expect(agent).toEqual({ ending: "exited", exitCode: 0, costUsd: 0, ...holds });
  expect(sim.state.claims.made).toBe(made);
  expect(soonReady(sim.state, sim.state.lastEventAt)).toEqual(soon);
  end(sim, "failed");
  expect(ticketA(sim).history[0]?.claimed).toBe(made === 1);
});

test("a ticket whose gate is being recorded is not started by the landing that it waited for", () => {
  const B = TicketId.parse("B");
  const sim = new Simulation(batchOf([ticketOf("A"), ticketOf("B", { dependsOn: [A] })]));
  sim.decide();
  sim.report({ type: "gate-requested", ticket: B, step: "press it" });
  sim.report({ type: "gate-writing", ticket: B });
  sim.endAttempt(A, "done");
  expect(stateOf(sim.state, B).openDeps).toBe(0);
  expect(sim.state.ready).toEqual([]);
  expect(decide(sim.state, 99_000).filter((action) => action.do === "start")).toEqual([]);
});

test("what the tripwire holds against the next engine is kept as it was, and not made up where there is none", () => {
  const first = new Simulation(batchOf([ticketOf("A")])).events[0] as Extract<RunEvent, { type: "run-started" }>;
  const frozen = { oracle: "1", batch: "2", limits: "3", guard: "4", sandbox: "5", tripwire: "6" };
  expect(reduce(undefined, { ...first, frozen }).frozen).toEqual(frozen);
  expect(reduce(undefined, first).frozen).toBeUndefined();
});

test.each(["Z", "constructor", "__proto__"])("an id that is not in the batch is no ticket: %s", (id) => {
  const { state } = new Simulation(batchOf([ticketOf("A")]));
  expect(() => ticketIndex(state, id as TicketId)).toThrow(new RangeError(`no ticket "${id}" in this batch`));
});
