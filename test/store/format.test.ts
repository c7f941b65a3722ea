import { expect, test } from "vitest";
import { plural } from "../../src/domain/values/text.ts";
import { formatAge, formatCap, formatElapsed, formatLeft, formatLong, formatUsd } from "../../src/store/format.ts";

test("elapsed time is minutes and seconds, and hours once there are any", () => {
  expect([0, 999, 61_000, 3_599_000, 3_600_000, 37_230_000].map(formatElapsed)).toEqual([
    "00:00",
    "00:00",
    "01:01",
    "59:59",
    "1:00:00",
    "10:20:30",
  ]);
});

test("time that runs backwards, as between two clocks, reads as zero", () => {
  expect([formatElapsed(-5000), formatLong(-5000), formatAge(-5000)]).toEqual(["00:00", "00:00:00", "0s"]);
});

test("a long clock never changes its width within four days", () => {
  const widths = new Set([0, 59_000, 3_600_000, 99 * 3_600_000].map((ms) => formatLong(ms).length));
  expect([...widths]).toEqual([8]);
});

test("an age takes four columns at most, by its greatest unit", () => {
  expect([7_000, 59_999, 60_000, 48 * 60_000, 12 * 3_600_000, 47 * 3_600_000, 72 * 3_600_000].map(formatAge)).toEqual([
    "7s",
    "59s",
    "1m",
    "48m",
    "12h",
    "47h",
    "3d",
  ]);
});

test("money has cents, a round cap has none", () => {
  expect([formatUsd(0), formatUsd(6.1), formatUsd(12_345.6), formatCap(50), formatCap(0.5)]).toEqual([
    "$0.00",
    "$6.10",
    "$12346",
    "$50",
    "$0.50",
  ]);
});

test("one is not many", () => {
  expect([plural(1, "ticket"), plural(2, "ticket"), plural(2, "try", "tries")]).toEqual(["1 ticket", "2 tickets", "2 tries"]);
});

test("what is left of a time is told by the second under two minutes", () => {
  expect([600_000, 120_000, 119_999, 61_000, 9_400, -5].map(formatLeft)).toEqual(["10m", "2m", "1:59", "1:01", "0:09", "0:00"]);
});
