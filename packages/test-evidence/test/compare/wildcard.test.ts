import { expect, test } from "vitest";
import { matchesWildcard } from "../../src/compare/wildcard.ts";

test.for([
  ["a", "a", true],
  ["a", "A", false],
  ["b", "ab", false],
  ["", "", true],
  ["*", "", true],
  ["*", "any/thing [1] {x}\n", true],
  ["a*", "a", true],
  ["a*c", "ac", true],
  ["a*c", "abdc", true],
  ["a*c", "abdcd", false],
  ["*b*", "abc", true],
  ["a.c", "abc", false],
  ["a[1]", "a[1]", true],
  ["a[1]", "a1", false],
  ["test/*.ts > *", "test/deep/x.ts > adds", true],
  ["**", "x", true],
] as const)("%j on %j is %j", ([pattern, text, expected]) => {
  expect(matchesWildcard(pattern, text)).toBe(expected);
});

test("a pattern full of stars costs no more than a look at each pair of characters", () => {
  const began = performance.now();
  expect(matchesWildcard(`${"*a".repeat(500)}b`, "a".repeat(5000))).toBe(false);
  expect(performance.now() - began).toBeLessThan(10_000);
});
