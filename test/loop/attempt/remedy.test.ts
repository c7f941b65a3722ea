import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { keptBranch } from "../../../src/domain/run/kept-work.ts";
import type { AgentTask } from "../../../src/ports/agent.ts";
import { cleanUp, write } from "../../adapters/vcs/real-repo.ts";
import { put } from "../evidence-stage.ts";
import { acting, bad, both, ended, good, lines, loops, outcomes, promptOf, repeat, second, T1 } from "../remedy-stage.ts";
import { RUN } from "../stage.ts";

cleanUp();

describe("step-back", () => {
  test("ends the agent and begins afresh from the base while no attempt has passed its checks", async () => {
    using stage = await acting([loops, both]);
    expect(await ended(stage)).toBe(0);
    expect(outcomes(stage)).toEqual(["failed", "done"]);
    expect(lines(stage)).toEqual([
      "in circles: had the same result 7 times, with no change in between: npm test; ended attempt 1; the next attempt starts from the base: no attempt has passed its checks; remediation 1 of 3, attempts left: 3",
    ]);
    expect(promptOf(stage, 2).split("\n").slice(3, 5)).toEqual([
      '- STEP BACK: MOMENTUM failed in attempt 1 ("had the same result 7 times, with no change in between: npm test"). Your worktree starts from the base. Question the approach of attempt 1 before you change anything.',
      expect.stringMatching(/^- LEARNT: attempt 1 failed at "agent behaviour": /),
    ]);
    expect(stage.git("ls-tree", "--name-only", "main").split("\n")).not.toContain("lost.txt");
    expect(stage.ticket(T1).due).toBeUndefined();
  });

  test("begins from the change of an earlier attempt whose checks passed, on the base's tip", async () => {
    using stage = await acting([
      good,
      (task) => {
        write(stage.user, "other.txt", "by another\n");
        stage.git("add", "-A");
        stage.git("commit", "-q", "-m", "other work");
        return loops(task);
      },
      (task) => {
        expect(readFileSync(`${task.worktree}/work.txt`, "utf8")).toBe("good\n");
        expect(readFileSync(`${task.worktree}/other.txt`, "utf8")).toBe("by another\n");
        return second(task);
      },
    ]);
    expect(await ended(stage)).toBe(0);
    expect(outcomes(stage)).toEqual(["failed", "failed", "done"]);
    const kept = keptBranch(RUN, T1, 1);
    expect(stage.of("work-kept")[0]).toMatchObject({ branch: kept, checkedFrom: expect.any(String) });
    expect(stage.of("remediated")).toMatchObject([
      { action: "step-back", from: { attempt: 1, tip: stage.git("rev-parse", kept) } },
    ]);
    const [, , third] = stage.of("worktree-ready");
    expect(stage.git("rev-parse", `${third?.startsAt}^`)).toBe(third?.baseSha);
    expect(stage.git("show", "main:work.txt")).toBe("good");
    expect(stage.git("show", "main:more.txt")).toBe("more");
    expect(promptOf(stage, 3)).toMatch(/^- STEP BACK: .*Your worktree holds the change of attempt 1, whose checks passed\./m);
    expect(promptOf(stage, 3)).toContain("Your worktree starts from the change of attempt 1");
    // Nobody but the engine has moved a branch.
    expect(stage.of("branch-commits-observed")).toEqual([]);
  });

  test("begins from the base if that change no longer merges, and says so", async () => {
    using stage = await acting([
      good,
      (task) => {
        write(stage.user, "work.txt", "another's\n");
        stage.git("add", "-A");
        stage.git("commit", "-q", "-m", "other work");
        return loops(task);
      },
      both,
    ]);
    expect(await ended(stage)).toBe(0);
    expect(promptOf(stage, 3)).toContain("Your worktree starts from the base. Question");
    expect(stage.of("worktree-ready")[2]?.startsAt).toBeUndefined();
  });

  test("uses up an attempt each time, and none is added", async () => {
    using stage = await acting([loops, loops, bad], { limits: { attempts: 3 } });
    expect(await ended(stage)).toBe(1);
    expect(outcomes(stage)).toEqual(["failed", "failed", "failed"]);
    expect(lines(stage).map((line) => line.split("; ").at(-1))).toEqual([
      "remediation 1 of 3, attempts left: 2",
      "remediation 2 of 3, attempts left: 1",
    ]);
  });
});

describe("gate", () => {
  test("leaves the ticket open until a person decides, with the gate's words, and keeps the work", async () => {
    using stage = await acting([loops, both], { onFail: { momentum: "gate" } });
    expect(await ended(stage)).toBe(1);
    expect(stage.ticket(T1)).toMatchObject({
      phase: "stalled",
      stalledReason:
        "behaviour: in circles: had the same result 7 times, with no change in between: npm test; a person decides how it goes on; 3 attempts left",
    });
    expect(stage.of("ticket-gated")).toEqual([]);
    expect(outcomes(stage)).toEqual(["failed"]);
    expect(stage.ticket(T1).history[0]?.kept).toMatchObject({ branch: keptBranch(RUN, T1, 1), files: 1 });
    expect(stage.ticket(T1).mergedSha).toBeUndefined();
  });

  test("comes after what is impossible, and says so", async () => {
    using stage = await acting([loops], { onFail: ["step-back", "gate"], limits: { attempts: 1 } });
    expect(await ended(stage)).toBe(1);
    expect(lines(stage)[0]).toContain("in circles: had the same");
    expect(lines(stage)[0]).toContain("ended attempt 1; skipped step-back: no attempt is left");
  });
});

describe("an agent that has stopped", () => {
  test("is judged first: no signal keeps its change from landing", async () => {
    using stage = await acting([(task) => (repeat(task), both(task))]);
    expect(await ended(stage)).toBe(0);
    expect(stage.ticket(T1).history[0]?.signals?.momentum.level).toBe("fail");
    expect(stage.of("remediated")).toEqual([]);
  });

  test("and whose attempt fails has its failed gates acted upon, by what it changed", async () => {
    const ci = (task: AgentTask): undefined => {
      put(task.worktree, { "ci/build.yml": "x\n" });
      both(task);
    };
    using stage = await acting([ci, both], { onFail: { relevance: ["step-back", "gate"] }, protect: ["ci/**"] });
    expect(await ended(stage)).toBe(0);
    expect(outcomes(stage)).toEqual(["failed", "done"]);
    expect(lines(stage)).toEqual([
      "off its ticket: edits 1 protected path: ci/build.yml; attempt 1 had failed; the next attempt starts from the base: no attempt has passed its checks; remediation 1 of 3, attempts left: 3",
    ]);
    const types = stage.types();
    expect(types.indexOf("remediated")).toBe(types.indexOf("attempt-ended") - 1);
  });
});
