import { describe, expect, test } from "vitest";
import { readBudget, readingPause, retryTime } from "../../../../src/adapters/tracker/linear/client/budget.ts";
import { aWorld, Stage } from "./stage.ts";

const NOW = Date.UTC(2027, 0, 1);
const HOUR = 3_600_000;

const headers = (left: Partial<Record<"requests" | "complexity", number>>, { reset = NOW + HOUR, date = NOW } = {}): Headers =>
  new Headers([
    ["date", new Date(date).toUTCString()],
    ...Object.entries(left).flatMap(([kind, remaining]): [string, string][] => [
      [`x-ratelimit-${kind}-remaining`, String(remaining)],
      [`x-ratelimit-${kind}-reset`, String(reset)],
    ]),
  ]);

const COST = { whole: { requests: 1, complexity: 9_500 }, changes: { requests: 1, complexity: 230 } };

describe("the pause between readings of Linear", () => {
  test("is half a minute while nothing is known", () => {
    expect(readingPause({}, {}, NOW)).toBe(30_000);
    expect(readingPause(readBudget(new Headers(), NOW), COST, NOW)).toBe(30_000);
    expect(readingPause(readBudget(new Headers({ "x-ratelimit-requests-remaining": "many" }), NOW), COST, NOW)).toBe(30_000);
  });

  test.each([100, 200, 400, 700])("spends at most half of %i requests until the reset", (remaining) => {
    const pause = readingPause(readBudget(headers({ requests: remaining }), NOW), COST, NOW);
    expect(pause).toBeGreaterThan(10_000);
    expect(HOUR / pause).toBeLessThanOrEqual(remaining / 2);
  });

  test("spends at most half of the points, with a whole reading among twenty", () => {
    const pause = readingPause(readBudget(headers({ requests: 5_000, complexity: 100_000 }), NOW), COST, NOW);
    const points = (HOUR / pause) * ((9_500 + 19 * 230) / 20);
    expect(points).toBeLessThanOrEqual(50_000);
    expect(points).toBeGreaterThan(49_000);
  });

  test("has room for whole readings only, as many as half of the limit takes", () => {
    const of = (limit: number, remaining = limit) => {
      const told = headers({ complexity: remaining });
      told.set("x-ratelimit-complexity-limit", String(limit));
      return readingPause(readBudget(told, NOW), COST, NOW);
    };
    const round = 9_500 + 19 * 230;
    expect(of(4 * round)).toBe(HOUR / 40);
    expect(of(4 * round - 1)).toBe(HOUR / 20);
    // Near the reset, much of a limit may be left, and is left.
    const late = headers({ complexity: 4 * round }, { reset: NOW + 60_000 });
    late.set("x-ratelimit-complexity-limit", String(4 * round));
    expect(readingPause(readBudget(late, NOW), COST, NOW)).toBe(HOUR / 40);
    // If others use the token too, what is left counts.
    expect(of(4 * round, 1.5 * round)).toBe(HOUR / 15);
  });

  test("is at least 10 and at most 300 seconds", () => {
    expect(readingPause(readBudget(headers({ requests: 1_000_000, complexity: 1e9 }), NOW), COST, NOW)).toBe(10_000);
    expect(readingPause(readBudget(headers({ requests: 2 }), NOW), COST, NOW)).toBe(300_000);
    expect(readingPause(readBudget(headers({ requests: 0 }), NOW), COST, NOW)).toBe(300_000);
    // After the reset there is a whole budget again.
    expect(readingPause(readBudget(headers({ requests: 0 }), NOW), COST, NOW + HOUR)).toBe(10_000);
  });

  test("goes by the server's clock, and takes times of reset in seconds too", () => {
    const ahead = headers({ requests: 100 }, { date: NOW + 9 * HOUR, reset: NOW + 10 * HOUR });
    expect(readBudget(ahead, NOW)).toEqual({ requests: { remaining: 100, resetAt: NOW + HOUR } });
    expect(readBudget(headers({ requests: 100 }, { reset: (NOW + HOUR) / 1000 }), NOW).requests?.resetAt).toBe(NOW + HOUR);
  });

  test("follows what the service was answered", async () => {
    const now = () => NOW;
    const stage = await Stage.open({ world: aWorld(100), budget: { requests: 60, complexity: 1e9 }, now });
    const service = stage.service({ team: "ENG" }, { now });
    expect(service.pauseMs?.()).toBe(30_000);
    await service.snapshot("whole");
    await service.snapshot("changes");
    // The first reading took four requests, so that a round of 20 takes 23, and half of the limit has room for one round.
    expect(service.pauseMs?.()).toBe(HOUR / 20);
  });
});

test("a refusal that says when it ends is believed", () => {
  expect(retryTime(undefined, NOW)).toBe(NOW + 60_000);
  expect(retryTime(headers({ requests: 0, complexity: 5 }, { reset: NOW + 1_000 }), NOW)).toBe(NOW + 1_000);
  expect(retryTime(headers({ requests: 7 }), NOW)).toBe(NOW + 60_000);
  expect(retryTime(headers({ requests: 0 }, { reset: NOW - 1_000 }), NOW)).toBe(NOW + 60_000);
});
