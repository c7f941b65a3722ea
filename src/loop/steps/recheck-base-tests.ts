import { dirname } from "node:path";
import type { Evidence } from "../../domain/event.ts";
import { fileOf } from "../../domain/evidence/loaded-files.ts";
import { NO_TALLY, type TestResult, tallies, total } from "../../domain/evidence/results.ts";
import { isTestPath } from "../../domain/evidence/sealed-paths.ts";
import type { FoundRunner } from "../../domain/test-canary/find-runner.ts";
import { loads } from "../../domain/test-canary/loads.ts";
import { shadowsPythonModule } from "../../domain/test-canary/python-modules.ts";
import { isRunnerFile, withRunnerPartOf } from "../../domain/test-canary/runner-settings.ts";
import { testFilesOf } from "../../domain/test-canary/test-files.ts";
import type { ChangedPath } from "../../ports/vcs.ts";
import { judgeCommand } from "./command-step.ts";
import type { CanaryOutcome, PassedCheck } from "./passed-check.ts";

/** What is taken out of a candidate, and put back as the base has it. */
interface Undone {
  readonly without: readonly string[];
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** In words. */
  readonly what: string;
}

/**
 * Runs a passed check without the tests that the change adds, and with the base's settings of the test runner: code that only passes
 * beside them is mended by them while it runs, or is not run at all (adversary case F1). Undefined if every test of the base passes
 * still, or there is nothing to take out.
 */
export async function recheckBaseTests(
  check: PassedCheck,
  found: FoundRunner,
  paths: readonly ChangedPath[],
): Promise<CanaryOutcome | undefined> {
  const undone = await undoneOf(check, found, paths);
  if (undone === undefined) return undefined;
  const touched = paths.flatMap(({ path, how }) => (how === "modified" && belongsToTests(path, found) ? [path] : []));
  // Twice, since a test may fail once for other reasons.
  const moved = await movedTests(check, undone, touched);
  const lostTests = (lost: readonly string[]) => lost.filter((id) => !moved(id));
  const first = await runUndone(check, undone, touched);
  if ("evidence" in first) return { as: "broken", evidence: first.evidence };
  if (lostTests(first.lost).length === 0) return undefined;
  const again = await runUndone(check, undone, touched);
  if ("evidence" in again) return { as: "broken", evidence: again.evidence };
  const ids = lostTests(first.lost).filter((id) => again.lost.includes(id));
  if (ids.length === 0) return undefined;
  return { as: "forged", finding: { says: `tests of the base fail without ${undone.what}`, ids }, output: again.output };
}

/**
 * Whether a test may have moved to a file that is left out: its name is in there, it is reported once, and the change edits files of
 * tests. A test that stays where it was would be reported twice.
 */
async function movedTests(
  { repo, candidate, tests }: PassedCheck,
  { without }: Undone,
  touched: readonly string[],
): Promise<(id: string) => boolean> {
  if (touched.length === 0) return () => false;
  const texts = [...(await repo.readFiles({ commit: candidate.commit, paths: without })).values()];
  const counts = tallies(tests);
  return (id) => {
    const name = id.split(" > ").at(-1) ?? id;
    return total(counts.get(id) ?? NO_TALLY) === 1 && texts.some((text) => text.includes(name));
  };
}

async function undoneOf(check: PassedCheck, found: FoundRunner, paths: readonly ChangedPath[]): Promise<Undone | undefined> {
  const added = await addedTests(check, found, paths);
  const settings = check.allow.configuration === true ? { without: [], files: [] } : await settingsOf(check, found, paths);
  const without = [...new Set([...added, ...settings.without])];
  if (without.length + settings.files.length === 0) return undefined;
  const isSet = settings.files.length + settings.without.length > 0;
  const what = [
    ...(added.length > 0 ? ["the tests that the change adds"] : []),
    ...(isSet ? ['its changes to how tests are run (allow them with "configuration")'] : []),
  ];
  return { without, files: settings.files, what: what.join(" and ") };
}

/** Files by which the test runner is set: those that the change adds, and the base's text of those that it edits or removes. */
async function settingsOf(
  check: PassedCheck,
  found: FoundRunner,
  paths: readonly ChangedPath[],
): Promise<Pick<Undone, "without" | "files">> {
  const { repo, candidate } = check;
  const isPython = found.runner.name === "pytest";
  const committed = await repo.files(candidate.commit);
  const folders = new Set(isPython ? testFilesOf(found, committed).map((path) => dirname(path)) : []);
  const added = paths.flatMap(({ path, how }) => (how === "added" ? [path] : []));
  const without = added.filter((path) => isRunnerFile(path) || (isPython && shadowsPythonModule(path, folders)));
  const edited = paths.flatMap(({ path, how }) => (how === "added" ? [] : [path])).filter((path) => !isTestName(path, found));
  const [before, after] = await Promise.all([
    repo.readFiles({ commit: candidate.base, paths: edited }),
    repo.readFiles({ commit: candidate.commit, paths: paths.map(({ path }) => path).filter(isManifest) }),
  ]);
  const isSet = await namedBySettings(check, found);
  const whole = edited.filter((path) => isRunnerFile(path) || isSet(path)).map((path) => ({ path, text: before.get(path) }));
  const parts = [...after].map(([path, text]) => ({ path, text: withRunnerPartOf(path, text, before.get(path)) }));
  return { without, files: [...whole, ...parts].flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }])) };
}

