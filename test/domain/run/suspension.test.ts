import { describe, expect, test } from "vitest";
import { engineMs, runTimeAfter, suspensionLines, withSuspension } from "../../../src/domain/run/suspension.ts";

describe("runTimeAfter", () => {
  test.for([
    ["no suspension", [], 110],
    ["one before", [{ from: 0, to: 50 }], 110],
    ["one that began before", [{ from: 50, to: 103 }], 113],
    ["one within", [{ from: 103, to: 203 }], 210],
    [
      "two within, the second because of the first",
      [
        { from: 103, to: 203 },
        { from: 205, to: 300 },
      ],
      305,
    ],
    ["one after", [{ from: 110, to: 300 }], 110],
    ["one with a clock that was set back", [{ from: 105, to: 50 }], 110],
  ] as const)("%s", ([, suspensions, end]) => expect(runTimeAfter({ suspensions }, 100, 10)).toBe(end));
});

describe("engineMs", () => {
  test.for([
    ["no suspension", [], 100],
    ["one within", [{ from: 120, to: 150 }], 70],
    [
      "parts of those at both ends",
      [
        { from: 50, to: 110 },
        { from: 190, to: 300 },
      ],
      80,
    ],
    [
      "those outside",
      [
        { from: 0, to: 100 },
        { from: 200, to: 300 },
      ],
      100,
    ],
    ["one with a clock that was set back", [{ from: 150, to: 120 }], 100],
  ] as const)("%s", ([, suspensions, ms]) => expect(engineMs({ suspensions }, 100, 200)).toBe(ms));
});

test("a state keeps the last thousand, and a text the first few of them", () => {
  let state = {};
  for (let i = 0; i < 1_001; i += 1) state = withSuspension(state, { from: i * 10_000, to: i * 10_000 + 5_000 });
  const lines = suspensionLines(state);
  expect(lines[0]).toContain("from 1970-01-01 00:00:10 UTC to 1970-01-01 00:00:15 UTC (5s)");
  expect(lines.length).toBeLessThan(30);
});
