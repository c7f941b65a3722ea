import { expect, test } from "vitest";
import { countFixAndProceed } from "../../../src/domain/results/fix-and-proceed.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import type { Attempt } from "../../../src/domain/run/ticket-state.ts";
import { keptWorkLines, workToKeep } from "../../../src/domain/run/work-to-keep.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");

/** A run whose agent has finished a change. */
function finished(): Simulation {
  const sim = new Simulation(batchOf([ticketOf("T-1")]));
  sim.decide();
  sim.report({ type: "worktree-ready", ...sim.of(T1), path: "/w", branch: "b", baseSha: "a" });
  sim.endAgent(T1);
  sim.report({ type: "change-captured", ...sim.of(T1), tip: "tip", files: 1, additions: 1, deletions: 0 });
  return sim;
}

function rewrite(sim: Simulation): void {
  sim.report({ type: "tracker-drifted", ticket: T1, change: { kind: "rewritten", title: "T-1", body: "the opposite" } });
}

const postpone = (sim: Simulation) => sim.report({ type: "attempt-ended", ...sim.of(T1), outcome: "stopped" });
const pendingWork = (sim: Simulation) => stateOf(sim.state, T1).pendingWork;

test("finished work that waits does not land for a ticket that a person has rewritten: an agent gets the new text", () => {
  const sim = finished();
  postpone(sim);
  expect(pendingWork(sim)).toMatchObject({ tip: "tip" });
  rewrite(sim);
  expect(pendingWork(sim)).toBeUndefined();
});

test("nor does work that is postponed after the person has rewritten it", () => {
  const sim = finished();
  rewrite(sim);
  postpone(sim);
  expect(pendingWork(sim)).toBeUndefined();
});

test("work that was set aside stays on a branch of its own", () => {
  const sim = finished();
  postpone(sim);
  rewrite(sim);
  expect(keptWorkLines(stateOf(sim.state, T1))).toEqual(["attempt 1: work kept on loopdash/test-run/T-1@1 (1 file)"]);
  const postponed = finished();
  rewrite(postponed);
  expect(workToKeep(stateOf(postponed.state, T1).attempt as Attempt, "stopped")).toBe("change");
});

test("a change that lands after the new text, and is not live, is known to be for the old one", () => {
  const sim = finished();
  rewrite(sim);
  const move = { repo: RepoId.parse("app"), from: "a", to: "landed" };
  sim.report({ type: "merge-intended", ...sim.of(T1), ...move });
  sim.report({ type: "merge-landed", ...sim.of(T1), ...move });
  const evidence = { step: "verify", name: "live", summary: "it is down", detail: "" } as const;
  sim.report({ type: "attempt-ended", ...sim.of(T1), outcome: "landed", evidence });
  expect(stateOf(sim.state, T1).live).toMatchObject({ sha: "landed", rewritten: true });
});

test("failures before the new text were not fixed without a person", () => {
  const sim = finished();
  sim.endAttempt(T1, "failed");
  rewrite(sim);
  sim.decide();
  sim.endAttempt(T1, "done");
  expect(countFixAndProceed(sim.state)).toMatchObject({ failedCheck: 0 });
});

test("what has landed before stays landed", () => {
  const sim = finished();
  sim.report({ type: "merge-landed", ...sim.of(T1), repo: RepoId.parse("app"), from: "a", to: "landed" });
  rewrite(sim);
  postpone(sim);
  rewrite(sim);
  expect(pendingWork(sim)).toMatchObject({ landed: { to: "landed" } });
});
