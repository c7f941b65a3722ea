import { describe, expect, test } from "vitest";
import type { RunFact } from "../../../src/domain/run/event.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { type Fence, RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { claimed } from "../claimed-run.ts";
import { batchOf, honestJudgement, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const T2 = TicketId.parse("T-2");
const repo = RepoId.parse("app");
const of = { ticket: T1, fence: 1 as Fence };
const evidence = (summary: string) => ({ step: "check", name: "unit", summary, detail: "" }) as const;

describe("work that was cut off", () => {
  const captured = (outcome: "stopped" | "lost" | "failed" | "killed", landed = false) => {
    const sim = claimed();
    const facts: RunFact[] = [
      { type: "worktree-ready", ...of, path: "/w", branch: "b", baseSha: "s" },
      { type: "agent-launching", ...of },
      { type: "agent-ended", ...of, ending: "exited", exitCode: 0, signal: null, costUsd: 0 },
      { type: "change-captured", ...of, tip: "t", files: 1, additions: 0, deletions: 0 },
      { type: "merge-intended", ...of, repo, from: "a", to: "c" },
    ];
    for (const fact of facts) sim.report(fact);
    if (landed) sim.report({ type: "merge-landed", ...of, repo, from: "a", to: "c" });
    sim.report({ type: "attempt-ended", ...of, outcome });
    return sim;
  };

  test("by a stop or a lost engine is gone on with; by a failure or a kill it is not", () => {
    expect(stateOf(captured("stopped").state, T1).pendingWork).toEqual({ tip: "t", files: 1, baseSha: "s", claimed: true });
    const landed = { from: "a", to: "c" };
    expect(stateOf(captured("lost", true).state, T1).pendingWork).toEqual({
      tip: "t",
      files: 1,
      baseSha: "s",
      claimed: true,
      landed,
    });
    expect(stateOf(captured("failed").state, T1).pendingWork).toBeUndefined();
    expect(stateOf(captured("killed").state, T1).pendingWork).toBeUndefined();
  });

  test("cut off a second time, before or after the landing, it is still there; once done it is not, and the claim is upheld", () => {
    const sim = captured("stopped");
    const again = { ticket: T1, fence: 2 as Fence };
    sim.report({ type: "attempt-claimed", ...again, attempt: 2, slot: 0, reservedUsd: 0 });
    sim.report({ type: "attempt-ended", ...again, outcome: "lost" });
    expect(stateOf(sim.state, T1).pendingWork).toEqual({ tip: "t", files: 1, baseSha: "s", claimed: true });
    const third = { ticket: T1, fence: 3 as Fence };
    sim.report({ type: "attempt-claimed", ...third, attempt: 3, slot: 0, reservedUsd: 0 });
    sim.report({ type: "merge-landed", ...third, repo, from: "a", to: "d" });
    sim.report({ type: "attempt-ended", ...third, outcome: "stopped" });
    expect(stateOf(sim.state, T1).pendingWork).toEqual({
      tip: "t",
      files: 1,
      baseSha: "s",
      claimed: true,
      landed: { from: "a", to: "d" },
    });
    const last = { ticket: T1, fence: 4 as Fence };
    sim.report({ type: "attempt-claimed", ...last, attempt: 4, slot: 0, reservedUsd: 0 });
    sim.report({ type: "attempt-ended", ...last, outcome: "done" });
    expect(stateOf(sim.state, T1).pendingWork).toBeUndefined();
    expect(sim.state.claims).toEqual({ made: 1, upheld: 1 });
  });
});

describe("tickets outside their attempts", () => {
  test("a gate: asked for, being written, recorded", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")]));
    sim.report({ type: "gate-requested", ticket: T1, step: "press" });
    sim.report({ type: "gate-requested", ticket: T1, step: "press it" });
    expect(sim.state).toMatchObject({ gating: [0], ready: [1] });
    sim.report({ type: "gate-writing", ticket: T1 });
    expect(stateOf(sim.state, T1).gate).toEqual({ step: "press it", writing: true });
    sim.report({ type: "ticket-gated", ticket: T1, step: "press it" });
    expect(sim.state).toMatchObject({ gating: [], counts: { "human-gated": 1, waiting: 1 } });
    expect(stateOf(sim.state, T1)).toMatchObject({ phase: "human-gated", humanStep: "press it", endedAt: sim.state.lastEventAt });
    expect(stateOf(sim.state, T1).gate).toBeUndefined();
  });

  test("a stalled ticket that is gated is stalled no more", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    sim.report({ type: "ticket-stalled", ticket: T1, reason: "no luck" });
    expect(sim.state).toMatchObject({ ready: [], counts: { stalled: 1 } });
    expect(stateOf(sim.state, T1)).toMatchObject({ stalledReason: "no luck", endedAt: sim.state.lastEventAt });
    sim.report({ type: "ticket-gated", ticket: T1, step: "x" });
    expect(stateOf(sim.state, T1).stalledReason).toBeUndefined();
    expect(sim.state.counts).toMatchObject({ stalled: 0, "human-gated": 1 });
  });

  test("a gate that could not be recorded: the ticket is stalled and nothing is being written", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    sim.report({ type: "gate-requested", ticket: T1, step: "x" });
    sim.report({ type: "ticket-stalled", ticket: T1, reason: "403" });
    expect(sim.state.gating).toEqual([]);
    expect(stateOf(sim.state, T1).gate).toBeUndefined();
  });

  test("reopened: it counts as a failure, its dependents wait again, and a second word of it changes nothing", () => {
    const sim = claimed();
    sim.report({ type: "attempt-ended", ...of, outcome: "done" });
    expect(sim.state.ready).toEqual([1]);
    sim.report({ type: "ticket-reopened", ticket: T1, evidence: evidence("down") });
    const once = sim.state;
    expect(once).toMatchObject({ ready: [0], counts: { done: 0, waiting: 2 } });
    expect(once.incidents).toMatchObject([{ kind: "reopened", ticket: T1, summary: "down" }]);
    expect(once.incidents[0]?.endedAt).toBeUndefined();
    expect(stateOf(once, T1)).toMatchObject({ failures: 1, evidence: [{ summary: "down" }] });
    expect(stateOf(once, T1).endedAt).toBeUndefined();
    expect(stateOf(once, T2).openDeps).toBe(1);
    sim.report({ type: "ticket-reopened", ticket: T1, evidence: evidence("gone too") });
    expect({ ...sim.state, seq: 0, lastEventAt: 0 }).toEqual({ ...once, seq: 0, lastEventAt: 0 });
  });

  test.for([
    ["because its commit is gone, it has landed nothing", "merge", undefined],
    ["because a verification fails, it has landed what it had", "verify", "c"],
  ] as const)("reopened %s", ([, step, mergedSha]) => {
    const sim = claimed();
    sim.report({ type: "merge-intended", ...of, repo, from: "a", to: "c" });
    sim.report({ type: "merge-landed", ...of, repo, from: "a", to: "c" });
    sim.report({ type: "attempt-ended", ...of, outcome: "done" });
    sim.report({ type: "ticket-reopened", ticket: T1, evidence: { step, name: step, summary: "x", detail: "" } });
    expect(stateOf(sim.state, T1).mergedSha).toBe(mergedSha);
  });

  test("a dependent that is at work when its dependency is reopened goes on, and waits for it only if it fails", () => {
    const sim = claimed();
    sim.report({ type: "attempt-ended", ...of, outcome: "done" });
    const second = { ticket: T2, fence: 2 as Fence };
    sim.report({ type: "attempt-claimed", ...second, attempt: 1, slot: 0, reservedUsd: 0 });
    sim.report({ type: "ticket-reopened", ticket: T1, evidence: evidence("down") });
    expect(stateOf(sim.state, T2).phase).toBe("working");
    sim.report({ type: "attempt-ended", ...second, outcome: "failed" });
    expect(sim.state.ready).toEqual([0]);
    sim.report({ type: "attempt-claimed", ticket: T1, fence: 3 as Fence, attempt: 2, slot: 0, reservedUsd: 0 });
    sim.report({ type: "attempt-ended", ticket: T1, fence: 3 as Fence, outcome: "done" });
    expect(sim.state.ready).toEqual([1]);
  });
});

