import type { Remark } from "../../domain/evidence/compare.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { countedWords, type Deviation, type PlantedRun } from "../../domain/test-canary/deviations.ts";
import { type CommandOutcome, type CommitCommand, runOnCommit } from "../programs/run-on-commit.ts";
import type { PassedCheck } from "./passed-check.ts";

/** The result of one run of a command. */
export type Run = PlantedRun & { readonly output: string; readonly printed: boolean };

/** Runs a passed check's command on a commit once more, with or without planted tests; people see which run it is. */
export function runPlanted(
  { ctx, scope, repo, step, candidate, planted }: PassedCheck,
  command: Pick<CommitCommand, "commit" | "log" | "output" | "plant">,
): Promise<CommandOutcome> {
  planted.runs += 1;
  const part = `planted tests, run ${planted.runs}`;
  return runOnCommit(ctx, scope, repo, { ...command, step, attributesOf: candidate.base, part, purpose: "proof" });
}

/** A checkout that could not be prepared. */
export interface Broken {
  readonly evidence: Evidence;
}

/**
 * The finding of two runs of three, and the last run that shows it; a test may fail once for other reasons. Otherwise nothing,
 * and the last clean run. The findings need not be the same: code may fail another test each time.
 */
export async function twoOfThree<T>(
  runOnce: () => Promise<Run | Broken>,
  find: (run: Run) => readonly T[] | Promise<readonly T[]>,
  first?: Run,
): Promise<{ readonly run: Run; readonly found: readonly T[] } | Broken> {
  for (let n = 1, failed = 0; ; n += 1) {
    const run = n === 1 && first !== undefined ? first : await runOnce();
    if ("evidence" in run) return run;
    const found = await find(run);
    if (found.length > 0) failed += 1;
    if (failed === 2 || (found.length === 0 && (failed === 0 || n - failed === 2))) return { run, found };
  }
}

/** The finding about planted tests that deviate. */
export function findingOf(found: readonly Deviation[]): Remark {
  const passed = found.some(({ got }) => got === "passed" || got === "exit-0");
  const what = passed ? "a planted test that must fail did not" : "planted tests were not reported as they must be";
  return { says: `the results are forged: ${what}`, ids: countedWords(found) };
}
