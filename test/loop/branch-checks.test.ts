import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ciStopReason } from "../../src/domain/ci/stop-reason.ts";
import { cleanUp, git } from "../adapters/vcs/real-repo.ts";
import { ANSWER, answers, CI, LOST, open, result } from "./branch-stage.ts";
import type { FakeBranch } from "./fake-branch.ts";

cleanUp();
describe("a branch whose checks decide", () => {
  test("is done at once if they pass already: no agent, no push", async () => {
    const { stage, branch } = await open({ checks: { test: () => undefined } });
    using _ = stage;
    const before = stage.git("rev-parse", "main");
    stage.start();
    const state = await stage.ended();
    expect(ciStopReason(state)).toBe("green");
    expect([stage.tasks.length, branch.read, stage.git("rev-parse", "main")]).toEqual([0, [before], before]);
    expect(result(state)).toMatchObject({ exitCode: 0, headSha: before, iterations: [{ number: 0, commit: null }] });
  });

  test("gets one commit for each attempt on top, and each begins where the last one ended, with what failed", async () => {
    const prompts: string[] = [];
    const seen: (string | undefined)[] = [];
    const write = answers("40", "41", "42");
    const { stage, branch } = await open({
      work: (task) => {
        const file = join(task.worktree, "answer.txt");
        seen.push(existsSync(file) ? readFileSync(file, "utf8").trim() : undefined);
        prompts.push(readFileSync(task.promptFile, "utf8"));
        return write(task);
      },
    });
    using _ = stage;
    const before = stage.git("rev-parse", "main");
    stage.start();
    const state = await stage.ended();
    expect(ciStopReason(state)).toBe("green");
    expect(seen).toEqual([undefined, "40", "41"]);
    expect(prompts[0]).toContain("wrong answer: undefined");
    expect(prompts[2]).toContain("wrong answer: 41");
    const commits = stage.git("rev-list", "--reverse", `${before}..main`).split("\n");
    expect(commits).toHaveLength(3);
    expect(branch.read).toEqual([before, ...commits]);
    expect(result(state).iterations).toMatchObject([
      { number: 0, failedChecks: ["test"], commit: null },
      { number: 1, failedChecks: ["test"], commit: commits[0], changedFiles: 1 },
      { number: 2, failedChecks: ["test"], commit: commits[1] },
      { number: 3, failedChecks: [], commit: commits[2] },
    ]);
    const [first, second] = result(state).iterations.map(({ signature }) => signature);
    expect(first).not.toBe(second);
    // The engine's own pushes are no act of a person.
    expect(state.interventions).toEqual([]);
  });

  test("is not done if it turns red before the oracle is asked: the checks of the head are read once more", async () => {
    let isRed = false;
    const { stage, branch } = await open({ checks: { test: () => (isRed ? "went red\n" : undefined) }, limits: { attempts: 1 } });
    using _ = stage;
    branch.onRead = () => {
      isRed = stage.types().includes("merge-landed");
    };
    stage.start();
    const state = await stage.ended();
    expect(stage.of("ticket-reopened")).toHaveLength(1);
    expect([ciStopReason(state), result(state).exitCode]).toEqual(["max_iterations", 1]);
  });

  test("that somebody else pushes to meanwhile is checked at their commit", async () => {
    const { stage, branch } = await open({ work: answers("42") });
    using _ = stage;
    let theirs: string | undefined;
    branch.onRead = () => {
      if (theirs !== undefined || !stage.types().includes("ci-pushed")) return;
      writeFileSync(join(stage.user, "theirs.txt"), "x");
      stage.git("add", "theirs.txt");
      stage.git("commit", "-q", "-m", "theirs");
      theirs = stage.git("rev-parse", "main");
    };
    stage.start();
    const state = await stage.ended();
    expect([ciStopReason(state), state.end?.kind]).toEqual(["green", "oracle-done"]);
    expect(stage.git("rev-parse", "main")).toBe(theirs);
    expect(stage.of("ci-pushed")).toHaveLength(1);
    expect(state.interventions).toMatchObject([{ class: "I4" }]);
  });
});

