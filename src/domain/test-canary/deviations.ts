import { fileOf } from "../evidence/loaded-files.ts";
import { type TestResult, tallies } from "../evidence/results.ts";
import type { PlantedTest, Planting } from "./runner.ts";

/** Stands for the path of a fresh file: each run has another one. */
export const FRESH = "a fresh file";

/** A planted file; `at` is its path, or FRESH. */
export interface PlantedFile extends Planting {
  readonly at: string;
}

/** The result of a command's run with planted tests. */
export interface PlantedRun {
  readonly files: readonly PlantedFile[];
  /** The exit code if the command ended by itself; otherwise undefined. */
  readonly exitCode: number | undefined;
  /** Results per test; undefined if the check has no report, or its report is unreadable. */
  readonly tests: readonly TestResult[] | undefined;
}

/** A wrong result of a planted test, or a wrong exit code of the command. */
export interface Deviation {
  /** The same in every run with the same files. */
  readonly key: string;
  /** `absent` may have innocent causes; a failing test that is reported as passed has none. */
  readonly got: "passed" | "failed" | "skipped" | "absent" | "exit-0";
  /** In words; it contains the text of reports and paths, raw. */
  readonly says: string;
}

/** The deviations in a check that has a report. */
export function deviationsIn({ files, exitCode, tests = [] }: PlantedRun): readonly Deviation[] {
  const found = files.flatMap((file) =>
    file.tests.flatMap((test, i) => {
      const got = outcomeOf(test, tests);
      if (got === (test.role === "passes" ? "passed" : "failed")) return [];
      const must = test.role === "passes" ? "must pass" : "must fail";
      const says = `a planted test that ${must} ${got === "absent" ? "is not in the report" : `was reported as ${got}`}`;
      return [{ key: keyOf(file, test, i), got, says }];
    }),
  );
  return [...found, ...exitDeviation(exitCode)];
}

/** The deviation in a check that has its exit code alone. */
export function exitDeviation(exitCode: number | undefined): readonly Deviation[] {
  if (exitCode === undefined) return [{ key: "exit", got: "absent", says: "the command did not end by itself" }];
  if (exitCode !== 0) return [];
  return [{ key: "exit", got: "exit-0", says: "the command exited with code 0, though planted tests must fail" }];
}

function keyOf({ at }: PlantedFile, { role }: PlantedTest, i: number): string {
  return `${at} ${role} ${i}`;
}

/** Places at which no planted test is reported, although some are at others: the command does not run them. */
export function silentPlaces(run: PlantedRun, deviates: Deviates): readonly string[] {
  if (!sawFailing(run)) return [];
  const absent = new Set(deviates(run).flatMap(({ key, got }) => (got === "absent" ? [key] : [])));
  const isSilent = (file: PlantedFile) => !failedToLoad(file, run) && keysOf(file).every((key) => absent.has(key));
  return run.files.filter(isSilent).map(({ at }) => at);
}

/** True if a planted test that must fail was reported as failed. */
export function sawFailing({ files, tests = [] }: PlantedRun): boolean {
  const failing = files.flatMap((file) => file.tests.filter(({ role }) => role === "fails"));
  return failing.some((test) => outcomeOf(test, tests) === "failed");
}

function outcomeOf({ name, role }: PlantedTest, tests: readonly TestResult[]): "passed" | "failed" | "skipped" | "absent" {
  const own = tests.filter(({ id }) => (role === "known" ? isCalled(id, name) : id.includes(name)));
  if (own.some(({ outcome }) => outcome === "failed")) return "failed";
  if (own.some(({ outcome }) => outcome === "passed")) return "passed";
  return own.length > 0 ? "skipped" : "absent";
}

/** True if a test's own name, at the end of its id, is this one. */
export function isCalled(id: string, name: string): boolean {
  return id.endsWith(name) && !/[\w]/.test(id.charAt(id.length - name.length - 1));
}

/** A known test is left out if a failed test has its name: the two could not be told apart. */
export function knownApart(file: PlantedFile, tests: readonly TestResult[]): PlantedFile {
  const failed = tests.filter(({ outcome }) => outcome === "failed");
  return {
    ...file,
    tests: file.tests.filter(({ role, name }) => role !== "known" || !failed.some(({ id }) => isCalled(id, name))),
  };
}

