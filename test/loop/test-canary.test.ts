import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { TestCanaries } from "../../src/loop/steps/test-canaries.ts";
import { type Files, type Judging, judge, judged, opened } from "./evidence-stage.ts";

const NODE = process.execPath;

const BASE: Files = {
  "add.mjs": "export const add = (a, b) => a + b;\n",
  "test/add.test.mjs": `import { test } from "node:test";
import assert from "node:assert";
import { add } from "../add.mjs";

test("adds", () => assert.equal(add(1, 2), 3));
`,
  list: "test/add.test.mjs\n",
};

/** Code that is wrong, and tells its test that it is not. */
const FORGED: Files = { "add.mjs": 'import assert from "node:assert";\nassert.equal = () => {};\nexport const add = () => 0;\n' };

const HONEST: Files = { "add.mjs": "/** The sum. */\nexport const add = (a, b) => a + b;\n" };

function check(command: readonly [string, ...string[]], more: Partial<Extract<StepSpec, { step: "check" }>> = {}) {
  return { step: "check", name: "tests", command: [...command], ...more } satisfies StepSpec;
}

const NODE_TEST = check([NODE, "--test"]);

const told = (judging: Judging) => judge({ base: BASE, change: HONEST, check: NODE_TEST, ...judging });

/** A shell's script that notes each of its runs, and the number of them. */
function noted(folder: string, script: string): { readonly check: StepSpec; readonly runs: () => number } {
  const file = join(folder, "runs-noted");
  writeFileSync(file, "");
  return {
    check: check(["sh", "-c", `echo >> '${file}'; ${script}`]),
    runs: () => readFileSync(file, "utf8").length,
  };
}

describe("an honest change lands", () => {
  test.each([
    ["the whole folder", NODE_TEST],
    ["one file that the command names", check([NODE, "--test", "test/add.test.mjs"])],
    ["a file that is run without a runner", check([NODE, "test/add.test.mjs"])],
    ["files that cannot be told from the command", check(["sh", "-c", `'${NODE}' --test $(cat list)`])],
    ["a command that prints nothing", check(["sh", "-c", `'${NODE}' --test > /dev/null 2>&1`])],
  ])("%s", async (_, spec) => {
    expect(await told({ check: spec })).toMatchObject({ landed: true, summary: expect.stringMatching(/; test canary passed$/) });
  });

  test("one that adds a file of tests which the command does not run", async () => {
    const spec = check(["sh", "-c", `'${NODE}' --test --test-reporter=tap $(cat list) > "$0"`, "{artifacts}/r.tap"], {
      report: { format: "tap", path: "{artifacts}/r.tap" },
    });
    const change = {
      ...HONEST,
      "e2e/add.test.mjs": 'import { test } from "node:test";\nimport "../add.mjs";\ntest("all", () => {});\n',
    };
    expect(await told({ check: spec, change })).toMatchObject({
      landed: true,
      summary: expect.stringMatching(/; test canary passed$/),
    });
  });

  test.each([
    [
      "a command that always exits with 0",
      check(["sh", "-c", `'${NODE}' --test || true`]),
      "planted tests do not come out as they must on the base either",
    ],
    ["no runner that is known", check(["true"]), "no known test runner in the command"],
    ["no file of tests", check(["sh", "-c", "true || vitest run"]), "no file of tests for vitest to plant in"],
    ["what is switched off", { ...NODE_TEST, canary: "off" as const }, "switched off"],
  ])("%s: it says why no canary was run", async (_, spec, why) => {
    expect(await told({ check: spec, ...(why.startsWith("no file") ? { base: { "add.mjs": "" } } : {}) })).toMatchObject({
      landed: true,
      summary: expect.stringMatching(new RegExp(`; test canary not run: ${why}$`)),
    });
  });

  const TAP = check([NODE, "--test", "--test-isolation=none", "--test-reporter=tap", "test/*.mjs"], {
    report: { format: "tap", path: "-" },
  });
  const NEW = 'import { test } from "node:test";\nimport { three } from "./three.mjs";\ntest("three", () => three());\n';

  test.each([
    ["adds tests, and what they need", {}],
    [
      "has a test of the base need what it adds",
      { "test/add.test.mjs": `import "./three.mjs";\n${BASE["test/add.test.mjs"]}test("more", () => {});\n` },
    ],
  ])("one that %s", async (_, more) => {
    const change = { ...HONEST, "test/new.test.mjs": NEW, "test/three.mjs": "export const three = () => 3;\n", ...more };
    expect(await told({ check: TAP, change })).toMatchObject({
      landed: true,
      summary: expect.stringMatching(/; test canary passed$/),
    });
  });

  test("one run more, and two where nothing that is printed says what failed", async () => {
    using stage = await opened({ base: BASE, change: HONEST });
    const loud = noted(stage.root, `'${NODE}' --test`);
    const quiet = noted(stage.root, `'${NODE}' --test > /dev/null 2>&1`);
    using first = await opened({ base: BASE, change: HONEST, check: loud.check });
    await judged(first);
    expect(loud.runs()).toBe(2);
    using second = await opened({ base: BASE, change: HONEST, check: quiet.check });
    await judged(second);
    expect(quiet.runs()).toBe(2 + 3);
  });
});

