import { describe, expect, test } from "vitest";
import { nextMove, type OwnPullRequest, type PullRequestRules } from "../../../src/domain/forge/next-move.ts";
import type { PullRequestState, RemoteCheck } from "../../../src/domain/forge/pull-request.ts";

const HEAD = "a".repeat(40);
const OTHER = "b".repeat(40);
const NOW = 1_000_000;
const RULES: PullRequestRules = { base: "main", checks: undefined, approvals: "gate", appearMs: 600_000, stillMs: 600_000 };
const OWN: OwnPullRequest = { head: HEAD, pushedAt: NOW - 60_000, answered: new Set() };
const PASSED: RemoteCheck = { name: "tests", state: "passed", isRequired: true };
const GREEN: PullRequestState = {
  ...{ number: 7, url: "https://forge.example/7", state: "open", head: HEAD, base: "main", merge: "ready" },
  ...{ checks: [PASSED], requiredChecks: ["tests"], review: "none", threads: [], comments: [], usesQueue: false },
};

const move = (
  over: Partial<PullRequestState>,
  { rules = {}, own = {} }: { rules?: Partial<PullRequestRules>; own?: Partial<OwnPullRequest> } = {},
) => nextMove({ ...GREEN, ...over }, { rules: { ...RULES, ...rules }, own: { ...OWN, ...own }, now: NOW });

