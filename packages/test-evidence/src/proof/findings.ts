import { NO_TALLY, type OutcomeCounts, type TestResult, tallies } from "../compare/results.ts";
import { matchesWildcard } from "../compare/wildcard.ts";
import type { Twin, TwinnedFile } from "./twin.ts";

/** The results that tests of the base must have in the judge's tree: how often each id must pass. */
export type ExpectedPasses = ReadonlyMap<string, number>;

/** A run of a check's command with twins of passing tests. */
export interface ProofRun {
  readonly twinned: readonly TwinnedFile[];
  /** The exit code if the command ended by itself. */
  readonly exitCode: number | undefined;
  /** Results per test; undefined without a readable report. */
  readonly tests: readonly TestResult[] | undefined;
}

/** A twin that must fail and did not, or an exit code of 0 beside it. */
export interface Forgery {
  /** The same in every run with the same twins. */
  readonly key: string;
  readonly got: "passed" | "skipped" | "absent" | "exit-0";
}

/** What is wrong with a run. The ids are raw. */
export interface ProofFindings {
  /** Tests that did not pass as often as they must. */
  readonly lost: readonly string[];
  readonly forged: readonly Forgery[];
}

/**
 * How often tests must pass: those that passed on the origin and in the candidate's own run, as often as in both; and those that
 * `fixes` names, if the origin has them. An entry of a file that the origin could not load must not fail again.
 */
export function expectedPasses(
  origin: readonly TestResult[],
  own: readonly TestResult[],
  fixes: readonly string[],
): ExpectedPasses {
  const [before, now] = [tallies(origin), tallies(own)];
  const expected = new Map<string, number>();
  for (const [id, old] of before) {
    const tally = now.get(id) ?? NO_TALLY;
    if (tally.failed > 0) continue;
    if (old.failed === 0 && Math.min(old.passed, tally.passed) > 0) expected.set(id, Math.min(old.passed, tally.passed));
    if (old.failed > 0 && fixes.some((pattern) => matchesWildcard(pattern, id))) expected.set(id, tally.passed);
  }
  return expected;
}

/**
 * What is wrong with a run. A test that has a twin bears its own name or the fresh one: together they must pass as often as the test
 * did, and the copy that must fail must have failed.
 */
export function findingsIn({ twinned, exitCode, tests = [] }: ProofRun, expected: ExpectedPasses): ProofFindings {
  const results = tallies(tests);
  const byName = namedResults(results);
  const twins = twinned.flatMap((file) => file.twins.map((twin) => ({ twin, key: twinKey(file, twin) })));
  const failing = Map.groupBy(twins, ({ twin }) => twin.fails);
  const renamed = Map.groupBy(
    twins.flatMap(({ twin }) => (twin.fails === twin.original ? [twin] : [])),
    ({ original }) => original,
  );
  const lost = [...expected].flatMap(([id, must]) => {
    const own = results.get(id) ?? NO_TALLY;
    // Tests of other files may have the same name, and no twin or another one.
    const fresh = (renamed.get(matchingTestName(id, renamed)) ?? [])
      .map(({ original, passes }) => id.slice(0, -original.length) + passes)
      .filter((each) => results.has(each));
    const passed = [id, ...new Set(fresh)].reduce((sum, each) => sum + (results.get(each)?.passed ?? 0), 0);
    // A copy that must fail and passed stands in for no test.
    const wrong = Math.min(own.passed, Math.max(0, fresh.length - own.failed));
    // Nor does any other test of the name stand in for a copy that must pass and failed.
    const hasFailed = fresh.length === 0 ? own.failed > 0 : fresh.some((each) => (results.get(each)?.failed ?? 0) > 0);
    return passed - wrong < must || hasFailed ? [id] : [];
  });
  const forged = [...failing].flatMap(([name, planted]): readonly Forgery[] => {
    const { passed, failed, skipped, todo } = byName.get(name) ?? NO_TALLY;
    if (failed >= planted.length) return [];
    const got = passed > 0 ? "passed" : skipped + todo > 0 ? "skipped" : "absent";
    // The code no longer does what this test wants, or its file does not load: its twin says nothing.
    const counted = planted.filter(({ twin }) => !lost.some((id) => isCalled(id, twin.original)));
    return counted.map(({ key }) => ({ key, got }));
  });
  const exits: readonly Forgery[] = twins.length > 0 && exitCode === 0 ? [{ key: "exit", got: "exit-0" }] : [];
  return { lost, forged: [...forged, ...exits] };
}

