import { plainText, plural } from "@loopdash/values";
import { failingUnnamed } from "./fixes.ts";
import { type TestRun, tallies } from "./results.ts";

/** The results of a check on earlier commits of a base, each of which was the base of the run at some time. */
export interface EarlierResults {
  readonly runs: readonly TestRun[];
  /** Patterns of tests that open tickets of the run are to fix: such a test may come to the base red. */
  readonly awaited: readonly string[];
}

/**
 * Tests that fail on a base, and did not on an earlier commit of it in this run: they passed there, or were not there. A test that
 * was red at the first base and has never passed since is not among them. Without earlier results nothing is known.
 */
export function brokenTests(now: TestRun, { runs, awaited }: EarlierResults): readonly string[] {
  if (runs.length === 0) return [];
  const results = tallies(now.tests);
  const earlier = runs.map(({ tests }) => tallies(tests));
  const unnamed = new Set(failingUnnamed(results, awaited));
  return [...results].flatMap(([id, { failed }]) => {
    const before = earlier.flatMap((each) => each.get(id)?.failed ?? []);
    const isBroken = before.length === 0 ? unnamed.has(id) : failed > Math.min(...before);
    return failed > 0 && isBroken ? [id] : [];
  });
}

/** Those of these tests that fail in another run. */
export function failingAmong(ids: readonly string[], { tests }: TestRun): readonly string[] {
  const results = tallies(tests);
  return ids.filter((id) => (results.get(id)?.failed ?? 0) > 0);
}

/** Tests that one line names, and characters of each. */
const NAMED = 3;
const NAMED_CHARS = 80;

/** Says which tests broke on a base. The ids are raw. */
export function brokenTestsLine(ids: readonly string[]): string {
  const shown = ids.slice(0, NAMED).map((id) => plainText(id, NAMED_CHARS));
  const more = ids.length > NAMED ? [`${ids.length - NAMED} more`] : [];
  return `${plural(ids.length, "test")} broke during this run: ${[...shown, ...more].join(", ")}`;
}
