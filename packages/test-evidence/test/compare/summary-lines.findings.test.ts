import { describe, expect, test } from "vitest";
import { compareRuns } from "../../src/compare/compare.ts";
import { isCoverageConfiguration, isTestFile, languageFamily } from "../../src/compare/languages.ts";
import type { TestOutcome, TestRun } from "../../src/compare/results.ts";

const NOTHING = { testsRemoved: [], testsSkipped: [], suppressions: false };

/** A run from `"id id!"`: `!` failed, `~` skipped, otherwise passed. */
function run(text: string, exitCode: number): TestRun {
  const marks: Record<string, TestOutcome> = { "!": "failed", "~": "skipped" };
  const words = text.split(" ").filter((word) => word !== "");
  return {
    exitCode,
    tests: words.map((word) => ({ id: word.replace(/[!~]$/, ""), outcome: marks[word.at(-1) ?? ""] ?? "passed" })),
  };
}

describe("a finding says what a person needs", () => {
  test.each<[string, TestRun | undefined, TestRun, (string | string[])[]]>([
    ["no report", undefined, run("", 0), ["the report holds no tests", []]],
    ["nothing but skips", undefined, run("a~", 0), ["no test was run", [], "1 test newly skipped", ["a"]]],
    ["a failure", run("a b", 0), run("a! b", 1), ["1 test failed", ["a"]]],
    ["two failures", run("a b", 0), run("a! b!", 1), ["2 tests failed", ["a", "b"]]],
    ["one gone", run("a b", 0), run("a c", 0), ["1 test of the base vanished", ["b"]]],
    ["one skipped", run("a b", 0), run("a b~ c", 0), ["1 test newly skipped", ["b"]]],
    ["one said twice", run("a b", 0), run("a b b!", 1), ["1 test failed", ["b"], "1 test reported more than once", ["b"]]],
    ["a failure that the exit code hides", run("a b!", 1), run("a b!", 0), ["exit code 0, though 1 test failed", ["b"]]],
    ["an exit code without a failure", run("a", 0), run("a", 3), ["exit code 3, though no test failed", []]],
    [
      "another exit code than before",
      run("a b!", 1),
      run("a b!", 3),
      ["exit code 3, and 1 on the base, where the same tests fail", ["b"]],
    ],
  ])("%s", (_what, base, candidate, expected) => {
    const { findings } = compareRuns(base, candidate, NOTHING);
    expect(findings.flatMap(({ says, ids }) => [says, [...ids]])).toEqual(expected);
  });

  test("no base is a base without tests", () => {
    expect(compareRuns(undefined, run("a", 0), NOTHING).base).toEqual({ passed: 0, failed: 0, skipped: 0, todo: 0 });
  });
});

describe("a file is known by its name", () => {
  test.each([
    ["test/a.ts", true],
    ["tests/a.ts", true],
    ["a/spec/b.rb", true],
    ["specs/b.rb", true],
    ["src/__tests__/a.ts", true],
    ["e2e/a.ts", true],
    ["latest/a.ts", false],
    ["src/contest/a.ts", false],
    ["a.test.ts", true],
    ["a.tests.ts", true],
    ["a_test.go", true],
    ["a-specs.js", true],
    ["test_a.py", true],
    ["tests-a.py", true],
    ["src/spec.a.js", true],
    ["ATest.java", true],
    ["ATests.cs", true],
    ["ASpec.scala", true],
    ["Test.kt", true],
    ["ATest.d/x.java", false],
    ["attest.ts", false],
    ["testing.ts", false],
    ["a/inspect.ts", false],
    ["src/a.ts", false],
  ])("%s: a file of tests is %s", (path, expected) => {
    expect(isTestFile(path)).toBe(expected);
  });

  test("its folder does not make it code or configuration", () => {
    expect([languageFamily("a.b/C.TS"), languageFamily("a.ts/b"), languageFamily("ts"), languageFamily("a.md")]).toEqual([
      "js",
      undefined,
      "js",
      undefined,
    ]);
    expect([
      isCoverageConfiguration("a/Package.json"),
      isCoverageConfiguration("package.json/a"),
      isCoverageConfiguration("xpackage.json"),
    ]).toEqual([true, false, false]);
  });
});
