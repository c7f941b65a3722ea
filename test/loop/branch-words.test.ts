import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { ciStopReason } from "../../src/domain/ci/stop-reason.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { answers, LOST, open } from "./branch-stage.ts";

cleanUp();

describe("a branch whose checks decide, and words that its change can choose", () => {
  const SCOPE = "refusing to allow a token to create or update workflow `.github/workflows/a.yml` without `workflow` scope";

  test.each([
    [".github/workflows/a.yml", "hook declined", {}, "blocked_path"],
    ["answer.txt", SCOPE, {}, "same_failure"],
    ["answer.txt", "pre-receive hook declined; File workflow.bin is 101.00 MB", {}, "same_failure"],
    ["answer.txt", "désolé", { isForbidden: true }, "infrastructure"],
    [".github/workflows/a.yml", SCOPE, { isForbidden: true }, "infrastructure"],
  ] as const)("with %s is pushed once by each attempt if the forge refuses it: %s %j", async (file, reason, how, stopReason) => {
    const { stage } = await open({
      work: ({ worktree }) => {
        mkdirSync(dirname(join(worktree, file)), { recursive: true });
        writeFileSync(join(worktree, file), "40\n");
      },
    });
    using _ = stage;
    let pushes = 0;
    const app = stage.engine.ctx.repos.get("app");
    if (app === undefined) throw new Error("no repository");
    app.land = () => {
      pushes += 1;
      return Promise.resolve({ as: "refused", reason, ...how });
    };
    stage.start();
    expect(ciStopReason(await stage.ended())).toBe(stopReason);
    expect(pushes).toBe(stage.tasks.length);
  });

  test("is an agent's to mend if the words of a lost machine come from a commit of the loop: its code writes that log", async () => {
    const check = (read: (file: string) => string | undefined) => (read("answer.txt") === undefined ? "wrong answer\n" : LOST);
    const { stage, branch } = await open({ checks: { test: check }, work: answers("40", "41", "42"), limits: { attempts: 2 } });
    using _ = stage;
    stage.start();
    const state = await stage.ended();
    expect([ciStopReason(state), branch.reruns.length, stage.tasks.length]).toEqual(["max_iterations", 2, 2]);
  });
});
