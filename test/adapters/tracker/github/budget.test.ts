import { expect, test } from "vitest";
import { Budget } from "../../../../src/adapters/github/budget.ts";

const NOW = Date.UTC(2027, 0, 1);
const HOUR = 3_600_000;

/** The pause after an answer that tells of so many points, and a reading that took `cost` of them. */
function pauseAfter(
  told: { readonly remaining: number; readonly resetIn: number; readonly limit?: number },
  cost: number,
): number {
  const budget = new Budget(() => NOW);
  const { remaining, resetIn, limit } = told;
  budget.note(
    new Headers({
      date: new Date(NOW).toUTCString(),
      "x-ratelimit-resource": "graphql",
      "x-ratelimit-remaining": String(remaining),
      "x-ratelimit-reset": String((NOW + resetIn) / 1000),
      ...(limit !== undefined && { "x-ratelimit-limit": String(limit) }),
    }),
  );
  budget.spend("graphql", cost);
  budget.endReading();
  return budget.pauseMs();
}

test("readings take at most half of GitHub's limit in any hour, also near the reset", () => {
  for (const resetIn of [HOUR, HOUR / 2, 60_000, 1_000]) {
    const pause = pauseAfter({ remaining: 2_600, resetIn, limit: 5_000 }, 60);
    expect(Math.floor(HOUR / pause) * 60, `${resetIn}`).toBeLessThanOrEqual(2_500);
  }
  expect(pauseAfter({ remaining: 5_000, resetIn: HOUR, limit: 5_000 }, 60)).toBe(Math.round(HOUR / 41));
});

test("if others use the token too, half of what is left counts", () => {
  expect(pauseAfter({ remaining: 1_800, resetIn: HOUR, limit: 5_000 }, 60)).toBe(HOUR / 15);
});

test("a server that does not tell its limit is asked by what is left", () => {
  expect(pauseAfter({ remaining: 2_400, resetIn: HOUR / 2 }, 60)).toBe(HOUR / 2 / 20);
});
