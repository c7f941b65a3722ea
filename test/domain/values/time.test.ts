import { expect, test } from "vitest";
import { formatDuration } from "../../../src/domain/values/time.ts";

test.for([
  [0, "0s"],
  [-5, "0s"],
  [59_999, "59s"],
  [60_000, "1:00"],
  [61_000, "1:01"],
  [3_599_999, "59:59"],
  [3_600_000, "1:00:00"],
  [21_520_000, "5:58:40"],
] as const)("a duration of %i ms is %s", ([ms, text]) => {
  expect(formatDuration(ms)).toBe(text);
});
