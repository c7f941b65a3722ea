import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../../src/domain/run/event.ts";
import { reduce } from "../../../src/domain/run/reduce.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { type Fence, RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { claimed } from "../claimed-run.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const T2 = TicketId.parse("T-2");
const repo = RepoId.parse("app");
const of = { ticket: T1, fence: 1 as Fence };
const evidence = (summary: string) => ({ step: "check", name: "unit", summary, detail: "" }) as const;

describe("the fold", () => {
  test("begins with run-started, goes on without gaps, and starts once", () => {
    const { events, state } = new Simulation(batchOf([ticketOf("T-1")]), undefined, undefined, "unproven");
    const first = events[0] as RunEvent;
    expect(() => reduce(undefined, { ...first, seq: 2 })).toThrow("a run begins with run-started");
    expect(() => reduce(undefined, { type: "run-paused", seq: 1, at: 1 })).toThrow("not run-paused");
    expect(() => reduce(state, { type: "run-paused", seq: 3, at: 1 })).toThrow("event 3 does not follow event 1");
    expect(() => reduce(state, { type: "run-paused", seq: 1, at: 1 })).toThrow("event 1 does not follow event 1");
    expect(() => reduce(state, { ...first, seq: 2 })).toThrow("a run starts once");
    expect(reduce(state, { type: "command-refused", command: { type: "pause" }, reason: "", seq: 2, at: 77 })).toEqual({
      ...state,
      seq: 2,
      lastEventAt: 77,
    });
  });

  test("never changes the state it is given", () => {
    const sim = claimed();
    const frozen = structuredClone(sim.state);
    const before = sim.state;
    sim.report({ type: "agent-launching", ...of });
    sim.report({ type: "attempt-ended", ...of, outcome: "failed", evidence: evidence("x") });
    expect(before).toEqual(frozen);
  });

  test("facts of an attempt that does not run are a broken journal", () => {
    const { state } = claimed();
    const seq = state.seq + 1;
    expect(() => reduce(state, { type: "agent-launching", ...of, fence: 2 as Fence, seq, at: 1 })).toThrow(
      "no attempt with fence 2",
    );
    expect(() => reduce(state, { type: "attempt-ended", ...of, fence: 2 as Fence, outcome: "done", seq, at: 1 })).toThrow(
      "fence 2",
    );
    expect(() => reduce(state, { type: "agent-launching", ticket: T2, fence: 1 as Fence, seq, at: 1 })).toThrow("no attempt");
  });
});

describe("at the start", () => {
  test("tickets that the tracker holds settled are settled, and free those that wait for them", () => {
    const { events } = new Simulation(
      batchOf([
        ticketOf("T-1"),
        ticketOf("T-2", { dependsOn: [T1] }),
        ticketOf("T-3"),
        ticketOf("T-4", { dependsOn: [TicketId.parse("T-3")] }),
      ]),
    );
    const settled = [
      { id: T1, as: "done" as const },
      { id: TicketId.parse("T-3"), as: "human-gated" as const, step: "press it" },
    ];
    const state = reduce(undefined, { ...(events[0] as Extract<RunEvent, { type: "run-started" }>), settled });
    expect(state.counts).toEqual({ waiting: 2, working: 0, finishing: 0, landed: 0, done: 1, "human-gated": 1, stalled: 0 });
    expect(state.ready).toEqual([1]);
    expect(stateOf(state, TicketId.parse("T-3")).humanStep).toBe("press it");
    expect(stateOf(state, TicketId.parse("T-4")).openDeps).toBe(1);
  });
});

