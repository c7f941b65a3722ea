import type { TestRun } from "@loopdash/test-evidence";
import { describe, expect, it } from "vitest";
import {
  eitherRun,
  failingTests,
  flakyAmong,
  flakyLine,
  flakyStopReason,
  flakyTests,
  type TestRecord,
  withFlaky,
  withoutFlaky,
} from "../src/flaky.ts";
import { aFinding } from "./fixtures.ts";

const aRecord = (changed: Partial<TestRecord>): TestRecord => ({
  ...{ testId: "a", tree: "t1", outcome: "passed", isBase: false },
  ...changed,
});
const flaky = (...records: readonly Partial<TestRecord>[]) => {
  const found = flakyTests(records.map(aRecord));
  return { flaky: [...found.flaky], excluded: [...found.excluded] };
};

describe("a flaky test", () => {
  it("has both outcomes on one tree", () => {
    expect(flaky({}, { outcome: "failed" }, { outcome: "failed" })).toEqual({ flaky: ["a"], excluded: [] });
  });

  it("has not, if only the tree or the test differs", () => {
    expect(flaky({}, { outcome: "failed", tree: "t2" })).toEqual({ flaky: [], excluded: [] });
    expect(flaky({}, { outcome: "failed", testId: "b" })).toEqual({ flaky: [], excluded: [] });
    expect(flaky({ outcome: "failed" }, { outcome: "failed" })).toEqual({ flaky: [], excluded: [] });
    expect(flaky()).toEqual({ flaky: [], excluded: [] });
  });

  it("is excluded only if the base shows both: a change could make its own test fail by chance", () => {
    expect(flaky({ isBase: true }, { isBase: true, outcome: "failed" })).toEqual({ flaky: ["a"], excluded: ["a"] });
    expect(flaky({ isBase: true }, { outcome: "failed" })).toEqual({ flaky: ["a"], excluded: [] });
    expect(flaky({ isBase: true, tree: "t0" }, {}, { outcome: "failed" })).toEqual({ flaky: ["a"], excluded: [] });
  });
});

describe("findings of flaky tests", () => {
  const history = { flaky: new Set(["a", "b"]), excluded: new Set(["a"]) };
  const [excused, suspected, other] = [aFinding({ test: "a" }), aFinding({ test: "b" }), aFinding({ test: "c" })];

  it("do not count if they are excluded", () => {
    const marked = withFlaky([excused, suspected, other], history);
    expect(marked.map(({ category, severity }) => `${severity} ${category}`)).toEqual(["low flaky", "high test", "high test"]);
    expect(withoutFlaky(marked).map(({ test }) => test)).toEqual(["b", "c"]);
    expect(marked[1]?.hints[0]).toContain("so it counts");
    expect(marked[2]).toBe(other);
  });

  it("are the reason to stop if nothing else fails", () => {
    expect(flakyStopReason(withFlaky([excused], history))).toBe("flaky");
    expect(flakyStopReason(withFlaky([excused, other], history))).toBeUndefined();
    expect(flakyStopReason(withFlaky([suspected], history))).toBeUndefined();
    expect(flakyStopReason([])).toBeUndefined();
  });

  it("excuse no finding that is not of a test", () => {
    const lint = aFinding({ test: "a", category: "lint" });
    expect(withFlaky([lint], history)).toEqual([lint]);
  });
});

describe("runs of one command on one tree", () => {
  const runOf = (words: string, exitCode = words.includes("!") ? 1 : 0): TestRun => ({
    exitCode,
    tests: words.split(" ").map((word) => {
      const outcome = word.endsWith("!") ? "failed" : word.endsWith("~") ? "skipped" : "passed";
      return { id: word.replace(/[!~]$/, ""), outcome };
    }),
  });

  it.for([
    ["a b!", "a! b!", ["a"]],
    ["a b", "a b", []],
    ["a~", "a!", []],
    ["a a!", "a! a!", []],
    ["a! b", "c!", []],
  ] as const)("%s and %s: flaky are %j", ([one, two, flaky]) => {
    expect(flakyAmong("t", [runOf(one), runOf(two)])).toEqual(flaky);
  });

  it("a test fails more often than on the base", () => {
    expect(failingTests(runOf("a b! c"), runOf("a! b! c d!"))).toEqual(["a", "d"]);
  });

  it.for([
    ["x! b", "x b", "x b", 0, ["x"]],
    ["x! b", "x! b", "x! b", 1, []],
    ["x! y!", "x! y", "x! y", 1, ["y"]],
    // A test that is not flaky counts as in the worse run.
    ["x! b", "x b!", "x b!", 1, ["x"]],
    ["x! b", "x b~", "x b~", 0, ["x"]],
    ["x! b", "x", "x", 0, ["x"]],
    ["x! b!", "x b!", "x b!", 1, ["x"]],
    ["x!", "x~", "x!", 1, []],
  ] as const)("%s, then %s, is %s", ([one, two, both, exitCode, excused]) => {
    expect(eitherRun(runOf(one), runOf(two), ["x", "y"])).toEqual({ run: runOf(both, exitCode), excused });
  });

  it("an exit code that no failed test explains stays", () => {
    expect(eitherRun(runOf("x!", 1), runOf("x", 3), ["x"]).run.exitCode).toBe(3);
  });

  it("one line names the flaky tests that failed once", () => {
    expect(flakyLine(["a\x1b[2J"])).toBe("1 flaky test failed once: a");
    expect(flakyLine(["a", "b", "c", "d", "e"])).toBe("5 flaky tests failed once: a, b, c, and 2 more");
  });
});
