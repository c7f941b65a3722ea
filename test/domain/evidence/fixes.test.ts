import { failingOnBaseLine, failingUnnamed, fixFindings, type TestOutcome, tallies } from "@loopdash/test-evidence";
import { describe, expect, test } from "vitest";
import { withFailingOnBase } from "../../../src/domain/run/base-fact.ts";

/** Tallies of `"id id!"`: `!` failed, `~` skipped, `?` todo, otherwise passed. */
function of(text: string) {
  const marks: Record<string, TestOutcome> = { "!": "failed", "~": "skipped", "?": "todo" };
  const words = text.split(" ").filter((word) => word !== "");
  return tallies(words.map((word) => ({ id: word.replace(/[!~?]$/, ""), outcome: marks[word.at(-1) ?? ""] ?? "passed" })));
}

function found(
  base: string,
  candidate: string,
  patterns: readonly string[],
  over: { elsewhere?: string[]; isLast?: boolean } = {},
) {
  const findings = fixFindings(of(base), of(candidate), { patterns, elsewhere: [], isLast: true, ...over });
  return findings.map(({ says, ids }) => `${says.replace(/^.* (?:is|are) /, "")}: ${ids.join(",")}`);
}

describe("fixFindings", () => {
  test.for([
    ["a failing test that passes now", "a b!", "a b", ["b"]],
    ["a test that is new", "a", "a b", ["b"]],
    ["a pattern that names several", "a/x! a/y! b!", "a/x a/y b!", ["a/*"]],
    ["nothing named", "a!", "a!", []],
  ] as const)("accepts %s", ([, base, candidate, patterns]) => {
    expect(found(base, candidate, patterns)).toEqual([]);
  });

  test.for([
    ["still failing: b", "a b!", "a b!", ["b"]],
    ["skipped, not run: b", "a b!", "a b~", ["b"]],
    ["skipped, not run: b", "a b!", "a b?", ["b"]],
    ["no longer there: b", "a b!", "a B b2", ["b"]],
    ["not in any report of its checks: c", "a b!", "a b", ["b", "c"]],
    ["not in any report of its checks: x/*", "a b!", "a b", ["b", "x/*"]],
    ["still failing: a/y", "a/x! a/y!", "a/x a/y!", ["a/*"]],
    ["no longer there: a/y", "a/x! a/y!", "a/x", ["a/*"]],
    ["still failing: b", "b! b!", "b b!", ["b"]],
    ["skipped, not run: b", "b!", "b b~", ["b"]],
  ] as const)("finds what is %s", ([expected, base, candidate, patterns]) => {
    expect(found(base, candidate, patterns)).toEqual([expected]);
  });

  test("a pattern may be about a test of an earlier check, and the last check says what is in none", () => {
    expect(found("a", "a", ["b"], { isLast: false })).toEqual([]);
    expect(found("a", "a", ["b"], { elsewhere: ["b"] })).toEqual([]);
    expect(found("a", "a", ["b*"], { elsewhere: ["a", "bc"] })).toEqual([]);
    expect(found("a", "a", ["c"], { elsewhere: ["b"] })).toEqual(["not in any report of its checks: c"]);
  });
});

describe("tests that fail on the base", () => {
  test("do not count unless they are named", () => {
    expect(failingUnnamed(of("a b! c! d~"), ["c"])).toEqual(["b"]);
    expect(failingUnnamed(of("x/b! x/c!"), ["x/*"])).toEqual([]);
  });

  test("are told in a line that is bounded and safe", () => {
    expect(failingOnBaseLine(["a"])).toBe("1 test fails on the base and does not count: a");
    expect(failingOnBaseLine(["a\u001b[31m", "b", "c", "d"], 7)).toBe(
      "7 tests fail on the base and do not count: a, b, c, 4 more",
    );
    expect(failingOnBaseLine([])).toBe("no test fails on the base any more");
  });

  test("are known by check, as last measured", () => {
    const one = { check: "unit", count: 1, tests: ["a"] };
    const other = { check: "e2e", count: 2, tests: ["b", "c"] };
    expect(withFailingOnBase(withFailingOnBase(undefined, one), other)).toEqual([one, other]);
    expect(withFailingOnBase([one, other], { ...one, count: 0, tests: [] })).toEqual([other]);
  });
});
