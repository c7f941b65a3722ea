import { expect } from "vitest";

/** Rounds after which a case that was not met is taken for one that does not come: one in eight misses it in each of them. */
const ROUNDS = 12;

/**
 * Checks a property by ever new examples until `missing` is empty: a property says nothing of a case that no example met,
 * and what comes twice in 250 examples is missed by one run of the tests in eight.
 */
export function untilMet(missing: () => readonly string[], check: () => void): void {
  for (let round = 0; round < ROUNDS; round++) {
    check();
    if (missing().length === 0) return;
  }
  expect(missing()).toEqual([]);
}

/** The names that nothing was counted for. */
export function uncounted(seen: Readonly<Record<string, number>>): readonly string[] {
  return Object.keys(seen).filter((name) => seen[name] === 0);
}
