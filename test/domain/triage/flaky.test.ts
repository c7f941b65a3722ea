import { describe, expect, it } from "vitest";
import { flakyTests, reasonsOf, stopReasonOf, type TestRecord, withFlaky } from "../../../src/domain/triage/flaky.ts";
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
    expect(reasonsOf(marked).map(({ test }) => test)).toEqual(["b", "c"]);
    expect(marked[1]?.hints[0]).toContain("so it counts");
    expect(marked[2]).toBe(other);
  });

  it("are the reason to stop if nothing else fails", () => {
    expect(stopReasonOf(withFlaky([excused], history))).toBe("flaky");
    expect(stopReasonOf(withFlaky([excused, other], history))).toBeUndefined();
    expect(stopReasonOf(withFlaky([suspected], history))).toBeUndefined();
    expect(stopReasonOf([])).toBeUndefined();
  });

  it("excuse no finding that is not of a test", () => {
    const lint = aFinding({ test: "a", category: "lint" });
    expect(withFlaky([lint], history)).toEqual([lint]);
  });
});