/** Files with settings of the base that are read for what they load. */
const MAX_SETTINGS = 50;

/** Whether a file is one that the base's settings load, or an option of the command names. */
async function namedBySettings({ repo, candidate }: PassedCheck, { words }: FoundRunner): Promise<(path: string) => boolean> {
  const committed = await repo.files(candidate.base);
  const settings = committed.filter((path) => isRunnerFile(path) && !path.endsWith(".py")).slice(0, MAX_SETTINGS);
  const texts = [...(await repo.readFiles({ commit: candidate.base, paths: settings })).values()];
  const options = words
    .filter((_, i) => i > 0 && words[i - 1]?.startsWith("-") === true)
    .map((word) => word.replace(/^\.\//, ""));
  return (path) => options.includes(path) || texts.some((text) => loads(text, path));
}

/** Arguments of a command may name other files of the repository: a report, a list. */
const SOURCE = /\.(?:[cm]?[jt]sx?|py|go|rs)$/;

function isManifest(path: string): boolean {
  return /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.cfg)$/.test(path);
}

/**
 * Files of tests that the change adds and the command runs, but for those that a test of the base which it edits loads, or in Go lies
 * beside. None if tests of the base are gone and the report does not say which file a test is in, since an added one may hold them.
 */
async function addedTests(
  { repo, candidate, baseTests }: PassedCheck,
  found: FoundRunner,
  paths: readonly ChangedPath[],
): Promise<readonly string[]> {
  const namesFiles = baseTests.some(({ id }) => id.startsWith("pytest > ") || fileOf(id.split(" > ")[0] ?? "") !== undefined);
  if (!namesFiles && paths.some(({ path, how }) => how === "deleted" && belongsToTests(path, found))) return [];
  const touched = paths.flatMap(({ path, how }) => (how === "modified" && belongsToTests(path, found) ? [path] : []));
  const [committed, texts] = await Promise.all([
    repo.files(candidate.commit),
    repo.readFiles({ commit: candidate.commit, paths: touched }),
  ]);
  const run = new Set(testFilesOf(found, committed));
  const isNeeded = (path: string): boolean =>
    (found.runner.name === "go test" && touched.some((each) => dirname(each) === dirname(path))) ||
    [...texts.values()].some((text) => loads(text, path));
  const isTest = (path: string) =>
    run.has(path) && SOURCE.test(path) && (found.runner.keepsTestsInCode !== true || isTestPath(path));
  return paths.flatMap(({ path, how }) => (how === "added" && isTest(path) && !isNeeded(path) ? [path] : []));
}

/** Which tests of the base no longer pass then. Those of files that the change edits may need what was taken out. */
async function runUndone(
  { ctx, scope, repo, step, candidate, tests, baseTests, loads: loaded }: PassedCheck,
  { files, without }: Undone,
  touched: readonly string[],
): Promise<{ readonly lost: readonly string[]; readonly output: string } | { readonly evidence: Evidence }> {
  const commit = await repo.deriveCommit({ commit: candidate.commit, files, without });
  const log = `check-${step.name}-canary-alone`;
  const judged = await judgeCommand(ctx, scope, repo, { step, commit, attributesOf: candidate.base, log });
  if (!judged.ok) return { evidence: judged.evidence };
  const results = judged.reading?.ok === true ? judged.reading.tests : [];
  const [now, before] = [idsOf(results, "passed"), idsOf(tests, "passed")];
  const failing = idsOf(results, "failed");
  const lost = [...idsOf(baseTests, "passed")].filter(
    (id) => before.has(id) && !now.has(id) && !touched.some((path) => isIn(id, path)),
  );
  return { lost: [...lost, ...loaded.filter((id) => failing.has(id))], output: judged.result.tail };
}

function idsOf(results: readonly TestResult[], outcome: TestResult["outcome"]): ReadonlySet<string> {
  return new Set(results.flatMap((test) => (test.outcome === outcome ? [test.id] : [])));
}

/** Whether an id says that its test is in this file. */
function isIn(id: string, path: string): boolean {
  const module = path.replace(/\.py$/, "").replaceAll("/", ".");
  return id.startsWith(`${path} > `) || id.startsWith(`pytest > ${module}`);
}

function belongsToTests(path: string, found: FoundRunner): boolean {
  return !isRunnerFile(path) && isTestName(path, found);
}

function isTestName(path: string, { runner }: FoundRunner): boolean {
  return runner.isTestFile(path) || (isTestPath(path) && !isRunnerFile(path));
}
