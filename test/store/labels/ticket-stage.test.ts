import { expect, test } from "vitest";
import { ticketById } from "../../../src/domain/run/state.ts";
import type { Attempt } from "../../../src/domain/run/ticket-state.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { describeEvents } from "../../../src/store/describe-event.ts";
import { attemptStage, awaitedStep, finishLine, mergeWait, passedSteps } from "../../../src/store/labels/progress-label.ts";
import { batchOf, RunBuilder } from "../run-builder.ts";

const A = TicketId.parse("A");
const MERGE = { repo: RepoId.parse("app"), from: "b".repeat(40), to: "c".repeat(40) };

const run = (): RunBuilder => new RunBuilder(batchOf({ tickets: [{ id: "A" }], limits: { workers: 1 } }));

/** What ticket A is at, the step it waits for, and the steps behind it. */
function look(runBuilder: RunBuilder) {
  const { attempt } = ticketById(runBuilder.state, A);
  if (attempt === undefined) throw new Error("nobody works on A");
  const finish = finishLine(runBuilder.state, A);
  return [attemptStage(attempt, finish).word, awaitedStep(attempt, finish)?.step, [...passedSteps(attempt, finish)]] as const;
}

test("a try is named by what it is at, from the worktree to the last step", () => {
  const of = run().claim("A");
  expect(look(of)).toEqual(["worktree", undefined, []]);
  of.of("A", { type: "prepare-started", command: "npm ci" });
  expect(look(of)).toEqual(["preparing", undefined, []]);
  of.of("A", { type: "worktree-ready", path: "/w", branch: "b", baseSha: "a".repeat(40) });
  expect(look(of)).toEqual(["prepare", undefined, []]);
  of.of("A", { type: "agent-launching" }, { type: "agent-started", pid: 1, startTime: "1" });
  expect(look(of)).toEqual(["agent", undefined, []]);
  of.of("A", { type: "agent-ended", ending: "exited", exitCode: 0, signal: null, costUsd: 0 });
  expect(look(of)).toEqual(["collecting", undefined, []]);
  of.of("A", { type: "change-captured", tip: "c".repeat(40), files: 1, additions: 1, deletions: 0 });
  expect(look(of)).toEqual(["gates", undefined, []]);
  of.step("A", 0);
  expect(look(of)).toEqual(["gates", undefined, []]);
});

test("it is queued between two steps of which the second takes turns, and says which", () => {
  const of = run().working("A").claims("A").step("A", 0).of("A", { type: "step-ended", step: 0, ok: true, summary: "" });
  expect(look(of)).toEqual(["queued", "check", [0]]);
  of.step("A", 1);
  expect(look(of)).toEqual(["check tests", undefined, [0]]);
  of.of("A", { type: "step-ended", step: 1, ok: true, summary: "" });
  expect(look(of)).toEqual(["queued", "merge", [0, 1]]);
  of.step("A", 2);
  expect(look(of)).toEqual(["merge", undefined, [0, 1]]);
});

test("a merge that judges again in between stays a merge, and takes what it landed along", () => {
  const of = run().working("A").claims("A").step("A", 2);
  of.of(
    "A",
    { type: "step-started", step: 1, kind: "check", name: "tests" },
    { type: "step-ended", step: 1, ok: true, summary: "" },
    { type: "merge-intended", ...MERGE },
  );
  expect(look(of)[0]).toBe("merge");
  of.of("A", { type: "merge-landed", ...MERGE }, { type: "step-ended", step: 2, ok: true, summary: "" });
  expect(look(of)).toEqual(["queued", "verify", [0, 1, 2]]);
});

test("a try that goes on from a landed change has no worktree to make: it waits for what comes after the merge", () => {
  const of = run()
    .claim("A")
    .of("A", { type: "merge-intended", ...MERGE });
  expect(look(of)[0]).toBe("merge");
  of.of("A", { type: "merge-landed", ...MERGE });
  expect(look(of)).toEqual(["queued", "verify", [0, 1, 2]]);
});

test("the last steps run at once, and a merge that cannot land says so", () => {
  const of = run().working("A").claims("A").step("A", 2).of("A", { type: "merge-waiting", reason: "dirty" });
  expect(look(of).slice(0, 2)).toEqual(["merge waits", undefined]);
  of.of("A", { type: "merge-intended", ...MERGE }, { type: "merge-landed", ...MERGE });
  of.of("A", { type: "step-ended", step: 2, ok: true, summary: "" }).step("A", 3);
  of.of("A", { type: "step-ended", step: 3, ok: true, summary: "" });
  expect(look(of)).toEqual(["assert", undefined, [0, 1, 2, 3]]);
  of.step("A", 4).of("A", { type: "step-ended", step: 4, ok: true, summary: "" });
  expect(look(of).slice(0, 2)).toEqual(["assert", undefined]);
});

test("a try that is being ended says so, whether its agent or its finish line runs; one whose agent has been ended collects", () => {
  const finishing = run().working("A").claims("A").step("A", 1).of("A", { type: "kill-requested", ending: "killed-by-person" });
  expect(look(finishing)[0]).toBe("ending");
  const queued = run().working("A").claims("A").step("A", 0).of("A", { type: "step-ended", step: 0, ok: true, summary: "" });
  expect(look(queued.of("A", { type: "kill-requested", ending: "killed-by-person" })).slice(0, 2)).toEqual(["ending", undefined]);
  const working = run().working("A").of("A", { type: "kill-requested", ending: "silent" });
  expect(look(working)[0]).toBe("ending");
  working.of("A", { type: "agent-ended", ending: "silent", exitCode: null, signal: "SIGKILL", costUsd: 0 });
  expect(look(working)[0]).toBe("collecting");
});

test("a merge that waits for the same says so once, with its end; its age is shown from then on", () => {
  const of = run().working("A").claims("A").step("A", 2);
  const lines: string[] = [];
  const wait = (reason: string, until?: number) => {
    of.wait(5).of("A", { type: "merge-waiting", reason, ...(until && { until }) });
    const event = of.events.at(-1);
    if (event !== undefined) lines.push(...describeEvents(event, of.state).map(({ text }) => text));
  };
  const begun = of.now;
  for (const _ of [1, 2, 3]) wait("dirty", begun + 600_000);
  wait("frozen");
  expect(lines).toEqual([
    expect.stringMatching(/^merge waits: dirty; it is tried again until \d\d:\d\d; to end it: x ends the attempt, g leaves the/),
    expect.stringMatching(/^merge waits: frozen; it goes on once that is over; to end it: x /),
  ]);
  const attempt = ticketById(of.state, A).attempt as Attempt;
  expect(mergeWait(attempt, (attempt.waited?.since ?? 0) + 65_000)).toBe("frozen (01:05)");
});
