import { expect, test } from "vitest";
import type { StepKind } from "../../../src/domain/batch/step-spec.ts";
import { isActivity, mayWait, type RunFact } from "../../../src/domain/run/event.ts";

/** Whether a fact may reach the disk late. Every type and every step stands here: a new one must be thought about. */
const WAITS: Record<RunFact["type"], boolean | Record<StepKind, boolean>> = {
  "run-started": false,
  "run-resumed": false,
  "run-paused": false,
  "run-unpaused": false,
  "stop-requested": false,
  "run-ended": false,
  "command-refused": false,
  intervention: false,
  "workers-set": false,
  "attempt-claimed": false,
  "worktree-ready": true,
  "agent-launching": false,
  "agent-started": false,
  activity: true,
  "kill-requested": false,
  "agent-ended": false,
  "base-failing": true,
  "work-kept": false,
  "work-not-kept": false,
  "change-captured": true,
  "step-started": { gates: true, check: false, review: false, adversary: false, merge: true, verify: false, assert: false },
  "step-ended": true,
  "merge-waiting": false,
  "merge-intended": false,
  "merge-landed": true,
  "attempt-ended": false,
  "outage-started": true,
  "outage-continues": true,
  "outage-ended": false,
  "live-check-started": false,
  "live-check-ended": false,
  "revert-started": false,
  "revert-intended": false,
  "revert-landed": false,
  "revert-waiting": false,
  "revert-ended": false,
  "revert-failed": false,
  "revert-stopped": false,
  "step-retried": false,
  "reviewer-asked": false,
  "reviewer-answered": false,
  "outbox-refused": false,
  "blocker-claimed": false,
  "blocker-ruled": false,
  "discovery-refused": false,
  "ticket-discovered": false,
  "discovery-filed": false,
  "backoff-started": false,
  "gate-requested": false,
  "gate-writing": false,
  "gate-postponed": false,
  "ticket-gated": false,
  "ticket-stalled": false,
  "ticket-retried": false,
  "ticket-reopened": false,
  "report-dropped": false,
  "others-spent-today": false,
  "day-spend-unknown": false,
  "exclusive-awaited": false,
  "exclusive-freed": false,
  "ticket-added": false,
  "batch-changed": false,
  "reverify-started": false,
  "reverify-ended": false,
  "tripwire-started": false,
  "tripwire-ended": false,
  "oracle-asked": false,
  "oracle-judged": false,
  "fingerprints-recorded": false,
  "act-observed": false,
  "tracker-read": false,
  "tracker-writing": false,
  "tracker-written": true,
  "tracker-drifted": false,
  "tracker-others": false,
  "heal-asked": false,
  "heal-dropped": false,
  "heal-started": false,
  "heal-agent-started": false,
  "heal-ended": false,
  "heal-keeping": false,
  "heal-kept": false,
};

const rows = Object.entries(WAITS).flatMap(([type, waits]): (readonly [string, object, boolean])[] =>
  typeof waits === "boolean"
    ? [[type, { type }, waits]]
    : Object.entries(waits).map(([kind, its]) => [`${type} of ${kind}`, { type, kind }, its] as const),
);

test.for(rows)("%s", ([, fact, waits]) => {
  expect(mayWait(fact as RunFact)).toBe(waits);
});

test("what an agent says is the only fact that is mere activity", () => {
  expect(Object.keys(WAITS).filter((type) => isActivity({ type } as RunFact))).toEqual(["activity"]);
});
