import { describe, expect, test } from "vitest";
import type { Judgement, RunFact, VerdictWord } from "../../../src/domain/run/event.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import { decide, INTERIM_MS } from "../../../src/domain/schedule/decide.ts";
import { type Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, honestJudgement, Simulation, ticketOf } from "../simulate.ts";

const [T1, T2, T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];

const answer = (verdict: VerdictWord, over: Partial<Judgement> = {}): Judgement => ({
  verdict,
  counts: { done: 1, gated: 0, open: 0 },
  open: [],
  durationMs: 1,
  ...over,
});

/** A run after these facts. */
function after(sim: Simulation, ...facts: RunFact[]): Simulation {
  for (const fact of facts) sim.report(fact);
  return sim;
}

/** Does what is decided, at this state's own time. */
const now = (state: RunState) => decide(state, state.lastEventAt);

/** One ticket, done and re-verified. */
function settled(problem?: string): Simulation {
  const sim = new Simulation(batchOf([ticketOf("T-1")]));
  sim.decide();
  sim.report({ type: "oracle-judged", final: false, judgement: honestJudgement(sim.state) });
  sim.endAttempt(T1, "done");
  return after(sim, { type: "reverify-ended", reopened: 0, ...(problem === undefined ? {} : { problem }) });
}

describe("while the world is looked at", () => {
  test("nothing starts and nothing is concluded, re-verifying or judging, until that is over", () => {
    const open = () => new Simulation(batchOf([ticketOf("T-1")]));
    expect(now(after(open(), { type: "reverify-started" }).state)).toEqual([]);
    expect(now(after(open(), { type: "oracle-asked", final: true }).state)).toEqual([]);
    expect(now(after(settled(), { type: "oracle-asked", final: true }).state)).toEqual([]);
  });

  test("a run that has ended decides nothing", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    after(sim, { type: "run-ended", kind: "interrupted", verdict: "not-done", exitCode: 130, reason: "" });
    expect(now(sim.state)).toEqual([]);
  });

  test("a judgement that somebody asked for is waited for before the last one", () => {
    expect(now(after(settled(), { type: "oracle-asked", final: false }).state)).toEqual([]);
  });
});

describe("ends", () => {
  const final = (judgement: Judgement): RunFact => ({ type: "oracle-judged", final: true, judgement });

  test("done, not done, unjudged: kind, verdict, exit code and reason belong together", () => {
    const [done] = now(after(settled(), final(answer("done"))).state);
    expect(done).toEqual({ do: "end", kind: "oracle-done", verdict: "done", exitCode: 0, reason: "1 done" });
    const [open] = now(after(settled(), final(answer("not-done", { open: [T1] }))).state);
    expect(open).toMatchObject({ kind: "not-done", verdict: "not-done", exitCode: 1 });
    const dumb = settled();
    expect(now(after(dumb, final(answer("unjudged", { problem: "down" }))).state)).toEqual([{ do: "judge", final: true }]);
    dumb.giveUp("oracle", "down");
    const [unjudged] = now(dumb.state);
    expect(unjudged).toMatchObject({ do: "end", kind: "unjudged", verdict: "unjudged", exitCode: 3 });
  });

  test.for(["done", "not-done", "unjudged"] as const)("after a re-verification that failed, %s ends nothing", (verdict) => {
    expect(now(after(settled("down"), final(answer(verdict))).state)).toEqual([{ do: "reverify" }]);
  });

  test.for([
    ["person", "stopped by a person; the same command continues from here"],
    ["signal", "stopped by a signal; the same command continues from here"],
  ] as const)("a stop by a %s", ([by, reason]) => {
    const sim = after(new Simulation(batchOf([ticketOf("T-1")])), { type: "stop-requested", by });
    expect(now(sim.state)).toEqual([{ do: "end", kind: "interrupted", verdict: "not-done", exitCode: 130, reason }]);
  });

  test("a stop waits for workers, for a gate that is being written, and for what is to be given up", () => {
    const gated = new Simulation(batchOf([ticketOf("T-1")]));
    after(
      gated,
      { type: "gate-requested", ticket: T1, step: "x" },
      { type: "gate-writing", ticket: T1 },
      { type: "stop-requested", by: "person" },
    );
    expect(now(gated.state)).toEqual([]);
    const out = new Simulation(batchOf([ticketOf("T-1")], { attempts: 1 }));
    out.decide();
    after(out, { type: "stop-requested", by: "person" });
    out.endAttempt(T1, "failed");
    expect(now(out.state).map((action) => action.do)).toEqual(["stall"]);
  });
});

