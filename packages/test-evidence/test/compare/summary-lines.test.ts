import { describe, expect, test } from "vitest";
import { findingsLine, findingsText } from "../../src/compare/summary-lines.ts";

const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `t${i}`);

describe("findings as a text", () => {
  test("each with its tests below it", () => {
    expect(
      findingsText([
        { says: "two failed", ids: ["a", "b"] },
        { says: "none ran", ids: [] },
      ]),
    ).toBe("two failed:\n  a\n  b\nnone ran");
  });

  test("with as many tests as are listed, and how many more there are", () => {
    expect(findingsText([{ says: "failed", ids: ids(15) }])).toMatch(/^failed:(\n {2}t\d+){15}$/);
    expect(findingsText([{ says: "failed", ids: ids(17) }])).toMatch(/^failed:(\n {2}t\d+){15}\n {2}and 2 more$/);
  });

  test("with ids that are safe to show, and not too long", () => {
    const text = findingsText([{ says: "failed", ids: ["\u001b[31m red", "x".repeat(500)] }]);
    expect(text).not.toContain("\u001b");
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBe(162);
  });
});

test("findings as a line", () => {
  const line = findingsLine([
    { says: "two failed", ids: ["a"] },
    { says: "none \u001b[31mran", ids: [] },
  ]);
  expect(line).toBe("two failed; none ran");
  expect(findingsLine([{ says: "x".repeat(500), ids: [] }])).toHaveLength(400);
});
