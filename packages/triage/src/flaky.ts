import { NO_TALLY, type TestResult, type TestRun, tallies } from "@loopdash/test-evidence";
import { firstFew, plainText, plural } from "@loopdash/values";
import type { Finding } from "./finding.ts";

/** A result of a test that is on record. `tree` names all that it ran on: a tree's object name, of the base or of a candidate. */
export interface TestRecord {
  readonly testId: string;
  readonly tree: string;
  readonly outcome: "passed" | "failed";
  /** True if the tree is one of the base, on which no change under judgement has run. */
  readonly isBase: boolean;
}

/** A run of a job on a tree: `failed` has the ids of the tests that it says have failed. */
export interface JobRecord {
  readonly job: string;
  readonly tree: string;
  readonly isBase: boolean;
  readonly hasPassed: boolean;
  readonly failed: readonly string[];
}

/**
 * The results of tests in runs of jobs. A test of which a failed run does not speak may not have run at all, so only a run that passed
 * says that the tests have passed that failed in other runs of the same job on the same tree.
 */
export function testRecords(runs: readonly JobRecord[]): readonly TestRecord[] {
  return runs.flatMap(({ job, tree, isBase, hasPassed, failed }) => {
    if (!hasPassed) return failed.map((testId): TestRecord => ({ testId, tree, isBase, outcome: "failed" }));
    const known = runs.filter((other) => other.job === job && other.tree === tree).flatMap((other) => other.failed);
    return [...new Set(known)].map((testId): TestRecord => ({ testId, tree, isBase, outcome: "passed" }));
  });
}

/** Tests that fail by chance, as history shows it. */
export interface FlakyTests {
  /** Both outcomes on one tree. */
  readonly flaky: ReadonlySet<string>;
  /** Those of them that showed both outcomes on a tree of the base. */
  readonly excluded: ReadonlySet<string>;
}

/**
 * The flaky tests of a history (S4.6): the same test with both outcomes on the same tree. Only the base can excuse a test: a
 * change could make its own test fail by chance, so what only a candidate shows is named but still counts.
 */
export function flakyTests(records: readonly TestRecord[]): FlakyTests {
  const onBase = withBothOutcomes(records.filter(({ isBase }) => isBase));
  return { flaky: withBothOutcomes(records), excluded: onBase };
}

/** The tests that passed and failed on one tree. */
function withBothOutcomes(records: readonly TestRecord[]): ReadonlySet<string> {
  const trees = new Map<string, Map<string, TestRecord["outcome"]>>();
  const both = new Set<string>();
  for (const { testId, tree, outcome } of records) {
    const outcomes = trees.get(tree) ?? new Map<string, TestRecord["outcome"]>();
    trees.set(tree, outcomes);
    const before = outcomes.get(testId);
    if (before !== undefined && before !== outcome) both.add(testId);
    outcomes.set(testId, outcome);
  }
  return both;
}

/** The findings with those of excluded tests in the category `flaky`. A flaky test that the base does not show gets a hint only. */
export function withFlaky(findings: readonly Finding[], { flaky, excluded }: FlakyTests): readonly Finding[] {
  return findings.map((finding) => {
    const { test, category } = finding;
    if (test === undefined || category !== "test" || !flaky.has(test)) return finding;
    if (excluded.has(test)) return { ...finding, category: "flaky", severity: "low", hints: [EXCUSED] };
    return { ...finding, hints: [SUSPECTED, ...finding.hints].slice(0, 3) };
  });
}

const EXCUSED = "it has passed and failed on one tree of the base, so it does not count";
const SUSPECTED = "it has passed and failed on one tree of a change; the base does not show that, so it counts";

/** The findings that are reasons of the failure: all but those of flaky tests that the base shows. */
export function withoutFlaky(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ category }) => category !== "flaky");
}

/** `flaky` if a failed check has findings and all of them are flaky tests that the base shows (S4.6). */
export function flakyStopReason(findings: readonly Finding[]): "flaky" | undefined {
  return findings.length > 0 && withoutFlaky(findings).length === 0 ? "flaky" : undefined;
}

/**
 * The tests that came out differently in runs of one command on one tree of the base. Several tests with one id may have both outcomes
 * in one run: then nothing is known of them.
 */
export function flakyAmong(tree: string, runs: readonly Pick<TestRun, "tests">[]): readonly string[] {
  const clear = runs.map(({ tests }) => [...tallies(tests)].filter(([, { passed, failed }]) => passed === 0 || failed === 0));
  const records = clear.flat().flatMap(([testId, { passed, failed }]): TestRecord[] => {
    if (passed + failed === 0) return [];
    return [{ testId, tree, isBase: true, outcome: failed > 0 ? "failed" : "passed" }];
  });
  return [...flakyTests(records).excluded];
}

/** Tests that fail more often in a candidate's run than on its base. */
export function failingTests(base: TestRun, run: TestRun): readonly string[] {
  const before = tallies(base.tests);
  return [...tallies(run.tests)].flatMap(([id, { failed }]) => (failed > (before.get(id) ?? NO_TALLY).failed ? [id] : []));
}

/**
 * The results of two runs of one command on one tree. A flaky test that failed in the first has failed if it did not pass in the second;
 * any other counts as in the worse of both. `excused`: the flaky tests that failed once.
 */
export function eitherRun(
  first: TestRun,
  second: TestRun,
  flaky: readonly string[],
): { readonly run: TestRun; readonly excused: readonly string[] } {
  const [one, two] = [tallies(first.tests), tallies(second.tests)];
  const excused = new Set(flaky.filter((id) => two.get(id)?.failed === 0 && (two.get(id)?.passed ?? 0) > 0));
  const tests = first.tests.flatMap(({ id, outcome }): TestResult[] => {
    if (excused.has(id)) return [{ id, outcome: outcome === "failed" ? "passed" : outcome }];
    const [before = NO_TALLY, now] = [one.get(id), two.get(id)];
    if (now === undefined) return [];
    if (now.failed > before.failed) return [{ id, outcome: "failed" }];
    return [{ id, outcome: outcome === "passed" && now.passed < before.passed ? "skipped" : outcome }];
  });
  // An exit code other than 0 that failed tests explain is excused with them.
  const isExplained = [first, second].every((run) => run.exitCode === 0 || hasFailed(run));
  const exitCode = isExplained && !hasFailed({ tests }) ? 0 : Math.max(first.exitCode, second.exitCode);
  return { run: { exitCode, tests }, excused: [...excused] };
}

function hasFailed({ tests }: Pick<TestRun, "tests">): boolean {
  return tests.some(({ outcome }) => outcome === "failed");
}

/** Tests that one line names, and characters of each. */
const NAMED = 3;
const NAMED_CHARS = 80;

/** Says which flaky tests failed once. The ids are raw. */
export function flakyLine(ids: readonly string[]): string {
  const shown = firstFew(ids, NAMED).map((id) => plainText(id, NAMED_CHARS));
  return `${plural(ids.length, "flaky test")} failed once: ${shown.join(", ")}`;
}
