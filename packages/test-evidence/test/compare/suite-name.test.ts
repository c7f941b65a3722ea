import { describe, expect, test } from "vitest";
import type { TestResult } from "../../src/compare/results.ts";
import { alignSuiteName, namedAsOn } from "../../src/compare/suite-name.ts";

const passed = (...ids: readonly string[]): readonly TestResult[] => ids.map((id) => ({ id, outcome: "passed" }));

describe("the suite that all tests lie in", () => {
  test("is named as on the base", () => {
    expect(alignSuiteName(passed("pytest > m > a"), passed("calc > m > a", "calc > m > b"))).toEqual(
      passed("pytest > m > a", "pytest > m > b"),
    );
  });

  test.each([
    ["there are several on the base", passed("x > m > a", "y > m > a"), passed("z > m > a")],
    ["there are several on the candidate", passed("x > m > a"), passed("y > m > a", "z > m > a")],
    ["a test lies in none", passed("x > m > a"), passed("y > m > a", "b")],
    ["what it names is a suite of tests", passed("x > a"), passed("y > a")],
    ["there are no tests", [], passed("y > m > a")],
  ])("keeps its name if %s", (_, base, tests) => {
    expect(alignSuiteName(base, tests)).toBe(tests);
  });

  test("is a matter of settings with pytest alone", () => {
    const [base, run] = [
      { exitCode: 0, tests: passed("pytest > m > a") },
      { exitCode: 0, tests: passed("calc > m > a") },
    ];
    expect(namedAsOn(base, run, ["python3", "-m", "pytest"])).toEqual(base);
    expect(namedAsOn(base, run, ["vitest", "run"])).toBe(run);
    expect(namedAsOn(undefined, run, ["pytest"])).toBe(run);
    const finding = { says: "no report", ids: [] };
    expect(namedAsOn(base, finding, ["pytest"])).toBe(finding);
  });
});
