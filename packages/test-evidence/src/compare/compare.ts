import { plural } from "@loopdash/values";
import { fixFindings, type NamedFixes } from "./fixes.ts";
import { type FilesMoved, withFormerNames } from "./former-names.ts";
import { filesThatLoad } from "./loaded-files.ts";
import {
  type Allowance,
  NO_TALLY,
  type OutcomeCounts,
  ran,
  sum,
  type Tallies,
  type TestRun,
  type TestsMoved,
  tallies,
  testsMoved,
  total,
} from "./results.ts";
import { matchesWildcard } from "./wildcard.ts";

/** One finding against a candidate: a few words for people, and its tests. The ids are outside text, raw. */
export interface Remark {
  readonly says: string;
  readonly ids: readonly string[];
}

/** The comparison of a candidate's test results with those of its base. */
export interface TestFinding extends Remark {
  readonly kind: "none-run" | "failing" | "removed" | "skipped" | "duplicated" | "fewer-run" | "exit-code" | "unfixed";
}

export interface Comparison {
  /** Empty if the candidate is no worse than the base. */
  readonly findings: readonly TestFinding[];
  /** Tests that fail and failed on the base too. */
  readonly preExisting: readonly string[];
  readonly candidate: Readonly<OutcomeCounts>;
  readonly base: Readonly<OutcomeCounts>;
  readonly moved: TestsMoved;
}

export interface CompareOptions {
  readonly fixes?: NamedFixes | undefined;
  readonly files?: FilesMoved | undefined;
}

const NO_FILES: FilesMoved = { deleted: [], added: [] };
const NO_FIXES: NamedFixes = { patterns: [], elsewhere: [], isLast: true };

interface Sorted {
  readonly removed: string[];
  readonly skipped: string[];
  readonly failing: string[];
  readonly duplicated: string[];
  readonly preExisting: string[];
  /** Tests that ran on the base and may be missing here, because a person allowed it. */
  excused: number;
}

/**
 * Compares a candidate's results with those of the same command on its base (adversary cases A1, A2, A3, A26, B5): test by test,
 * never by a total or the exit code alone. A test that already fails on the base is no fault of the candidate, unless `fixes`
 * names it. A test that only this candidate skips, loses or fails is. `base` is undefined if the base has no tests.
 */
export function compareRuns(
  base: TestRun | undefined,
  candidate: TestRun,
  allow: Allowance,
  { fixes = NO_FIXES, files = NO_FILES }: CompareOptions = {},
): Comparison {
  const before = tallies(base?.tests ?? []);
  const now = tallies(withFormerNames(base?.tests ?? [], candidate.tests, files));
  const loads = filesThatLoad(before, now, files.deleted);
  const sorted = sortOut(before, now, allow, loads);
  const [all, allBefore] = [sum(now.values()), sum(before.values())];
  const findings: TestFinding[] = [...fixFindings(before, now, { ...fixes, loads })];
  const found = (kind: TestFinding["kind"], says: string, ids: readonly string[] = []) => findings.push({ kind, says, ids });

  const { failing, removed, skipped, duplicated, preExisting } = sorted;
  if (ran(all) === 0) found("none-run", total(all) === 0 ? "the report holds no tests" : "no test was run");
  if (failing.length > 0) found("failing", `${tests(failing.length)} failed`, failing);
  if (removed.length > 0) found("removed", `${tests(removed.length)} of the base vanished`, removed);
  if (skipped.length > 0) found("skipped", `${tests(skipped.length)} newly skipped`, skipped);
  if (duplicated.length > 0) found("duplicated", `${tests(duplicated.length)} reported more than once`, duplicated);
  const expected = ran(allBefore) - sorted.excused;
  if (ran(all) < expected) found("fewer-run", `${tests(ran(all))} run, ${ran(allBefore)} on the base`);
  const exit = exitFinding(candidate, base, all, failing.length);
  if (exit !== undefined) found("exit-code", exit, preExisting);
  return { findings, preExisting, candidate: all, base: allBefore, moved: testsMoved(before, now) };
}

function sortOut(before: Tallies, now: Tallies, allow: Allowance, loads: ReadonlySet<string>): Sorted {
  const sorted: Sorted = { removed: [], skipped: [], failing: [], duplicated: [], preExisting: [], excused: 0 };
  for (const [id, old] of before) if (!loads.has(id)) sortOld(sorted, id, old, now.get(id) ?? NO_TALLY, allow);
  for (const [id, tally] of now) {
    const old = before.get(id);
    if (tally.failed > (old?.failed ?? 0)) sorted.failing.push(id);
    else if (tally.failed > 0) sorted.preExisting.push(id);
    if (old === undefined && tally.skipped > 0 && !isAllowed(allow.testsSkipped, id)) sorted.skipped.push(id);
  }
  return sorted;
}

/** The outcome of a test of the base on the candidate. */
function sortOld(
  sorted: Sorted,
  id: string,
  old: Readonly<OutcomeCounts>,
  tally: Readonly<OutcomeCounts>,
  allow: Allowance,
): void {
  const gone = total(tally) < total(old);
  const unrun = Math.max(0, ran(old) - ran(tally));
  // If several tests share a name, an added one must not make up for a skipped one.
  const moreSkipped = tally.skipped + tally.todo > old.skipped + old.todo;
  if (gone || unrun > 0 || moreSkipped) {
    if (isAllowed(gone ? allow.testsRemoved : allow.testsSkipped, id)) sorted.excused += unrun;
    else (gone ? sorted.removed : sorted.skipped).push(id);
  }
  // A second test with the name of one of the base's could stand in for it.
  if (total(old) === 1 && total(tally) > 1) sorted.duplicated.push(id);
}

function isAllowed(patterns: readonly string[], id: string): boolean {
  return patterns.some((pattern) => matchesWildcard(pattern, id));
}

/** The contradiction between the exit code and the tests; undefined if they agree. */
function exitFinding(
  candidate: TestRun,
  base: TestRun | undefined,
  all: Readonly<OutcomeCounts>,
  newlyFailing: number,
): string | undefined {
  const { exitCode } = candidate;
  if (exitCode === 0) return all.failed > 0 ? `exit code 0, though ${tests(all.failed)} failed` : undefined;
  if (all.failed === 0) return `exit code ${exitCode}, though no test failed`;
  // Tests that failed before explain the earlier exit code, and no other.
  if (newlyFailing === 0 && exitCode !== base?.exitCode)
    return `exit code ${exitCode}, and ${base?.exitCode ?? "none"} on the base, where the same tests fail`;
  return undefined;
}

/** A number of tests, in words. */
export function tests(n: number): string {
  return plural(n, "test");
}