describe("an attempt", () => {
  test("a claim takes slot, resource and money, and the place in the ready list", () => {
    const { state } = claimed();
    expect(state).toMatchObject({ slots: [null, 0, null], held: { db: "T-1" }, reservedUsd: 2, lastFence: 1, ready: [] });
    expect(stateOf(state, T1)).toMatchObject({
      phase: "working",
      attempt: { n: 1, slot: 1, reservedUsd: 2, lines: 0, passed: [] },
    });
    expect(state.counts).toMatchObject({ waiting: 1, working: 1 });
  });

  test("each fact leaves its mark", () => {
    const sim = claimed();
    const attempt = () => stateOf(sim.state, T1).attempt;
    sim.report({ type: "worktree-ready", ...of, path: "/w", branch: "b", baseSha: "s" });
    expect(attempt()?.worktree).toEqual({ path: "/w", branch: "b", baseSha: "s" });
    sim.report({ type: "agent-launching", ...of });
    const launchedAt = sim.state.lastEventAt;
    expect(attempt()).toMatchObject({ agent: { launchedAt }, lastOutputAt: launchedAt });
    sim.report({ type: "agent-started", ...of, pid: 7, startTime: "99" });
    expect(attempt()?.agent).toEqual({ launchedAt, pid: 7, startTime: "99" });
    sim.report({ type: "activity", ...of, text: "hello", lines: 3 });
    sim.report({ type: "activity", ...of, text: "bye", lines: 2 });
    expect(attempt()).toMatchObject({ lastLine: "bye", lines: 5, lastOutputAt: sim.state.lastEventAt });
    sim.report({ type: "kill-requested", ...of, ending: "killed-by-person" });
    sim.report({ type: "kill-requested", ...of, ending: "stopped" });
    expect(attempt()?.killing).toBe("killed-by-person");
    sim.report({ type: "agent-ended", ...of, ending: "exited", exitCode: 0, signal: null, costUsd: 1.5 });
    expect(attempt()?.agent).toEqual({
      launchedAt,
      pid: 7,
      startTime: "99",
      endedAt: sim.state.lastEventAt,
      ending: "exited",
      exitCode: 0,
      costUsd: 1.5,
    });
    expect(sim.state).toMatchObject({ spentUsd: 1.5, reservedUsd: 0, claims: { made: 1, upheld: 0 } });
    sim.report({ type: "change-captured", ...of, tip: "t", files: 1, additions: 2, deletions: 3 });
    expect(stateOf(sim.state, T1)).toMatchObject({
      phase: "finishing",
      attempt: { change: { tip: "t", files: 1, additions: 2, deletions: 3 } },
    });
  });

  test("steps: the running one, those that passed, and one that is judged again counts once", () => {
    const sim = claimed();
    const attempt = () => stateOf(sim.state, T1).attempt;
    const step = (index: number, ok = true) => {
      sim.report({ type: "step-started", ...of, step: index, kind: "check", name: `c${index}` });
      expect(attempt()?.step).toEqual({ index, kind: "check", name: `c${index}`, startedAt: sim.state.lastEventAt });
      sim.report({ type: "step-ended", ...of, step: index, ok, summary: "" });
      expect(attempt()?.step).toBeUndefined();
    };
    step(0);
    step(1);
    step(0);
    step(2, false);
    expect(attempt()?.passed.map((p) => p.index)).toEqual([1, 0]);
    expect(attempt()?.passed[0]).toEqual({ index: 1, kind: "check", name: "c1", ms: 10, byExitCode: true });
  });

  test("a merge: intended, waiting, intended, landed", () => {
    const sim = claimed();
    const attempt = () => stateOf(sim.state, T1).attempt;
    sim.report({ type: "merge-intended", ...of, repo, from: "a", to: "b" });
    expect(attempt()?.merge).toEqual({ from: "a", to: "b", landed: false });
    sim.report({ type: "merge-waiting", ...of, reason: "dirty" });
    expect(attempt()).toMatchObject({ waiting: "dirty" });
    expect(attempt()?.merge).toBeUndefined();
    sim.report({ type: "merge-intended", ...of, repo, from: "a", to: "c" });
    expect(attempt()?.waiting).toBeUndefined();
    expect(stateOf(sim.state, T1).mergedSha).toBeUndefined();
    sim.report({ type: "merge-waiting", ...of, reason: "dirty" });
    sim.report({ type: "merge-landed", ...of, repo, from: "a", to: "c" });
    expect(attempt()).toMatchObject({ merge: { from: "a", to: "c", landed: true } });
    expect(attempt()?.waiting).toBeUndefined();
    expect(stateOf(sim.state, T1).mergedSha).toBe("c");
  });

  test.for([
    ["done", 0, "done"],
    ["failed", 1, "waiting"],
    ["silent", 1, "waiting"],
    ["out-of-time", 1, "waiting"],
    ["killed", 1, "waiting"],
    ["gated", 0, "waiting"],
    ["stopped", 0, "waiting"],
    ["lost", 0, "waiting"],
  ] as const)("ended as %s: %i of the ticket's attempts are used up", ([outcome, failures, phase]) => {
    const sim = claimed();
    sim.report({ type: "attempt-ended", ...of, outcome, evidence: evidence("broke") });
    const ticket = stateOf(sim.state, T1);
    expect(ticket).toMatchObject({
      phase,
      failures,
      history: [{ n: 1, slot: 1, outcome, summary: "broke", claimed: false, costUsd: 0 }],
    });
    expect(ticket.attempt).toBeUndefined();
    expect(sim.state).toMatchObject({ slots: [null, null, null], held: {}, reservedUsd: 0, reverified: false });
    expect(sim.state.ready).toEqual(phase === "done" ? [1] : [0]);
    expect(ticket.endedAt).toBe(phase === "done" ? sim.state.lastEventAt : undefined);
  });

  test("its end frees its own resources and no others", () => {
    const sim = claimed([ticketOf("T-1", { exclusive: ["db"] }), ticketOf("T-2", { exclusive: ["net"] })]);
    sim.report({ type: "attempt-claimed", ticket: T2, fence: 2 as Fence, attempt: 1, slot: 0, reservedUsd: 0 });
    sim.report({ type: "attempt-ended", ...of, outcome: "failed" });
    expect(sim.state.held).toEqual({ net: "T-2" });
    expect(sim.state.slots).toEqual([1, null, null]);
  });

  test("money: a launched agent whose end nobody saw cost its reserve, one that was never launched cost nothing", () => {
    const seen = claimed();
    seen.report({ type: "attempt-ended", ...of, outcome: "lost" });
    expect(seen.state).toMatchObject({ spentUsd: 0, reservedUsd: 0 });
    const unseen = claimed();
    unseen.report({ type: "agent-launching", ...of });
    unseen.report({ type: "attempt-ended", ...of, outcome: "lost" });
    expect(unseen.state).toMatchObject({ spentUsd: 2, reservedUsd: 0 });
    expect(stateOf(unseen.state, T1)).toMatchObject({ costUsd: 2, history: [{ costUsd: 2 }] });
  });

  test("of an agent that exits non-zero or is ended nothing is claimed", () => {
    for (const [ending, exitCode] of [
      ["exited", 1],
      ["silent", 0],
      ["exited", null],
    ] as const) {
      const sim = claimed();
      sim.report({ type: "agent-launching", ...of });
      sim.report({ type: "agent-ended", ...of, ending, exitCode, signal: null, costUsd: 0 });
      expect(sim.state.claims.made).toBe(0);
    }
  });

  test("evidence of the last three tries is kept", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")], { attempts: 9 }));
    for (let n = 1; n <= 4; n++) {
      sim.report({ type: "attempt-claimed", ticket: T1, fence: n as Fence, attempt: n, slot: 0, reservedUsd: 0 });
      sim.report({ type: "attempt-ended", ticket: T1, fence: n as Fence, outcome: "failed", evidence: evidence(`try ${n}`) });
    }
    expect(stateOf(sim.state, T1).evidence.map((e) => e.summary)).toEqual(["try 2", "try 3", "try 4"]);
    expect(stateOf(sim.state, T1).history).toHaveLength(4);
  });

  test("a tracker that refuses Done costs an attempt; the next goes on from the landing", () => {
    const sim = claimed();
    const tree = { path: "/w", branch: "b", baseSha: "a" };
    sim.report({ type: "worktree-ready", ...of, ...tree });
    sim.report({ type: "change-captured", ...of, tip: "c", files: 1, additions: 1, deletions: 0 });
    const merge = { ...of, repo: RepoId.parse("app"), from: "a", to: "d" };
    sim.report({ type: "merge-intended", ...merge });
    sim.report({ type: "merge-landed", ...merge });
    sim.report({ type: "attempt-ended", ...of, outcome: "failed", evidence: { ...evidence("403"), step: "assert" } });
    expect([sim.state.ready, sim.state.exhausted]).toEqual([[0], []]);
    expect(stateOf(sim.state, of.ticket)).toMatchObject({
      failures: 1,
      pendingWork: { tip: "c", baseSha: "a", landed: { from: "a", to: "d" } },
    });
  });
});