/** The deviations of a run, by the kind of the check. */
export type Deviates = (run: PlantedRun) => readonly Deviation[];

/**
 * The findings against the candidate: deviations that the base does not have with the same planted tests. If a failing test
 * passes, or the command exits with 0, only the same deviation on the base excuses it. An absent test on the base excuses nothing
 * if the base could not load the file (`failedToLoad`): its tests had no chance there. The command may not run a test file that
 * the base does not have, so tests absent from it do not count, unless the change removed such files (`hasMoved`). A command that
 * stops at the first failure reports an arbitrary part: then absent tests count only if no planted failure is reported at all.
 */
export function forgedBy(
  { candidate, base, hasMoved }: { readonly candidate: PlantedRun; readonly base: PlantedRun; readonly hasMoved: boolean },
  deviates: Deviates,
): readonly Deviation[] {
  const unloaded = new Set(base.files.filter((file) => failedToLoad(file, base)).flatMap(keysOf));
  const onBase = deviates(base).filter(({ key, got }) => got !== "absent" || !unloaded.has(key));
  // If the base runs none of a file's planted tests, a pass under an existing name is the pass of the existing test.
  const unrun = new Set(base.files.filter((file) => isUnrun(file, base)).flatMap(keysOf));
  const tried = new Set(["exit", ...base.files.flatMap(keysOf)]);
  const found = deviates(candidate).filter(({ key, got }) => {
    if (!tried.has(key)) return got === "passed" || hasMoved;
    if (unrun.has(key) && key.includes(" known ")) return false;
    const isSame = got === "passed" || got === "exit-0";
    return !onBase.some((each) => each.key === key && (!isSame || each.got === got));
  });
  const isPartial = onBase.some(({ key, got }) => got === "absent" && !key.startsWith(FRESH));
  const isSilent = sawFailing(base) && !sawFailing(candidate);
  return isPartial && !isSilent ? found.filter(({ got }) => got !== "absent") : found;
}

function keysOf(file: PlantedFile): readonly string[] {
  return file.tests.map((test, i) => keyOf(file, test, i));
}

/** True if none of a file's planted tests is reported, apart from those with an existing name, although the file loaded. */
function isUnrun(file: PlantedFile, run: PlantedRun): boolean {
  const own = file.tests.filter(({ role }) => role !== "known");
  return !failedToLoad(file, run) && own.every((test) => outcomeOf(test, run.tests ?? []) === "absent");
}

/** True if the report shows that a planted file could not be loaded. Pytest runs nothing at all if there is one such file. */
function failedToLoad({ path }: PlantedFile, { tests = [] }: PlantedRun): boolean {
  const failed = tests.flatMap(({ id, outcome }) => (outcome === "failed" ? [fileOf(id)] : []));
  return failed.some((file) => file?.path === path || file?.path.endsWith(".py") === true || path.endsWith(`/${file?.path}`));
}

/** Tests of the base that passed, and fail beside planted ones: code that made them pass knew their line numbers. */
export function shakenTests(
  { tests = [], files }: PlantedRun,
  before: { readonly tests: readonly TestResult[]; readonly baseTests: readonly TestResult[] },
): readonly string[] {
  const [then, onBase] = [tallies(before.tests), tallies(before.baseTests)];
  const names = files.flatMap((file) => file.tests.map(({ name }) => name));
  return [...tallies(tests)].flatMap(([id, { failed }]) => {
    if (failed === 0 || then.get(id)?.failed !== 0 || onBase.get(id)?.failed !== 0) return [];
    return failed > names.filter((name) => isCalled(id, name)).length ? [id] : [];
  });
}

/** True if the base could not load some of its files: absent tests of those have proved nothing. */
export function hasUnloadedFiles({ files, tests }: PlantedRun): boolean {
  return files.some((file) => failedToLoad(file, { files, tests, exitCode: undefined }));
}

/** `a planted test that must fail was reported as passed (3 times)`: each kind once. */
export function countedWords(found: readonly Deviation[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { says } of found) counts.set(says, (counts.get(says) ?? 0) + 1);
  return [...counts].map(([says, count]) => (count === 1 ? says : `${says} (${count} times)`));
}
