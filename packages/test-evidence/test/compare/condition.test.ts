import { describe, expect, it } from "vitest";
import { parseCondition, unmetComparisons } from "../../src/compare/condition.ts";

const candidate = { passed: 40, failed: 1, skipped: 2, todo: 0 };
const base = { passed: 41, failed: 0, skipped: 1, todo: 0 };

describe("a condition over counted tests", () => {
  it.each([
    ["tests_total >= base", []],
    ["tests_total == 43", ["tests_total is 43, and must be == 43"].slice(1)],
    ["tests_total > base", []],
    ["tests_total >= base + 2", ["tests_total is 43, and must be >= 44 (42 on the base)"]],
    ["tests_failed == 0", ["tests_failed is 1, and must be == 0"]],
    ["tests_skipped <= base", ["tests_skipped is 2, and must be <= 1 (1 on the base)"]],
    ["tests_passed >= base - 1", []],
    ["tests_todo < 1 and tests_failed != 1", ["tests_failed is 1, and must be != 1"]],
  ])("%s", (text, unmet) => {
    expect(unmetComparisons(text, { candidate, base })).toEqual(unmet);
  });

  it.each([
    ["tests_totl >= base", "names no count of tests"],
    ["tests_total", "is no condition"],
    ["tests_total >= base or tests_failed == 0", "is no condition"],
    ["tests_total = 3", "is no condition"],
    ["base >= tests_total", "is no condition"],
    ["tests_total >= process.exit()", "is no condition"],
    ["tests_total >= 1e3", "is no condition"],
    ["tests_total >= -1", "is no condition"],
    ["and", "is no condition"],
    [" ", "is no condition"],
    [`tests_total >= ${"1".repeat(400)}`, "is longer than 300 characters"],
  ])("refuses %s, and never holds it", (text, message) => {
    expect(parseCondition(text)).toMatchObject({ ok: false, message });
    expect(unmetComparisons(text, { candidate, base })).toHaveLength(1);
  });
});
