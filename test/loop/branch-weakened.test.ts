import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ciStopReason } from "../../src/domain/ci/stop-reason.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { open } from "./branch-stage.ts";

cleanUp();

const pack = (script: string) => JSON.stringify({ private: true, scripts: { test: script, start: "node a.mjs" } });

describe("a change that takes something away from the checks is not pushed: the next attempt is told why, with", () => {
  test.each([
    ["another test script", "package.json", pack("exit 0"), "the script that the check runs was changed: test"],
    ["a suppression", "a.ts", "// @ts-ignore\nexport const a: string = 1;\n", "1 suppression added"],
  ])("%s", async (_what, file, text, why) => {
    // Red until anything is pushed: the forge itself would take the change.
    const { stage } = await open({
      checks: {
        test: (read) =>
          (read("fixed.txt") ?? read("cheated.txt")) === undefined ? "src/a.ts(1,1): error TS2322: no\n" : undefined,
      },
      work: ({ worktree, attempt }) => {
        if (attempt > 2) return void writeFileSync(join(worktree, "fixed.txt"), "x");
        writeFileSync(join(worktree, file), text);
        writeFileSync(join(worktree, "cheated.txt"), "x");
      },
    });
    using _ = stage;
    writeFileSync(join(stage.user, "package.json"), pack("node --test"));
    stage.git("add", "package.json");
    stage.git("commit", "-q", "-m", "a script");
    stage.start();
    const state = await stage.ended();
    expect(ciStopReason(state)).toBe("green");
    expect(stage.of("attempt-ended")[1]).toMatchObject({ outcome: "failed", evidence: { summary: why } });
    expect(stage.of("ci-pushed")).toHaveLength(1);
    expect(stage.git("ls-tree", "--name-only", "main").split("\n")).not.toContain("cheated.txt");
  });
});
