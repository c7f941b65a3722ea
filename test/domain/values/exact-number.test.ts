import { describe, expect, test } from "vitest";
import { holdsExactNumbers, isExactly } from "../../../src/domain/values/exact-number.ts";

describe("a number in JSON", () => {
  test.for([
    ["1", 1],
    ["1.0", 1],
    ["1e0", 1],
    ["0.10", 0.1],
    ["1e-3", 0.001],
    ["1.01e2", 101],
    ["101.0", 101],
    ["1E+2", 100],
    ["-0.0e5", 0],
    ["-1.50", -1.5],
  ] as const)("%s is %d", ([source, value]) => {
    expect(isExactly(source, value)).toBe(true);
  });

  test.for([
    ["2", 1],
    ["10", 1],
    ["1", 10],
    ["-1", 1],
    ["1", -1],
    ["9007199254740993", 9007199254740992],
    // Digits that stand in the middle of something else.
    ["x1", 1],
    ["1x", 1],
    ["x", 1],
    ["", 0],
    // What JSON cannot say is no number in it.
    ["1e999", Number.POSITIVE_INFINITY],
    ["0", Number.NaN],
  ] as const)("%s is not %d", ([source, value]) => {
    expect(isExactly(source, value)).toBe(false);
  });
});

describe("a value read from JSON", () => {
  test.for([[Number.MAX_SAFE_INTEGER], [-0.1], ["9007199254740993"], [null], [true], [{ a: [1, { b: "x" }], c: null }]])(
    "holds numbers that a file can say exactly: %j",
    ([value]) => {
      expect(holdsExactNumbers(value)).toBe(true);
    },
  );

  test.for([[2 ** 53], [-(2 ** 53)], [[1, 2 ** 53]], [{ a: "x", b: { c: [2 ** 60] } }]])(
    "holds one that was rounded, at any depth, beside any others: %j",
    ([value]) => {
      expect(holdsExactNumbers(value)).toBe(false);
    },
  );
});
