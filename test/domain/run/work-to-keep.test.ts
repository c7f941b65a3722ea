import { describe, expect, test } from "vitest";
import type { AttemptOutcome } from "../../../src/domain/run/attempt-fact.ts";
import { keptBranch } from "../../../src/domain/run/kept-work.ts";
import type { Attempt, PastAttempt, TicketState } from "../../../src/domain/run/ticket-state.ts";
import { keptWorkLines, workToKeep } from "../../../src/domain/run/work-to-keep.ts";
import { Fence, RunId, TicketId, unfitForBranch } from "../../../src/domain/values/ids.ts";

const attempt: Attempt = { n: 1, fence: Fence.parse(1), slot: 0, startedAt: 1, reservedUsd: 0, lines: 0, passed: [] };
const running = { launchedAt: 1 };
const claims = { launchedAt: 1, endedAt: 2, ending: "exited", exitCode: 0 } as const;
const change = { tip: "c", files: 2, additions: 3, deletions: 0 };
const kept = { branch: "b", sha: "c", files: 2 };

describe("what is kept of an attempt", () => {
  test.for([
    ["a living agent that a person kills", { agent: running }, "killed", "worktree"],
    ["a living agent that is stopped", { agent: running }, "stopped", "worktree"],
    ["an agent whose engine is lost", { agent: running }, "lost", "worktree"],
    ["an agent that crashed", { agent: { ...claims, exitCode: 1 } }, "failed", "worktree"],
    ["an agent that claims to be done, gated before its capture", { agent: claims }, "gated", "worktree"],
    ["a living agent whose ticket a person closes", { agent: running }, "closed", "worktree"],
    ["captured work whose ticket a person closes", { agent: claims, change }, "closed", "change"],
    ["an agent that claims to be done, and the finish line refuses it", { agent: claims, change }, "failed", undefined],
    ["an agent that claims to be done, and whose worktree cannot be captured", { agent: claims }, "failed", undefined],
    ["captured work that a person gates", { agent: claims, change }, "gated", "change"],
    ["captured work that the next attempt continues", { agent: claims, change }, "stopped", undefined],
    ["captured work without a change", { agent: claims, change: { ...change, files: 0 } }, "gated", undefined],
    ["work that is landing", { agent: claims, change, merge: { from: "a", to: "b", landed: true } }, "gated", undefined],
    ["an attempt without an agent", {}, "killed", undefined],
    ["an attempt that is done", { agent: claims }, "done", undefined],
    ["work that is kept already", { agent: running, kept }, "lost", undefined],
    ["work that could not be kept", { agent: running, notKept: "a pipe" }, "lost", undefined],
  ] as const satisfies readonly (readonly [string, Partial<Attempt>, AttemptOutcome, string | undefined])[])(
    "%s",
    ([, over, outcome, what]) => {
      expect(workToKeep({ ...attempt, ...over }, outcome)).toBe(what);
    },
  );

  test("its branch is no branch of any ticket", () => {
    const branch = keptBranch(RunId.parse("run-1"), TicketId.parse("T-1"), 2);
    expect(branch).toBe("loopdash/run-1/T-1@2");
    expect(unfitForBranch("T-1@2")).toBeDefined();
  });
});

test("a ticket with many cut-off attempts names the newest and counts the others", () => {
  const past = (n: number): PastAttempt => ({
    n,
    slot: 0,
    startedAt: 1,
    slotLeftAt: 1,
    endedAt: 1,
    outcome: "killed",
    summary: "",
    claimed: false,
    costUsd: 0,
    ...(n === 5 ? { notKept: "a pipe" } : { kept: { branch: `b@${n}`, sha: "c", files: n } }),
  });
  const ticket = { history: [1, 2, 3, 4, 5].map(past) } as Partial<TicketState> as TicketState;
  expect(keptWorkLines(ticket)).toEqual([
    "attempt 5: its work could not be kept: a pipe",
    "attempt 4: work kept on b@4 (4 files)",
    "attempt 3: work kept on b@3 (3 files)",
    "2 earlier attempts left work, too",
  ]);
});