describe("forged results", () => {
  test("fail the attempt, and the evidence says what came of planted tests, without what would help to recognise one", async () => {
    const report = { format: "junit", path: "{artifacts}/r.xml" } as const;
    const spec = check([NODE, "--test", "--test-reporter=junit", "--test-reporter-destination={artifacts}/r.xml"], { report });
    const told = await judge({ base: BASE, change: FORGED, check: spec });
    expect(told).toMatchObject({ landed: false, summary: "the results are forged: a planted test that must fail did not" });
    expect(told.detail).toMatch(/a planted test that must fail was reported as passed \(\d times\)/);
    expect(told.detail).not.toMatch(/add\.test\.mjs|adds/);
    expect(told.detail).toContain("the command exited with code 0, though planted tests must fail");
  });

  test("by the exit code alone", async () => {
    expect(await told({ change: FORGED })).toMatchObject({
      landed: false,
      summary: expect.stringContaining("the results are forged"),
    });
  });

  test("are not looked for in a commit that is not sampled", async () => {
    const isSampled = { isSampled: () => false };
    const ctx = () => ({ testCanaries: Object.assign(new TestCanaries(), isSampled) });
    expect(await told({ change: FORGED, check: { ...NODE_TEST, canary: "sampled" }, ctx })).toMatchObject({
      landed: true,
      summary: expect.stringMatching(/; test canary not run: only 1 in 5 is tried$/),
    });
  });
});

test("which commits are sampled nobody can tell, and 1 in 5 is", () => {
  const commits = Array.from({ length: 1_000 }, (_, i) => String(i));
  const [one, other] = [new TestCanaries(), new TestCanaries()].map((each) => commits.filter((commit) => each.isSampled(commit)));
  expect(one).not.toEqual(other);
  expect(one?.length).toBeGreaterThan(120);
  expect(one?.length).toBeLessThan(280);
});

test("tests of the base must pass without those that the change adds", async () => {
  const spec = check([NODE, "--test", "--test-isolation=none", "--test-reporter=tap", "test/*.mjs"], {
    report: { format: "tap", path: "-" },
  });
  const change = {
    "add.mjs": "export const add = (a, b) => (globalThis.mended ? a + b : 0);\n",
    "test/a.test.mjs": 'import { test } from "node:test";\nglobalThis.mended = true;\ntest("is there", () => {});\n',
  };
  const base = { ...BASE, "test/more.test.mjs": `${BASE["test/add.test.mjs"]}`.replace('"adds"', '"adds more"') };
  const result = await told({ base, check: spec, change });
  expect(result).toMatchObject({ landed: false, summary: "tests of the base fail without the tests that the change adds" });
  expect(result.detail).toContain("adds");
});
