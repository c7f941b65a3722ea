import { describe, expect, test } from "vitest";
import type { AttemptOutcome } from "../../src/domain/run/attempt-fact.ts";
import type { RunFact } from "../../src/domain/run/event.ts";
import { ticketById as stateOf } from "../../src/domain/run/state.ts";
import { type Fence, RepoId, TicketId, unfitForBranch } from "../../src/domain/values/ids.ts";
import { claimed } from "./claimed-run.ts";
import { batchOf, Simulation, ticketOf } from "./simulate.ts";

const T1 = TicketId.parse("T-1");
const repo = RepoId.parse("app");
const of = { ticket: T1, fence: 1 as Fence };
const again = { ticket: T1, fence: 2 as Fence };
const failedAt = (step: "assert" | "verify") => ({ step, name: step, summary: "down", detail: "" }) as const;

describe("a landing that the tracker could not be told", () => {
  const captured = (...more: readonly RunFact[]): Simulation => {
    const sim = claimed();
    const facts: RunFact[] = [
      { type: "worktree-ready", ...of, path: "/w", branch: "b", baseSha: "s" },
      { type: "agent-launching", ...of },
      { type: "agent-ended", ...of, ending: "exited", exitCode: 0, signal: null, costUsd: 0 },
      { type: "change-captured", ...of, tip: "t", files: 1, additions: 0, deletions: 0 },
    ];
    for (const fact of [...facts, ...more]) sim.report(fact);
    return sim;
  };
  const intended: RunFact = { type: "merge-intended", ...of, repo, from: "a", to: "c" };
  const landed: RunFact = { type: "merge-landed", ...of, repo, from: "a", to: "c" };
  const ended = (outcome: AttemptOutcome, step: "assert" | "verify"): RunFact => {
    return { type: "attempt-ended", ...of, outcome, evidence: failedAt(step) };
  };
  const left = (sim: Simulation) => stateOf(sim.state, T1).pendingWork;
  const work = { tip: "t", files: 1, baseSha: "s", claimed: true };

  test("stays claimed by its agent where who goes on from it, without one, is cut off as well", () => {
    const sim = captured(ended("lost", "assert"));
    const facts: RunFact[] = [
      { type: "attempt-claimed", ...again, attempt: 2, slot: 0, reservedUsd: 0 },
      { type: "worktree-ready", ...again, path: "/w", branch: "b", baseSha: "s" },
      { type: "change-captured", ...again, tip: "t", files: 1, additions: 0, deletions: 0 },
      { type: "attempt-ended", ...again, outcome: "lost" },
    ];
    for (const fact of facts) sim.report(fact);
    expect(left(sim)).toEqual(work);
  });

  test("is gone on from; what failed elsewhere, or never landed, or was killed, is not", () => {
    expect(left(captured(intended, landed, ended("failed", "assert")))).toEqual({ ...work, landed: { from: "a", to: "c" } });
    expect(left(captured(intended, landed, ended("failed", "verify")))).toBeUndefined();
    expect(left(captured(intended, landed, ended("killed", "assert")))).toBeUndefined();
    expect(left(captured(intended, ended("failed", "assert")))).toBeUndefined();
    expect(left(captured(ended("failed", "assert")))).toBeUndefined();
  });

  const second = (...first: readonly RunFact[]): Simulation => {
    const sim = captured(...first);
    sim.report({ type: "attempt-claimed", ...again, attempt: 2, slot: 0, reservedUsd: 0 });
    sim.report({ type: "attempt-ended", ...again, outcome: "failed", evidence: failedAt("assert") });
    return sim;
  };

  test("stays with the next attempt, which had nothing to land; what had not landed does not", () => {
    const lost: RunFact = { type: "attempt-ended", ...of, outcome: "lost" };
    expect(left(second(intended, landed, lost))).toEqual({ ...work, landed: { from: "a", to: "c" } });
    expect(left(second(intended, lost))).toBeUndefined();
  });
});

test("what other runs have spent today takes the place of what was known of it", () => {
  const sim = new Simulation(batchOf([ticketOf("T-1")]));
  const before = sim.state;
  sim.report({ type: "others-spent-today", usd: 3 });
  expect(sim.state).toEqual({ ...before, spentTodayUsd: 3, seq: before.seq + 1, lastEventAt: sim.state.lastEventAt });
  sim.report({ type: "others-spent-today", usd: 2 });
  expect(sim.state.spentTodayUsd).toBe(2);
});

test("an empty id is called so", () => {
  expect(unfitForBranch("")).toBe("it is empty");
});