describe("the next move of a pull request", () => {
  test("merges what is green, and nothing else", () => {
    expect(move({})).toEqual({ do: "merge" });
  });

  test("a merge at the pushed commit has landed", () => {
    expect(move({ state: "merged", mergeCommit: OTHER })).toEqual({ do: "landed", commit: OTHER });
  });

  test.each([
    ["somebody pushed to its branch", { head: OTHER }, /has commits that loopdash did not push/],
    ["somebody pushed to it and merged it", { head: OTHER, state: "merged", mergeCommit: OTHER }, /did not push/],
    ["it was closed", { state: "closed" }, /was closed: reopen it/],
    ["its base was edited", { base: "dev" }, /was pointed at dev: set its base back to main/],
    [
      "it was merged somewhere else",
      { state: "merged", base: "dev", mergeCommit: OTHER },
      /was merged into dev: bring it to main/,
    ],
  ] as const)("is a person's if %s", (_what, over, step) => {
    expect(move(over as Partial<PullRequestState>)).toEqual({ do: "gate", step: expect.stringMatching(step) });
  });

  describe("checks", () => {
    test("that are not registered are not green", () => {
      expect(move({ checks: [] })).toMatchObject({ do: "wait", why: "waits for the check tests to appear" });
      expect(move({ checks: [], requiredChecks: [] })).toMatchObject({ do: "wait", why: "waits for any check to appear" });
    });

    test("that were skipped do not excuse what they were skipped for", () => {
      const skipped: RemoteCheck = { ...PASSED, isSkipped: true, run: "1" };
      const lint: RemoteCheck = { name: "lint", state: "failed", isRequired: false, run: "1" };
      expect(move({ checks: [skipped, lint] })).toMatchObject({ do: "fix", checks: [lint] });
      expect(move({ checks: [skipped, { ...lint, run: "2" }] })).toEqual({ do: "merge" });
      expect(move({ checks: [PASSED, lint] })).toEqual({ do: "merge" });
      expect(move({ checks: [skipped] })).toEqual({ do: "merge" });
    });

    test("that have passed are not all while a workflow runs, or has not started", () => {
      const all = { requiredChecks: [], checks: [{ ...PASSED, isRequired: false }] };
      const running = { do: "wait", why: "waits for its workflows to end" };
      expect(move({ ...all, workflows: "running" })).toMatchObject(running);
      expect(move({ ...all, workflows: "over" }, { own: { hasWorkflows: true } })).toMatchObject({ do: "merge" });
      const unstarted = { ...all, workflows: "none" } as const;
      expect(move(unstarted, { own: { hasWorkflows: true } })).toMatchObject({
        do: "wait",
        why: "waits for its workflows to start",
      });
      expect(move(unstarted)).toMatchObject({ do: "merge" });
      // Workflows may be for something else than pull requests.
      expect(move(unstarted, { own: { hasWorkflows: true, pushedAt: NOW - 600_000 } })).toMatchObject({ do: "merge" });
      // The batch names the checks that count.
      expect(move({ workflows: "running" })).toMatchObject({ do: "merge" });
      expect(move({ ...all, workflows: "running" }, { rules: { checks: ["tests"] } })).toMatchObject({ do: "merge" });
    });

    test("that never appear end the wait after a bound", () => {
      const own = { pushedAt: NOW - 600_000 };
      expect(move({ checks: [] }, { own })).toMatchObject({
        do: "absent",
        isAny: false,
        step: expect.stringContaining("the check tests did not appear within 10 min"),
      });
      expect(move({ checks: [], requiredChecks: [] }, { own })).toMatchObject({
        do: "absent",
        isAny: true,
        step: expect.stringContaining('"checks": []'),
      });
    });

    test("are not needed if the batch says so", () => {
      expect(move({ checks: [], requiredChecks: [] }, { rules: { checks: [] } })).toEqual({ do: "merge" });
      // What the forge requires is required all the same.
      expect(move({ checks: [], requiredChecks: ["tests"] }, { rules: { checks: [] } })).toMatchObject({ do: "wait" });
    });

    test("that the batch names must pass beside those of the forge", () => {
      const rules = { checks: ["lint"] };
      expect(move({}, { rules })).toMatchObject({ do: "wait", why: "waits for the check lint to appear" });
      const lint: RemoteCheck = { name: "lint", state: "failed", isRequired: false };
      expect(move({ checks: [PASSED, lint] }, { rules })).toMatchObject({ do: "fix", checks: [lint] });
      expect(move({ checks: [PASSED, { ...lint, state: "passed" }] }, { rules })).toEqual({ do: "merge" });
    });

    test("that run are waited for; others do not matter where some are required", () => {
      const extra: RemoteCheck = { name: "extra", state: "failed", isRequired: false };
      const running = move({ checks: [{ ...PASSED, state: "running" }, extra] });
      expect(running).toMatchObject({ do: "wait", why: "waits for tests", on: "checks" });
      expect(move({ checks: [PASSED, extra] })).toEqual({ do: "merge" });
      expect(move({ checks: [PASSED, extra], requiredChecks: [] }, {})).toMatchObject({ do: "fix", checks: [extra] });
    });

    test("that failed go to an agent, with the names", () => {
      const failed: RemoteCheck = { ...PASSED, state: "failed" };
      expect(move({ checks: [failed] })).toEqual({ do: "fix", why: "failed on #7: tests", checks: [failed], remarks: [] });
    });
  });

  describe("remarks", () => {
    const thread = { id: "t1", place: "a.ts:3", author: "lint-bot", isBot: true, body: "unused" };
    const comment = { id: "c1", author: "ada", body: "please rename", at: NOW };

    test("of bots and people go to an agent once", () => {
      expect(move({ threads: [thread], comments: [comment] })).toMatchObject({
        do: "fix",
        why: "lint-bot, ada asked for changes on #7",
        remarks: [
          { kind: "thread", id: "t1" },
          { kind: "comment", id: "c1" },
        ],
      });
      expect(move({ threads: [thread], comments: [comment] }, { own: { answered: new Set(["t1", "c1"]) } })).toEqual({
        do: "merge",
      });
    });

    test("about lines that have changed since are no news", () => {
      expect(move({ threads: [{ ...thread, isOutdated: true }] })).toEqual({ do: "merge" });
    });

    test("of people that led to no other commit are left to them; a bot's are not", () => {
      const answered = new Set(["t1", "c1"]);
      const step = expect.stringMatching(/^look at what was said on pull request #7, which an agent has left as it was/);
      expect(move({ comments: [comment] }, { own: { answered, peopleHead: HEAD } })).toEqual({ do: "gate", step });
      expect(move({ comments: [comment] }, { own: { answered, peopleHead: OTHER } })).toEqual({ do: "merge" });
      expect(move({ threads: [thread] }, { own: { answered } })).toEqual({ do: "merge" });
    });

    test("with control characters do not reach a terminal", () => {
      const made = move({ comments: [{ ...comment, author: "ada\u001b[2J" }] });
      expect(JSON.stringify(made)).not.toContain("\\u001b[2J asked");
      expect(made).toMatchObject({ why: expect.not.stringContaining("\u001b") });
    });
  });

  test("an approval that is missing is a person's, or waited for, as the batch says", () => {
    expect(move({ review: "approval-missing", merge: "blocked" })).toEqual({
      do: "gate",
      step: "approve and merge pull request #7, whose checks have passed (https://forge.example/7)",
    });
    expect(move({ review: "approval-missing" }, { rules: { approvals: "wait" } })).toEqual({
      do: "wait",
      why: "waits for an approval",
    });
    // Before the checks have passed, nobody is asked.
    expect(move({ review: "approval-missing", checks: [{ ...PASSED, state: "running" }] })).toMatchObject({
      do: "wait",
      why: "waits for tests",
    });
  });

  test("requested changes are not taken back by another commit", () => {
    expect(move({ review: "changes-requested" })).toEqual({
      do: "gate",
      step: expect.stringMatching(/^look at the changes that were requested, then approve and merge pull request #7/),
    });
    expect(move({ review: "changes-requested" }, { rules: { approvals: "wait" } })).toMatchObject({ do: "wait" });
  });

  test("a base that has moved leads to a new candidate", () => {
    expect(move({ merge: "behind" })).toMatchObject({ do: "rebuild" });
    expect(move({ merge: "conflict" })).toMatchObject({ do: "rebuild", why: expect.stringContaining("conflicts") });
  });

  test("a queue that does not begin its checks is a person's after the bound, and one that has begun is waited for longer", () => {
    const since = { stillSince: NOW - 600_000, askedSince: 0 };
    const first = { queuePosition: 1, isQueueChecking: false };
    expect(move(first)).toMatchObject({
      do: "wait",
      until: NOW + 600_000,
      why: expect.stringContaining("has not begun its checks"),
    });
    expect(move(first, { own: { ...since, stillSince: NOW - 599_999 } })).toMatchObject({ do: "wait" });
    expect(move(first, { own: since })).toMatchObject({
      do: "gate",
      step: expect.stringContaining("nothing has changed for 10 min"),
    });
    expect(move(first, { own: { ...since, askedSince: NOW } })).toMatchObject({ do: "wait" });
    const rules = { stillMs: 700_000 };
    expect(move({ ...first, isQueueChecking: true }, { own: since, rules })).toMatchObject({ do: "wait" });
    expect(move({ queuePosition: 2, isQueueChecking: false }, { own: since, rules })).toMatchObject({ do: "wait" });
  });

  test.each([{ checks: [{ ...PASSED, state: "running" as const }] }, { requiredChecks: [], workflows: "running" as const }])(
    "checks of which nothing changes are a person's after a bound of their own",
    (shown) => {
      const own = { stillSince: NOW - 600_000, askedSince: 0 };
      expect(move(shown)).toMatchObject({ do: "wait", until: NOW + 600_000 });
      expect(move(shown, { own })).toMatchObject({ do: "gate", step: expect.stringContaining("nothing has changed for 10 min") });
    },
  );

  test("one that is merged without a commit is not merged again, and a person's after the bound", () => {
    expect(move({ state: "merged" })).toMatchObject({ do: "wait", why: expect.stringContaining("does not name the commit") });
    expect(move({ state: "merged" }, { own: { stillSince: NOW - 600_000 } })).toMatchObject({ do: "gate" });
  });

  test("a place in the merge queue is waited in, and shown", () => {
    expect(move({ queuePosition: 3 })).toMatchObject({ do: "wait", why: "place 3 in the merge queue" });
  });

  test("whatever the forge does not know yet, or blocks by another rule, waits", () => {
    expect(move({ merge: "unknown" })).toMatchObject({ do: "wait", on: "forge" });
    expect(move({ merge: "blocked" })).toMatchObject({ do: "wait", why: "a rule of the base blocks the merge", on: "rule" });
  });

  describe("a forge that does not say whether a merge is possible", () => {
    const step = expect.stringMatching(
      /^pull request #7: the forge has not said for 10 min whether it can be merged, .*: merge it there, or reopen the ticket/,
    );

    test("is a person's after the bound of a rule that blocks", () => {
      const own = { blockedSince: NOW - 600_000, askedSince: NOW - 60_000 };
      expect(move({ merge: "unknown" }, { own })).toEqual({ do: "gate", step });
      expect(move({ merge: "unknown" }, { own: { ...own, blockedSince: NOW - 599_999 } })).toMatchObject({ do: "wait" });
    });

    test("is asked for a minute first by an engine that did not ask before: it works that out once it is asked", () => {
      const own = { blockedSince: 0, askedSince: NOW - 59_999 };
      expect(move({ merge: "unknown" }, { own })).toMatchObject({ do: "wait" });
      expect(move({ merge: "unknown" }, { own: { blockedSince: 0 } })).toMatchObject({ do: "wait" });
    });
  });

  describe("a rule that nothing else tells, after the bound", () => {
    const own = { pushedAt: 0, blockedSince: NOW - 600_000 };
    const optional: RemoteCheck = { name: "scan", state: "failed", isRequired: false };

    test("is a person's, with the step", () => {
      const said = "a rule of main has blocked the merge for 10 min, and the required checks have passed";
      const step = `pull request #7: ${said}: see there which rule is not met, meet it, and merge it (https://forge.example/7)`;
      expect(move({ merge: "blocked" }, { own })).toEqual({ do: "gate", step });
      expect(move({ merge: "blocked" }, { own: { pushedAt: 0, blockedSince: NOW - 599_999 } })).toMatchObject({ do: "wait" });
    });

    test("names the conversations that are open", () => {
      const thread = { id: "t1", place: "a.ts:3", author: "ada", isBot: false, body: "unused" };
      const step = expect.stringContaining("passed: resolve its open conversation, then merge it");
      const answered = new Set(["t1"]);
      expect(move({ merge: "blocked", threads: [thread] }, { own: { ...own, answered } })).toEqual({ do: "gate", step });
    });

    test("is an agent's if a check has failed that nobody requires: a change may break the rule", () => {
      expect(move({ merge: "blocked", checks: [PASSED, optional] }, { own })).toMatchObject({ do: "fix", checks: [optional] });
      expect(move({ merge: "ready", checks: [PASSED, optional] }, { own })).toEqual({ do: "merge" });
    });
  });
});