describe("the run", () => {
  test("pause, judge, re-verify, stop, end", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    sim.report({ type: "run-paused" });
    expect(sim.state.paused).toBe(true);
    sim.report({ type: "run-unpaused" });
    expect(sim.state.paused).toBe(false);
    sim.report({ type: "oracle-asked", final: false });
    expect(sim.state).toMatchObject({ stage: "working", oracle: { asking: true } });
    sim.report({ type: "oracle-judged", final: false, judgement: honestJudgement(sim.state) });
    expect(sim.state.oracle).toMatchObject({
      asking: false,
      judged: 1,
      finalJudgements: 0,
      last: { final: false, at: sim.state.lastEventAt },
    });
    sim.report({ type: "reverify-started" });
    expect(sim.state.stage).toBe("verifying");
    sim.report({ type: "reverify-ended", reopened: 1, problem: "half" });
    expect(sim.state).toMatchObject({ stage: "working", reverified: false, reverifyProblem: "half" });
    sim.report({ type: "reverify-ended", reopened: 0 });
    expect(sim.state.reverified).toBe(true);
    expect(sim.state.reverifyProblem).toBeUndefined();
    sim.report({ type: "oracle-asked", final: true });
    expect(sim.state.stage).toBe("judging");
    sim.report({ type: "oracle-judged", final: true, judgement: honestJudgement(sim.state) });
    expect(sim.state).toMatchObject({ stage: "working", oracle: { finalJudgements: 1, judged: 2 } });
    sim.report({ type: "reverify-ended", reopened: 0 });
    expect(sim.state.oracle.finalJudgements).toBe(0);
    sim.report({ type: "stop-requested", by: "signal" });
    sim.report({ type: "stop-requested", by: "person" });
    expect(sim.state).toMatchObject({ stage: "stopping", stopBy: "signal" });
    sim.report({ type: "reverify-ended", reopened: 0 });
    sim.report({ type: "oracle-judged", final: true, judgement: honestJudgement(sim.state) });
    expect(sim.state.stage).toBe("stopping");
    sim.report({ type: "run-ended", kind: "interrupted", verdict: "not-done", exitCode: 130, reason: "r" });
    expect(sim.state).toMatchObject({
      stage: "ended",
      end: { kind: "interrupted", exitCode: 130, reason: "r", at: sim.state.lastEventAt },
    });
    expect(sim.report({ type: "run-paused" })).toBe(false);
  });

  test("taken over: the stop, the pause, the judgement and the half-written gate of the last engine are over", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")]));
    sim.report({ type: "gate-requested", ticket: T1, step: "x" });
    sim.report({ type: "gate-writing", ticket: T1 });
    sim.report({ type: "run-paused" });
    sim.report({ type: "reverify-ended", reopened: 0 });
    sim.report({ type: "oracle-asked", final: true });
    sim.report({ type: "oracle-judged", final: true, judgement: honestJudgement(sim.state) });
    sim.report({ type: "oracle-asked", final: true });
    sim.report({ type: "stop-requested", by: "signal" });
    sim.report({ type: "run-ended", kind: "interrupted", verdict: "not-done", exitCode: 130, reason: "r" });
    expect(sim.report({ type: "run-resumed", orphansKilled: 0 })).toBe(true);
    expect(sim.state).toMatchObject({
      stage: "working",
      paused: false,
      reverified: false,
      resumes: 1,
      gating: [0],
      oracle: { asking: false, finalJudgements: 0, judged: 1 },
    });
    expect([sim.state.end, sim.state.stopBy]).toEqual([undefined, undefined]);
    expect(stateOf(sim.state, T1).gate).toEqual({ step: "x", writing: false });
  });

  test("by the engine itself leaves what people had decided: a pause stays", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    sim.report({ type: "run-paused" });
    sim.report({ type: "oracle-asked", final: false });
    sim.report({ type: "run-resumed", orphansKilled: 0, by: "engine" });
    expect(sim.state).toMatchObject({ stage: "working", paused: true, resumes: 1, interventions: [], oracle: { asking: false } });
  });
});
