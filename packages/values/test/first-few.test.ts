import { expect, test } from "vitest";
import { firstFew, firstFewLine } from "../src/text.ts";

test("a list that fits is shown whole", () => {
  expect(firstFew(["a", "b"], 2)).toEqual(["a", "b"]);
  expect(firstFewLine(["a", "b"], 2)).toBe("a, b");
  expect(firstFewLine([], 2)).toBe("");
});

test("the texts that do not fit are counted", () => {
  expect(firstFew(["a", "b", "c", "d"], 2)).toEqual(["a", "b", "and 2 more"]);
  expect(firstFewLine(["a", "b", "c", "d"], 2)).toBe("a, b and 2 more");
});
