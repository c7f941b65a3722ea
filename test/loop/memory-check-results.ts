import type { CheckResults, FlakyTest, KeptRun } from "../../src/ports/check-results.ts";

/** What runs of loopdash share. */
export interface SharedResults {
  readonly results: Map<string, KeptRun>;
  readonly flaky: Map<string, readonly FlakyTest[]>;
  readonly ms: Map<string, number>;
}

export function noResults(): SharedResults {
  return { results: new Map(), flaky: new Map(), ms: new Map() };
}

/** Kept results in memory, of one run; `shared` is given to a later run. */
export function memoryCheckResults({ results, flaky, ms } = noResults()): CheckResults {
  const own = new Map<string, KeptRun>();
  return {
    find: (key) => {
      const [mine, others] = [own.get(key), results.get(key)];
      if (mine !== undefined) return { ...mine, isEarlier: false };
      return others && { ...others, isEarlier: true };
    },
    keep: (key, run, { forEveryRun }) => {
      own.set(key, run);
      if (forEveryRun) results.set(key, run);
    },
    share: (key) => {
      const mine = own.get(key);
      if (mine !== undefined) results.set(key, mine);
    },
    flakyTests: (check) => flaky.get(check) ?? [],
    addFlakyTests: (check, tests) => void flaky.set(check, [...tests, ...(flaky.get(check) ?? [])]),
    lastMs: (check) => ms.get(check),
    recordMs: (check, duration) => void ms.set(check, duration),
  };
}
