/**
 * The outcome of one test. `todo` is a test that its author marks as not written or not working yet: it neither passes nor fails.
 */
export type TestOutcome = "passed" | "failed" | "skipped" | "todo";

/** One test of a report. The id is raw: it may contain anything, and is compared as it is. */
export interface TestResult {
  readonly id: string;
  readonly outcome: TestOutcome;
}

/** The result of one run of a check's command: its end, and every test of its report. */
export interface TestRun {
  readonly exitCode: number;
  readonly tests: readonly TestResult[];
}

/** Permissions of a ticket, given by a person in the batch. Patterns are test ids, with `*` for any characters. */
export interface Allowance {
  readonly testsRemoved: readonly string[];
  readonly testsSkipped: readonly string[];
  readonly suppressions: boolean;
  /** True if it may change what a check runs: scripts of package.json, a Makefile, shell scripts. */
  readonly scripts?: boolean;
  /** True if it may change files named .gitattributes. */
  readonly attributes?: boolean | undefined;
  /** True if it may delete more than half of the files, or files that its agent's commits keep. */
  readonly deletions?: boolean | undefined;
  /** True if it may change how tests are run: the settings of test runners, conftest.py. */
  readonly configuration?: boolean | undefined;
  /** Glob patterns of other files that judge, which it may change. */
  readonly judge?: readonly string[] | undefined;
}

/** The strength of a passed check: per-test results against the base's, results alone, or the exit code alone. */
export type CheckStrength = "compared" | "uncompared" | "exit-code";

/** The ids of tests that a change has added, and those that it has removed, in numbers. */
export interface TestsMoved {
  readonly added: number;
  readonly removed: number;
}

/** Compares the ids of two runs. */
export function testsMoved(before: Tallies, now: Tallies): TestsMoved {
  const countWithout = (tests: Tallies, others: Tallies) => [...tests.keys()].filter((id) => !others.has(id)).length;
  return { added: countWithout(now, before), removed: countWithout(before, now) };
}

/** The number of tests with one id, by outcome. */
export interface OutcomeCounts {
  passed: number;
  failed: number;
  skipped: number;
  todo: number;
}

/** Outcomes by test id. */
export type Tallies = ReadonlyMap<string, Readonly<OutcomeCounts>>;

export const NO_TALLY: Readonly<OutcomeCounts> = { passed: 0, failed: 0, skipped: 0, todo: 0 };

/** One tally per id, in the order of the report. */
export function tallies(tests: readonly TestResult[]): Tallies {
  const byId = new Map<string, OutcomeCounts>();
  for (const { id, outcome } of tests) {
    const tally = byId.get(id);
    if (tally === undefined) byId.set(id, { ...NO_TALLY, [outcome]: 1 });
    else tally[outcome] += 1;
  }
  return byId;
}

/** All of them. */
export function total(tally: Readonly<OutcomeCounts>): number {
  return tally.passed + tally.failed + tally.skipped + tally.todo;
}

/** Those that ran to an outcome. */
export function ran(tally: Readonly<OutcomeCounts>): number {
  return tally.passed + tally.failed;
}

/** The tallies of all ids together. */
export function sum(options: Iterable<Readonly<OutcomeCounts>>): Readonly<OutcomeCounts> {
  const all = { ...NO_TALLY };
  for (const { passed, failed, skipped, todo } of options) {
    all.passed += passed;
    all.failed += failed;
    all.skipped += skipped;
    all.todo += todo;
  }
  return all;
}
