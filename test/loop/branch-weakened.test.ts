import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Ticket } from "../../src/domain/batch/schema.ts";
import { ciStopReason } from "../../src/domain/ci/stop-reason.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { open, TICKET } from "./branch-stage.ts";

cleanUp();

const MANIFEST = { test: "npm run unit", unit: "node --test", "types:ci": "tsc -p .", start: "node a.mjs" };
const pack = (scripts: Partial<typeof MANIFEST> = {}, more = {}) =>
  JSON.stringify({ private: true, scripts: { ...MANIFEST, ...scripts }, ...more });
const TESTS = 'test("adds", () => {});\ntest(\n  "takes away",\n  () => {},\n);\n';
const FILES: Readonly<Record<string, string>> = {
  "package.json": pack(),
  ".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: npm run types:ci -- --pretty\n",
  "a.test.js": TESTS,
  "b.test.js": 'test("is left", () => {});\n',
  "test/data.txt": "1\n",
};
const ALLOWED: Ticket["allow"] = {
  ...{ testsRemoved: ["*"], testsSkipped: [], suppressions: true, scripts: true, configuration: true },
};

/** Red until anything is pushed: the forge itself would take the change. The first two attempts make it, beside a file. */
async function opened(change: Readonly<Record<string, string | undefined>>, over: Partial<Parameters<typeof open>[0]> = {}) {
  const { stage } = await open({
    checks: {
      test: (read) =>
        (read("fixed.txt") ?? read("cheated.txt")) === undefined ? "src/a.ts(1,1): error TS2322: no\n" : undefined,
    },
    work: ({ worktree, attempt }) => {
      if (attempt > 2) return void writeFileSync(join(worktree, "fixed.txt"), "x");
      for (const [file, text] of Object.entries({ ...change, "cheated.txt": "x" }))
        if (text === undefined) rmSync(join(worktree, file));
        else writeFileSync(join(worktree, file), text);
    },
    ...over,
  });
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(stage.user, file)), { recursive: true });
    writeFileSync(join(stage.user, file), text);
  }
  stage.git("add", ".");
  stage.git("commit", "-q", "-m", "a project");
  stage.start();
  return stage;
}

const CASES: readonly [string, Readonly<Record<string, string | undefined>>, string][] = [
  ["another test script", { "package.json": pack({ test: "exit 0" }) }, "the script that the check runs was changed: test"],
  [
    "a script that the test script runs",
    { "package.json": pack({ unit: "exit 0" }) },
    "the script that the check runs was changed: unit",
  ],
  [
    "a script that a workflow runs",
    { "package.json": pack({ "types:ci": "true" }) },
    "the script that the check runs was changed: types:ci",
  ],
  ["a suppression", { "a.ts": "// @ts-ignore\nexport const a: string = 1;\n" }, "1 suppression added"],
  ["a deleted file of tests", { "b.test.js": undefined }, "1 test removed or renamed"],
  ["a deleted file beside tests", { "test/data.txt": undefined }, "1 file of tests deleted"],
  ["a deleted test", { "a.test.js": TESTS.slice(TESTS.indexOf("\n") + 1) }, "1 test removed or renamed"],
  ["a test in a comment", { "a.test.js": `/*\n${TESTS}*/` }, "2 tests removed or renamed"],
  [
    "other settings of a runner",
    { "package.json": pack({}, { jest: { testMatch: [] } }) },
    "settings of test runners were changed: package.json",
  ],
  ["another shell for scripts", { ".npmrc": "script-shell=/bin/true\n" }, "settings of test runners were changed: .npmrc"],
];

describe("a change that takes something away from the checks", () => {
  test.each(CASES)("is not pushed, and the next attempt is told why: %s", async (_what, change, why) => {
    using stage = await opened(change);
    const state = await stage.ended();
    expect(ciStopReason(state)).toBe("green");
    const summary = expect.stringMatching(new RegExp(`^${why} \\(a person can allow it: --allow \\w+\\)$`));
    expect(stage.of("attempt-ended")[1]).toMatchObject({ outcome: "failed", evidence: { summary } });
    expect(stage.of("ci-pushed")).toHaveLength(1);
    expect(stage.git("ls-tree", "--name-only", "main").split("\n")).not.toContain("cheated.txt");
  });

  test("is pushed if a person has allowed it", async () => {
    const changes = Object.assign({}, ...CASES.map(([, change]) => change));
    using stage = await opened(
      { ...changes, "package.json": pack({ test: "exit 0" }, { jest: {} }) },
      { tickets: [{ ...TICKET, allow: ALLOWED }] },
    );
    expect(ciStopReason(await stage.ended())).toBe("green");
    expect(stage.git("ls-tree", "--name-only", "main").split("\n")).toContain("cheated.txt");
  });

  test.each([
    ["a test that moves", { "b.test.js": undefined, "c.test.js": 'test("is left", () => { 1; });\n' }],
    ["another body of a test", { "a.test.js": TESTS.replace("{}", "{ 1; }") }],
    ["a script that no check runs", { "package.json": pack({ start: "node b.mjs" }, { dependencies: {} }) }],
    ["where packages come from", { ".npmrc": "fund=false\n" }],
  ])("is not %s", async (_what, change) => {
    using stage = await opened(change);
    expect(ciStopReason(await stage.ended())).toBe("green");
    expect(stage.git("ls-tree", "--name-only", "main").split("\n")).toContain("cheated.txt");
  });
});
