import { describe, expect, test } from "vitest";
import { admitCommand } from "../../../src/domain/run/admit.ts";
import { HumanStep } from "../../../src/domain/run/command.ts";
import type { RunFact } from "../../../src/domain/run/event.ts";
import { activeTickets, freeSlots, type RunState, ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { decide } from "../../../src/domain/schedule/decide.ts";
import { type Fence, RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { claimed } from "../claimed-run.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const repo = RepoId.parse("app");
const id = (n: number) => TicketId.parse(`T-${n}`);
const [T1, T2, T3] = [id(1), id(2), id(3)];
const of = { ticket: T1, fence: 1 as Fence };
const now = (state: RunState) => decide(state, state.lastEventAt);
const starts = (state: RunState) => now(state).flatMap((action) => (action.do === "start" ? [[action.ticket, action.slot]] : []));

/** A run of this many tickets that wait for nobody, with as many at work as there are workers. */
function running(tickets: number, workers: number): Simulation {
  const sim = new Simulation(
    batchOf(
      Array.from({ length: tickets }, (_, i) => ticketOf(`T-${i + 1}`)),
      { workers },
    ),
  );
  sim.decide();
  return sim;
}

describe("an attempt leaves its slot", () => {
  const ways: readonly (readonly [string, RunFact])[] = [
    ["its agent has ended", { type: "agent-ended", ...of, ending: "exited", exitCode: 0, signal: null, costUsd: 0 }],
    ["its agent failed", { type: "agent-ended", ...of, ending: "silent", exitCode: null, signal: "SIGKILL", costUsd: 0 }],
    ["it goes on from a captured change", { type: "change-captured", ...of, tip: "t", files: 1, additions: 0, deletions: 0 }],
    ["it goes on from what has landed", { type: "merge-intended", ...of, repo, from: "a", to: "b" }],
  ];

  test.for(ways)("once %s: the slot is free, the attempt is not over", ([, fact]) => {
    const sim = claimed();
    sim.report(fact);
    expect(sim.state).toMatchObject({ slots: [null, null, null], finishing: [0], held: { db: T1 } });
    expect(stateOf(sim.state, T1).attempt).toMatchObject({ slot: 1, slotLeftAt: sim.state.lastEventAt });
    expect(activeTickets(sim.state).map((ticket) => ticket.id)).toEqual([T1]);
  });

  test.for([
    { type: "worktree-ready", ...of, path: "/w", branch: "b", baseSha: "s" },
    { type: "agent-launching", ...of },
    { type: "agent-started", ...of, pid: 7, startTime: "9" },
    { type: "activity", ...of, text: "hello", lines: 1 },
    { type: "kill-requested", ...of, ending: "killed-by-person" },
  ] as const satisfies RunFact[])("not at $type", (fact) => {
    const sim = claimed();
    sim.report(fact);
    expect(sim.state).toMatchObject({ slots: [null, 0, null], finishing: [] });
    expect(stateOf(sim.state, T1).attempt?.slotLeftAt).toBeUndefined();
  });

  test("once: what another agent has there by then is not touched, by no later fact and not by the end", () => {
    const sim = running(3, 1);
    sim.endAgent(T1);
    const leftAt = sim.state.lastEventAt;
    sim.decide();
    const later: RunFact[] = [
      { type: "change-captured", ...of, tip: "t", files: 1, additions: 0, deletions: 0 },
      { type: "step-started", ...of, step: 0, kind: "merge", name: "merge" },
      { type: "merge-intended", ...of, repo, from: "a", to: "b" },
      { type: "merge-waiting", ...of, reason: "dirty" },
      { type: "merge-intended", ...of, repo, from: "a", to: "c" },
      { type: "merge-landed", ...of, repo, from: "a", to: "c" },
      { type: "step-ended", ...of, step: 0, ok: true, summary: "" },
    ];
    for (const fact of later) {
      sim.report(fact);
      expect([fact.type, sim.state.slots, sim.state.finishing]).toEqual([fact.type, [1], [0]]);
    }
    sim.report({ type: "attempt-ended", ...of, outcome: "done" });
    expect(sim.state).toMatchObject({ slots: [1], finishing: [] });
    const { attempt, history } = stateOf(sim.state, T1);
    expect(attempt).toBeUndefined();
    expect(history).toMatchObject([{ slot: 0, slotLeftAt: leftAt, endedAt: sim.state.lastEventAt }]);
  });

  test("at its end, where it never got as far", () => {
    const sim = claimed();
    sim.report({ type: "attempt-ended", ...of, outcome: "lost" });
    expect(sim.state).toMatchObject({ slots: [null, null, null], finishing: [] });
    expect(stateOf(sim.state, T1).history).toMatchObject([{ slotLeftAt: sim.state.lastEventAt }]);
  });

  test("and of several that are being finished, one that ends leaves the others", () => {
    const sim = running(3, 3);
    for (const ticket of [T2, T1, T3]) sim.endAgent(ticket);
    expect(sim.state.finishing).toEqual([1, 0, 2]);
    expect(activeTickets(sim.state).map((ticket) => ticket.id)).toEqual([T2, T1, T3]);
    sim.endAttempt(T1, "done");
    expect(sim.state.finishing).toEqual([1, 2]);
  });
});

describe("free slots", () => {
  test("are those without an agent, by number", () => {
    const sim = running(3, 3);
    expect(freeSlots(sim.state)).toEqual([]);
    sim.endAgent(T3);
    sim.endAgent(T1);
    expect(freeSlots(sim.state)).toEqual([0, 2]);
  });

  test.for([1, 2, 4])(
    "with %i workers: two attempts per worker are under way at most, and one that ends lets one start",
    (workers) => {
      const sim = running(5 * workers, workers);
      for (let n = 1; n <= workers; n++) sim.endAgent(id(n));
      expect(sim.decide().filter((action) => action.do === "start")).toHaveLength(workers);
      expect(activeTickets(sim.state)).toHaveLength(2 * workers);
      for (let n = workers + 1; n <= 2 * workers; n++) sim.endAgent(id(n));
      expect(sim.state.slots).toEqual(new Array(workers).fill(null));
      expect(freeSlots(sim.state)).toEqual([]);
      expect(starts(sim.state)).toEqual([]);
      sim.endAttempt(T1, "done");
      expect(freeSlots(sim.state)).toEqual([0]);
      expect(starts(sim.state)).toEqual([[id(2 * workers + 1), 0]]);
    },
  );

  test("are fewer by the agents in slots beyond those that are wanted", () => {
    const { state } = running(7, 1);
    expect(freeSlots({ ...state, workers: 2, slots: [null, null, 5], finishing: [] })).toEqual([0]);
  });

  test("where more is under way than may be, none: not a negative number of them", () => {
    const { state } = running(7, 1);
    const three = { ...state, workers: 3, slots: [null, null, null] };
    expect(freeSlots({ ...state, slots: [null], finishing: [0, 1, 2] })).toEqual([]);
    expect(freeSlots({ ...three, finishing: [0, 1, 2, 3, 4] })).toHaveLength(1);
    expect(freeSlots({ ...three, finishing: [0, 1, 2, 3, 4, 5, 6] })).toEqual([]);
  });
});

describe("what is being finished", () => {
  const finishing = () => {
    const sim = running(1, 1);
    sim.endAgent(T1);
    return sim;
  };

  test("is waited for before the run is re-verified, judged or ended", () => {
    const sim = finishing();
    sim.report({
      type: "oracle-judged",
      final: false,
      judgement: { verdict: "done", counts: { done: 1, gated: 0, open: 0 }, open: [], durationMs: 1 },
    });
    expect(now(sim.state)).toEqual([]);
    sim.endAttempt(T1, "done");
    expect(now(sim.state)).toEqual([{ do: "reverify" }]);
  });

  test("is waited for by a stop, which calls it off", () => {
    const sim = finishing();
    for (const fact of admitCommand(sim.state, { type: "stop" })) sim.report(fact);
    expect(now(sim.state)).toEqual([{ do: "abort", ...of, ending: "stopped" }]);
    sim.endAttempt(T1, "stopped");
    expect(now(sim.state)).toMatchObject([{ do: "end", exitCode: 130 }]);
  });

  test("can be killed: its worker is cancelled, and the next attempt has the slot", () => {
    const sim = finishing();
    for (const fact of admitCommand(sim.state, { type: "kill", ticket: T1 })) sim.report(fact);
    expect(now(sim.state)).toContainEqual({ do: "abort", ...of, ending: "killed-by-person" });
    sim.endAttempt(T1, "killed");
    expect(sim.state).toMatchObject({ slots: [null], finishing: [] });
    expect(starts(sim.state)).toEqual([[T1, 0]]);
  });

  test("can be gated: it is cancelled, and the gate is written when it has ended", () => {
    const sim = finishing();
    for (const fact of admitCommand(sim.state, { type: "gate", ticket: T1, step: HumanStep.parse("x") })) sim.report(fact);
    expect(now(sim.state).filter((action) => action.do !== "judge")).toEqual([{ do: "abort", ...of, ending: "gated-by-person" }]);
    sim.endAttempt(T1, "gated");
    expect(now(sim.state)).toContainEqual({ do: "write-gate", ticket: T1, step: "x" });
    expect(sim.state.finishing).toEqual([]);
  });

  test("keeps its exclusive resources, so that a free slot is not enough for who needs one of them", () => {
    const db = { exclusive: ["db"] };
    const sim = new Simulation(batchOf([ticketOf("T-1", db), ticketOf("T-2", db), ticketOf("T-3")], { workers: 1 }));
    sim.decide();
    sim.endAgent(T1);
    expect(starts(sim.state)).toEqual([[T3, 0]]);
    sim.endAttempt(T1, "done");
    expect(starts(sim.state)).toEqual([[T2, 0]]);
  });

  test("sets no money aside any more: what its agent cost is spent", () => {
    const agent = { kind: "command" as const, command: ["x"], usdPerAttempt: 2 };
    const sim = new Simulation({ ...batchOf([ticketOf("T-1"), ticketOf("T-2")], { usdPerRun: 4, workers: 1 }), agent });
    sim.decide();
    sim.endAgent(T1);
    expect(sim.state).toMatchObject({ spentUsd: 2, reservedUsd: 0 });
    expect(starts(sim.state)).toEqual([[T2, 0]]);
  });

  test("is over for good when its attempt is: a lost engine's is neither counted nor left behind", () => {
    const sim = finishing();
    sim.report({ type: "run-resumed", orphansKilled: 0 });
    expect(sim.state.finishing).toEqual([0]);
    sim.report({ type: "attempt-ended", ...of, outcome: "lost" });
    expect(sim.state).toMatchObject({ slots: [null], finishing: [], counts: { waiting: 1 } });
    expect(starts(sim.state)).toEqual([[T1, 0]]);
  });
});
