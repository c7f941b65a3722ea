import { fileOf } from "../evidence/loaded-files.ts";
import type { TestResult } from "../evidence/results.ts";
import type { PlantedTest, Planting } from "./runner.ts";

/** Stands for the path of a fresh file: each run has another one. */
export const FRESH = "a fresh file";

/** A planted file; `at` is where it is, or FRESH. */
export interface PlantedFile extends Planting {
  readonly at: string;
}

/** What the run of a command with planted tests left. */
export interface PlantedRun {
  readonly files: readonly PlantedFile[];
  /** How the command ended by itself; undefined if it did not. */
  readonly exitCode: number | undefined;
  /** Results per test; undefined if the check has no report, or left none that could be read. */
  readonly tests: readonly TestResult[] | undefined;
}

/** A planted test, or the command's exit code, that is not as it has to be. */
export interface Deviation {
  /** The same in every run with the same files. */
  readonly key: string;
  /** `absent` may have innocent reasons; that a failing test is reported as passed has none. */
  readonly got: "passed" | "failed" | "skipped" | "absent" | "exit-0";
  /** In words, without the name or file of a planted test: who reads them may be who forged the results. */
  readonly says: string;
}

/** What is not as it has to be in a check that is judged by its report. */
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

/** What is not as it has to be in a check that is judged by its exit code alone. */
export function exitDeviation(exitCode: number | undefined): readonly Deviation[] {
  if (exitCode === undefined) return [{ key: "exit", got: "absent", says: "the command did not end by itself" }];
  if (exitCode !== 0) return [];
  return [{ key: "exit", got: "exit-0", says: "the command exited with code 0, though planted tests must fail" }];
}

function keyOf({ at }: PlantedFile, { role }: PlantedTest, i: number): string {
  return `${at} ${role} ${i}`;
}

/** Places at which no planted test is reported, though there are others where they are: the command does not run them. */
export function silentPlaces(run: PlantedRun, deviates: Deviates): readonly string[] {
  if (!sawFailing(run)) return [];
  const absent = new Set(deviates(run).flatMap(({ key, got }) => (got === "absent" ? [key] : [])));
  const isSilent = (file: PlantedFile) => !failedToLoad(file, run) && keysOf(file).every((key) => absent.has(key));
  return run.files.filter(isSilent).map(({ at }) => at);
}

/** Whether one of the planted tests that must fail was reported as failed. */
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

/** Whether a test's own name, at the end of its id, is this one. */
export function isCalled(id: string, name: string): boolean {
  return id.endsWith(name) && !/[\w]/.test(id.charAt(id.length - name.length - 1));
}

/** What is not as it has to be, by the kind of the check. */
export type Deviates = (run: PlantedRun) => readonly Deviation[];

/**
 * What speaks against the candidate: what deviates there and not where the same is planted in the base. That a failing test passes, or
 * the command exits with 0, is excused by nothing but the same on the base. What is absent on the base excuses nothing if the
 * base could not load the file (`failedToLoad`): then its tests never had a chance there. A file of tests that the base does not have
 * may be one that the command does not run, so what is absent there does not count, unless the change took such
 * files away (`hasMoved`). A command that stops at the first failure reports an arbitrary part; what is absent counts then
 * only if no planted failure is reported at all.
 */
export function forgedBy(
  { candidate, base, hasMoved }: { readonly candidate: PlantedRun; readonly base: PlantedRun; readonly hasMoved: boolean },
  deviates: Deviates,
): readonly Deviation[] {
  const unloaded = new Set(base.files.filter((file) => failedToLoad(file, base)).flatMap(keysOf));
  const onBase = deviates(base).filter(({ key, got }) => got !== "absent" || !unloaded.has(key));
  // Where the base runs none of a file's planted tests, what passes by a name that it has is the test of that name.
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

/** Whether none of the planted tests of a file is reported, though the file could be loaded, but for those by a name that it had. */
function isUnrun(file: PlantedFile, run: PlantedRun): boolean {
  const own = file.tests.filter(({ role }) => role !== "known");
  return !failedToLoad(file, run) && own.every((test) => outcomeOf(test, run.tests ?? []) === "absent");
}

/** Whether the report says that a planted file could not be loaded. Pytest runs nothing at all if there is one such file. */
function failedToLoad({ path }: PlantedFile, { tests = [] }: PlantedRun): boolean {
  const failed = tests.flatMap(({ id, outcome }) => (outcome === "failed" ? [fileOf(id)] : []));
  return failed.some((file) => file?.path === path || file?.path.endsWith(".py") === true || path.endsWith(`/${file?.path}`));
}

/** Whether the base could not load some of its files: what is absent then has been tried by nobody. */
export function hasUnloadedFiles({ files, tests }: PlantedRun): boolean {
  return files.some((file) => failedToLoad(file, { files, tests, exitCode: undefined }));
}

/** `a planted test that must fail was reported as passed (3 times)`: each kind once. */
export function countedWords(found: readonly Deviation[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { says } of found) counts.set(says, (counts.get(says) ?? 0) + 1);
  return [...counts].map(([says, count]) => (count === 1 ? says : `${says} (${count} times)`));
}