describe("reconciling", () => {
  test("a gate is written once, and not while the worker is still there", () => {
    const sim = after(new Simulation(batchOf([ticketOf("T-1")])), { type: "gate-requested", ticket: T1, step: "press" });
    const gates = () => now(sim.state).filter((action) => action.do === "write-gate");
    expect(gates()).toEqual([{ do: "write-gate", ticket: T1, step: "press" }]);
    after(sim, { type: "gate-writing", ticket: T1 });
    expect(gates()).toEqual([]);
    expect(now(sim.state).some((action) => action.do === "reverify" || action.do === "end")).toBe(false);
  });

  test("giving up says how many attempts failed and how the last did", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")], { attempts: 2 }));
    for (let i = 0; i < 2; i++) {
      sim.decide();
      sim.endAttempt(T1, "failed");
    }
    expect(now(sim.state)).toContainEqual({ do: "stall", ticket: T1, reason: "broken · 2 attempts failed" });
    const silent = new Simulation(batchOf([ticketOf("T-1")], { attempts: 1 }));
    silent.decide();
    after(silent, { type: "attempt-ended", ticket: T1, fence: 1 as Fence, outcome: "failed" });
    expect(now(silent.state)).toContainEqual({
      do: "stall",
      ticket: T1,
      reason: "no reason given · 1 attempt failed",
    });
  });

  test("of several to be given up or gated, settling one leaves the others", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3")], { attempts: 1 }));
    sim.decide();
    sim.endAttempt(T1, "failed");
    sim.endAttempt(T2, "failed");
    after(sim, { type: "ticket-stalled", ticket: T1, reason: "" });
    expect(sim.state.exhausted).toEqual([1]);
    const gated = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")]));
    after(gated, { type: "gate-requested", ticket: T1, step: "a" }, { type: "gate-requested", ticket: T2, step: "b" });
    after(gated, { type: "ticket-gated", ticket: T1, step: "a" });
    expect(gated.state.gating).toEqual([1]);
  });

  test("whatever moves a ticket asks for a new re-verification", () => {
    const moves: RunFact[] = [
      { type: "gate-requested", ticket: T2, step: "x" },
      { type: "ticket-stalled", ticket: T2, reason: "x" },
      { type: "ticket-reopened", ticket: T1, evidence: { step: "verify", name: "live", summary: "", detail: "" } },
      { type: "attempt-claimed", ticket: T2, fence: 9 as Fence, attempt: 1, slot: 1, reservedUsd: 0 },
    ];
    for (const move of moves) {
      const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")], { workers: 2 }));
      after(sim, { type: "attempt-claimed", ticket: T1, fence: 1 as Fence, attempt: 1, slot: 0, reservedUsd: 0 });
      after(sim, { type: "attempt-ended", ticket: T1, fence: 1 as Fence, outcome: "done" });
      after(sim, { type: "reverify-ended", reopened: 0 });
      expect(sim.state.reverified).toBe(true);
      expect([move.type, after(sim, move).state.reverified]).toEqual([move.type, false]);
    }
  });
});

describe("pause", () => {
  test("holds a run open only while something could start; else the run goes to its end", () => {
    const held = after(new Simulation(batchOf([ticketOf("T-1")])), { type: "run-paused" });
    expect(now(held.state)).toEqual([{ do: "judge", final: false }]);
    const over = after(
      new Simulation(batchOf([ticketOf("T-1")])),
      { type: "ticket-gated", ticket: T1, step: "x" },
      { type: "run-paused" },
    );
    expect(now(over.state)).toEqual([{ do: "reverify" }]);
    const poor = {
      ...batchOf([ticketOf("T-1")], { usdPerRun: 1 }),
      agent: { kind: "command" as const, command: ["x"], usdPerAttempt: 2 },
    };
    expect(now(after(new Simulation(poor), { type: "run-paused" }).state)).toEqual([{ do: "reverify" }]);
  });
});

describe("interim judgements", () => {
  const judged = () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3")], { workers: 2 }));
    sim.decide();
    return after(sim, { type: "oracle-judged", final: false, judgement: honestJudgement(sim.state) });
  };
  const judges = (state: RunState, at: number) => decide(state, at).filter((action) => action.do === "judge");

  test("follow a ticket that was done or gated, not before their time, and one at a time", () => {
    const sim = judged();
    const due = (sim.state.oracle.last?.at ?? 0) + INTERIM_MS;
    expect(judges(sim.state, due)).toEqual([]);
    after(sim, { type: "ticket-gated", ticket: T3, step: "x" });
    expect(judges(sim.state, due - 1)).toEqual([]);
    expect(judges(sim.state, due)).toEqual([{ do: "judge", final: false }]);
    after(sim, { type: "oracle-asked", final: false });
    expect(judges(sim.state, due)).toEqual([]);
    const done = judged();
    done.endAttempt(T1, "done");
    expect(judges(done.state, due)).toEqual([{ do: "judge", final: false }]);
  });
});

test("slots are filled by number, past those that are taken", () => {
  const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3")], { workers: 3 }));
  after(sim, { type: "attempt-claimed", ticket: T2, fence: 1 as Fence, attempt: 1, slot: 1, reservedUsd: 0 });
  const starts = now(sim.state).filter((action) => action.do === "start");
  expect(starts.map(({ ticket, slot, index }) => [ticket, slot, index])).toEqual([
    [T1, 0, 0],
    [T3, 2, 2],
  ]);
});

test("two exclusive resources are held side by side, and work that failed its finish line upholds no claim", () => {
  const sim = new Simulation(batchOf([ticketOf("T-1", { exclusive: ["db"] }), ticketOf("T-2", { exclusive: ["net"] })]));
  sim.decide();
  expect(sim.state.held).toEqual({ db: T1, net: T2 });
  after(sim, { type: "attempt-ended", ticket: T1, fence: 1 as Fence, outcome: "done" });
  expect(sim.state.claims).toEqual({ made: 0, upheld: 0 });
});
