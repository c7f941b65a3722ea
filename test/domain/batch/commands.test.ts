import { describe, expect, test } from "vitest";
import { findNamedScript, listBatchCommands } from "../../../src/domain/batch/commands.ts";
import { readBatch } from "../../../src/domain/batch/read.ts";
import { batchText } from "./sample.ts";

describe("findNamedScript", () => {
  test.each([
    [["node", "run.mjs", "x"], 1, "run.mjs"],
    [["/usr/bin/node", "--max-old-space-size=100", "run.mjs"], 2, "run.mjs"],
    [["python3.12", "tools/run.py"], 1, "tools/run.py"],
    [["sh", "check.sh"], 1, "check.sh"],
    [["bash", "./check"], 1, "./check"],
  ])("finds the script of %j", (argv, at, script) => {
    expect(findNamedScript(argv)).toMatchObject({ at, candidates: expect.arrayContaining([script]) });
  });

  test("knows the other names under which Node and Python find a script", () => {
    expect(findNamedScript(["node", "scripts/run"])?.candidates).toContain("scripts/run.js");
    expect(findNamedScript(["python3", "tool"])?.candidates).toContain("tool/__main__.py");
  });

  test.each([
    [["node"]],
    [["node", "-e", "1"]],
    [["node", "--test", "a.test.js"]],
    [["node", "-r", "./hook.js", "run.mjs"]],
    [["sh", "-c", "true"]],
    [["sh", "true"]],
    [["npm", "test"]],
    [["./node.sh", "run.mjs"]],
  ])("claims nothing of %j", (argv) => {
    expect(findNamedScript(argv)).toBeUndefined();
  });
});

describe("listBatchCommands", () => {
  test("has each command once per repository, with its place", () => {
    const read = readBatch(
      batchText({
        secrets: { staging: { command: ["sh", "token.sh"] }, npm: { env: "NPM" } },
        repos: { app: { path: "../app", prepare: [["make"], { command: ["{batch}/fetch"], env: {} }] }, web: { path: "../web" } },
        reviewer: { kind: "command", command: ["review"] },
        finish: [
          { step: "check", command: ["{batch}/check"] },
          { step: "adversary", smoke: ["smoke"] },
          { step: "merge" },
          { step: "verify", command: ["live"], sandbox: "off" },
        ],
        tickets: [
          { id: "T-1", title: "one", repo: "app" },
          { id: "T-2", title: "two", repo: "app" },
          { id: "T-3", title: "three", repo: "web", finish: [{ step: "check", command: ["own"] }, { step: "merge" }] },
        ],
      }),
      { folder: "/work/batches" },
    );
    const told = read.ok
      ? listBatchCommands(read.batch).map(({ argv, path, runs, repo }) => [runs, repo, argv[0], path.join(".")])
      : read.problems;
    expect(told).toEqual([
      ["agent", undefined, "node", "agent.command"],
      ["reviewer", undefined, "review", "reviewer.command"],
      ["prepare", "app", "make", "repos.app.prepare.0"],
      ["prepare", "app", "/work/batches/fetch", "repos.app.prepare.1.command"],
      ["check", "app", "/work/batches/check", "finish.0.command"],
      ["smoke", "app", "smoke", "finish.1.smoke"],
      ["verify", "app", "live", "finish.3.command"],
      ["check", "web", "own", "tickets.2.finish.0.command"],
      ["secret", undefined, "sh", "secrets.staging.command"],
    ]);
    expect(read.ok && listBatchCommands(read.batch).flatMap(({ unsandboxed, argv }) => (unsandboxed ? [argv[0]] : []))).toEqual([
      "live",
      "sh",
    ]);
  });
});
