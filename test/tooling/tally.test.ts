import { describe, expect, it } from "vitest";
import { type Report, tally } from "../../scripts/test.ts";

const file = (status: string, ...tests: readonly string[]): Report["testResults"][number] => ({
  name: "a.test.ts",
  status,
  message: "",
  assertionResults: tests.map((result, i) => ({ fullName: `test ${i}`, status: result })),
});

const report = (...testResults: Report["testResults"]): Report => ({ numPassedTests: 1, testResults });

describe("the tally of a test run", () => {
  it("counts failed tests once, with or without their file", () => {
    expect(tally(report(file("failed", "passed", "failed", "failed"), file("passed", "passed")))).toEqual({
      failed: 2,
      notRun: [],
    });
  });

  it("counts a file that broke before its tests", () => {
    expect(tally(report(file("failed"), file("failed", "passed"))).failed).toBe(2);
  });

  it.each(["skipped", "pending", "todo", "disabled"])("names a test that is %s", (status) => {
    expect(tally(report(file("passed", "passed", status)))).toEqual({ failed: 0, notRun: ["test 1"] });
  });
});