describe("the loop stops with", () => {
  test("same_failure after three attempts in a row that fail alike, whatever the times in their logs are", async () => {
    let n = 0;
    const checks: FakeBranch["checks"] = { test: () => `src/a.ts(${(n += 1)},1): error TS2322: stays wrong\n` };
    const { stage } = await open({
      checks,
      work: ({ worktree, attempt }) => void writeFileSync(join(worktree, "a.txt"), `${attempt}`),
    });
    using _ = stage;
    stage.start();
    const state = await stage.ended();
    expect([ciStopReason(state), stage.tasks.length, result(state).exitCode]).toEqual(["same_failure", 3, 1]);
  });

  test("max_iterations", async () => {
    const { stage } = await open({ work: answers("1", "2", "3"), limits: { attempts: 2 } });
    using _ = stage;
    stage.start();
    const state = await stage.ended();
    expect([ciStopReason(state), stage.tasks.length, state.end?.exitCode]).toEqual(["max_iterations", 2, 1]);
  });

  test("no_change after two attempts that change nothing", async () => {
    const { stage } = await open({ work: () => undefined });
    using _ = stage;
    stage.start();
    const state = await stage.ended();
    expect([ciStopReason(state), stage.tasks.length]).toEqual(["no_change", 2]);
  });

  test("no_change at the first red reading if nothing is to be changed, with the triage on file", async () => {
    const { stage, branch } = await open({ canChange: false });
    using _ = stage;
    stage.start();
    const state = await stage.ended();
    expect([ciStopReason(state), stage.tasks.length, branch.read.length]).toEqual(["no_change", 0, 1]);
    expect(stage.ticket(CI).stalledReason).toMatch(/^report-only: failed on [0-9a-f]{7}: test; no attempt is made to repair it$/);
    const folder = join(stage.root, "run/tickets/CI-1/attempt-1");
    expect(readFileSync(join(folder, "triage.md"), "utf8")).toContain("wrong answer");
    expect(JSON.parse(readFileSync(join(folder, "triage.json"), "utf8"))).toMatchObject({ check: "test" });
  });

  test("no_change if nothing is to be changed, also after a failure between the reading and the triage: no agent, no push", async () => {
    const { stage, branch } = await open({ canChange: false, work: answers("42") });
    using _ = stage;
    const before = stage.git("rev-parse", "main");
    branch.onFailures = () => {
      branch.onFailures = () => undefined;
      throw new Error("the disk is full");
    };
    stage.start();
    const state = await stage.ended();
    expect([ciStopReason(state), stage.tasks.length, stage.of("ci-pushed")]).toEqual(["no_change", 0, []]);
    expect(stage.of("ci-triaged")).toHaveLength(1);
    expect(stage.git("rev-parse", "main")).toBe(before);
  });

  test("blocked_path if the change touches what is protected", async () => {
    const { stage } = await open({ protect: ["answer.txt"], work: answers("42") });
    using _ = stage;
    const before = stage.git("rev-parse", "main");
    stage.start();
    const state = await stage.ended();
    expect([ciStopReason(state), stage.git("rev-parse", "main")]).toEqual(["blocked_path", before]);
  });

  test("infrastructure if the jobs fail by their machines again, each started again once by name", async () => {
    const { stage, branch } = await open({ checks: { build: () => LOST, test: () => LOST } });
    using _ = stage;
    stage.start();
    const state = await stage.ended();
    expect([ciStopReason(state), branch.reruns, stage.tasks.length]).toEqual(["infrastructure", ["build", "test"], 0]);
  });

  test("flaky if nothing fails but tests that fail by chance on the branch as it was found, also when started again", async () => {
    const log = "not ok 1 - sums\n  ---\n  message: 'by chance'\n  ...\n1..1\n";
    const { stage, branch } = await open({ checks: { test: () => log } });
    using _ = stage;
    const found = stage.git("rev-parse", "main");
    branch.past[found] = [{ name: "test" }, { name: "test", failure: { name: "test", log, annotations: [], reports: [] } }];
    stage.start();
    const state = await stage.ended();
    expect([ciStopReason(state), branch.reruns, stage.tasks.length]).toEqual(["flaky", ["test"], 0]);
  });

  test("infrastructure if no check appears: that is not green", async () => {
    const { stage } = await open({ checks: {} });
    using _ = stage;
    stage.start();
    const state = await stage.ended();
    expect([ciStopReason(state), stage.ticket(CI).phase]).toEqual(["infrastructure", "stalled"]);
    expect(result(state).summary).toMatch(/^no check appeared within/);
    expect(result(state).iterations).toMatchObject([{ number: 0, attempt: 1, outcome: "failed", commit: null }]);
  });

  test("infrastructure if the check that failed does not run on the commit that was pushed: that is not green", async () => {
    const { stage, branch } = await open({ checks: { ...ANSWER, bot: () => undefined }, work: answers("43") });
    using _ = stage;
    branch.leftOut = (name, read) => name === "test" && read("answer.txt") !== undefined;
    stage.start();
    const state = await stage.ended();
    expect([ciStopReason(state), result(state).exitCode, stage.tasks.length]).toEqual(["infrastructure", 1, 1]);
    expect(result(state).summary).toMatch(/^test failed before and did not run on /);
  });

  test("budget if the next agent could cost more than is left", async () => {
    const programs = { agent: { kind: "command", command: ["true"], usdPerAttempt: 3 } } as const;
    const { stage } = await open({
      programs,
      reserveUsd: 3,
      limits: { attempts: 5, usdPerTicket: 5 },
      work: (task) => {
        answers("1")(task);
        return { costUsd: 3 };
      },
    });
    using _ = stage;
    stage.start();
    const state = await stage.ended();
    expect([ciStopReason(state), stage.tasks.length]).toEqual(["budget", 1]);
  });

  test("max_minutes once the run's time is over, whatever is under way", async () => {
    const { stage } = await open({
      limits: { attempts: 5, minutesPerRun: 1 / 100 },
      work: (task) =>
        new Promise((resolve) => {
          const end = () => resolve({ ending: "aborted", exitCode: null });
          if (task.signal.aborted) end();
          task.signal.addEventListener("abort", end);
        }),
    });
    using _ = stage;
    stage.start();
    const state = await stage.ended();
    expect([ciStopReason(state), state.end?.kind, result(state).exitCode]).toEqual(["max_minutes", "not-done", 1]);
    expect(state.end?.reason).toMatch(/limits\.minutesPerRun is used up \(0\.01 min\)/);
  });

  test("interrupted while a request that reads the checks gets no answer", async () => {
    const { stage, branch } = await open();
    using _ = stage;
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    branch.hangs = () => {
      resolve();
      return true;
    };
    stage.start();
    await asked;
    stage.engine.orchestrator.stop("signal");
    const state = await stage.ended();
    expect([ciStopReason(state), result(state).exitCode, state.outages]).toEqual(["interrupted", 130, undefined]);
  });

  test("interrupted by a signal, and the next engine goes on with the same count", async () => {
    const { stage, reopen } = await open({ work: answers("1", "42") });
    using _ = stage;
    stage.start();
    await stage.until("ci-pushed");
    stage.engine.orchestrator.stop("signal");
    const state = await stage.ended();
    expect([ciStopReason(state), result(state).exitCode]).toEqual(["interrupted", 130]);
    await reopen();
    await stage.resume();
    const resumed = await stage.ended();
    expect([ciStopReason(resumed), result(resumed).iterations.at(-1)?.number]).toEqual(["green", 2]);
  });
});

describe("an engine that is killed", () => {
  const moments = ["pull-request-intended", "ci-pushed", "ci-triaged", "merge-intended", "merge-landed"] as const;

  test.each(moments)("at the last %s is followed by one that goes on: nothing is pushed twice", async (moment) => {
    const { stage, reopen } = await open({ work: answers("1", "42"), limits: { attempts: 5 } });
    using _ = stage;
    const before = stage.git("rev-parse", "main");
    let count = 0;
    const nth = { "pull-request-intended": 3, "ci-pushed": 2, "ci-triaged": 2, "merge-intended": 1, "merge-landed": 1 }[moment];
    await stage.crashAt(({ type }) => type === moment && (count += 1) === nth);
    await reopen();
    await stage.resume();
    const state = await stage.ended();
    expect(ciStopReason(state)).toBe("green");
    expect(git(stage.user, "rev-list", `${before}..main`).split("\n")).toHaveLength(2);
    expect(stage.git("show", "main:answer.txt")).toBe("42");
    expect(result(state).iterations.at(-1)?.number).toBe(2);
  });
});