/**
 * The findings without those that the same twins have on the trusted base: the command's own behaviour, or that of its tests. A twin
 * that is absent there, as in a file that the base cannot load, does not excuse one that passes.
 */
export function withoutExcused(found: ProofFindings, onBase: ProofFindings): ProofFindings {
  const lost = new Set(onBase.lost);
  const known = new Set(onBase.forged.map(({ key, got }) => `${got} ${key}`));
  return {
    lost: found.lost.filter((id) => !lost.has(id)),
    forged: found.forged.filter(({ key, got }) => !known.has(`${got} ${key}`)),
  };
}

/** The files whose twins prove nothing, because they do not come out as they must on the base either. */
export function unfitFiles({ twinned }: Pick<ProofRun, "twinned">, onBase: ProofFindings): readonly string[] {
  const keys = new Set(onBase.forged.map(({ key }) => key));
  const isUnfit = (file: TwinnedFile, twin: Twin) =>
    keys.has(twinKey(file, twin)) || onBase.lost.some((id) => isCalled(id, twin.original));
  return twinned.filter((file) => file.twins.some((twin) => isUnfit(file, twin))).map(({ path }) => path);
}

/** True if nothing is wrong. */
export function isClean({ lost, forged }: ProofFindings): boolean {
  return lost.length === 0 && forged.length === 0;
}

/** In words, without what would help to recognise a twin: each kind once, with its number. */
export function forgeryWords(forged: readonly Forgery[]): readonly string[] {
  const words: Readonly<Record<Forgery["got"], string>> = {
    passed: "a planted test that must fail was reported as passed",
    skipped: "a planted test that must fail was reported as skipped",
    absent: "a planted test that must fail is not in the report",
    "exit-0": "the command exited with code 0, though planted tests must fail",
  };
  const counts = new Map<string, number>();
  for (const { got } of forged) counts.set(words[got], (counts.get(words[got]) ?? 0) + 1);
  return [...counts].map(([says, count]) => (count === 1 ? says : `${says} (${count} times)`));
}

/**
 * Gives for a test's own name, at the end of ids, whether each test of this name must pass and can have a twin. Where tests fail on
 * the origin, it may not have loaded the file of a test that is new in the candidate's results.
 */
export function passingNames(
  expected: ExpectedPasses,
  own: readonly TestResult[],
  origin: readonly TestResult[] = [],
): (name: string) => boolean {
  const known = new Set(origin.map(({ id }) => id));
  const isRed = origin.some(({ outcome }) => outcome === "failed");
  const loaded = isRed ? own.filter(({ id, outcome }) => outcome === "passed" && !known.has(id)) : [];
  const must = [...expected].flatMap(([id, times]) => (times > 0 ? [id] : []));
  const passing = new Set([...must, ...loaded.map(({ id }) => id)].flatMap(testNameCandidates));
  const other = new Set(own.flatMap(({ id, outcome }) => (outcome === "passed" ? [] : testNameCandidates(id))));
  return (name) => passing.has(name) && !other.has(name);
}

/** The ends of an id that may be the name of its test: behind the last separators that runners use. */
function testNameCandidates(id: string): readonly string[] {
  const last = id.split(" > ").at(-1) ?? id;
  const parts = last.split("::");
  return parts.length === 1 ? [last] : [last, parts.at(-1) ?? last];
}

/** True if a test's own name, at the end of its id, is this one. */
function isCalled(id: string, name: string): boolean {
  return id.endsWith(name) && !/\w/.test(id.charAt(id.length - name.length - 1));
}

function matchingTestName(id: string, names: ReadonlyMap<string, unknown>): string {
  return testNameCandidates(id).find((name) => names.has(name)) ?? id;
}

function namedResults(results: ReadonlyMap<string, Readonly<OutcomeCounts>>): ReadonlyMap<string, Readonly<OutcomeCounts>> {
  const byName = new Map<string, OutcomeCounts>();
  for (const [id, { passed, failed, skipped, todo }] of results)
    for (const name of testNameCandidates(id)) {
      const sum = byName.get(name) ?? { ...NO_TALLY };
      byName.set(name, {
        passed: sum.passed + passed,
        failed: sum.failed + failed,
        skipped: sum.skipped + skipped,
        todo: sum.todo + todo,
      });
    }
  return byName;
}

function twinKey({ path }: TwinnedFile, { original, fails }: Twin): string {
  return JSON.stringify([path, original, fails]);
}
