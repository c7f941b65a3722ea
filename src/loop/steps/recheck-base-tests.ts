import { dirname } from "node:path";
import { fileOf } from "../../domain/evidence/loaded-files.ts";
import { NO_TALLY, type TestResult, tallies } from "../../domain/evidence/results.ts";
import { isTestPath } from "../../domain/evidence/sealed-paths.ts";
import { isCalled, type PlantedFile } from "../../domain/test-canary/deviations.ts";
import type { FoundRunner } from "../../domain/test-canary/find-runner.ts";
import { loads } from "../../domain/test-canary/loads.ts";
import { shadowsPythonModule } from "../../domain/test-canary/python-modules.ts";
import { isRunnerFile, pluginsNamedBy, withRunnerPartOf } from "../../domain/test-canary/runner-settings.ts";
import { testFilesOf } from "../../domain/test-canary/test-files.ts";
import type { ChangedPath } from "../../ports/vcs.ts";
import type { PassedCheck } from "./passed-check.ts";

/**
 * A candidate without what it changes of tests and of how they are run: code that only passes beside that is fixed by it while it
 * runs, or is not run at all (adversary case F1).
 */
export interface Stripped {
  readonly commit: string;
  /** What was taken out, in words. */
  readonly what: string;
  /** Files of tests of the base that the change edits, by their paths. */
  readonly edited: ReadonlyMap<string, EditedTests>;
}

/** A file of tests as the base and the candidate have it; it is left out if it is gone, or may need what was taken out. */
interface EditedTests {
  readonly base: string;
  readonly candidate: string;
  readonly isLeftOut: boolean;
}

/** The candidate without that; undefined if it changes nothing of the kind. */
export async function stripTestChanges(
  check: PassedCheck,
  found: FoundRunner,
  paths: readonly ChangedPath[],
): Promise<Stripped | undefined> {
  const { repo, candidate } = check;
  const committed = await repo.files(candidate.commit);
  const isTest = testIn(found, committed);
  const wasTest = testIn(found, await repo.files(candidate.base));
  const tests = paths.filter(({ path, how }) => (how === "deleted" ? wasTest(path) : isTest(path)));
  const settings = check.allow.configuration === true ? { without: [], files: [] } : await settingsOf(check, found, paths);
  const hasAdded = tests.some(({ how }) => how === "added");
  if (!hasAdded && settings.without.length + settings.files.length === 0) return undefined;
  const isSet = settings.without.length + settings.files.length > 0;
  const added = tests.flatMap(({ path, how }) => (how === "added" ? [path] : []));
  const edited = await editedTests(check, { tests, isNeedy: (text) => isSet || added.some((path) => loads(text, path)) });
  const leftOut = tests.flatMap(({ path, how }) => (how === "modified" && edited.get(path)?.isLeftOut === true ? [path] : []));
  const without = [...new Set([...added, ...leftOut, ...settings.without])];
  const what = [
    ...(hasAdded ? ["the tests that the change adds"] : []),
    ...(isSet ? ['its changes to how tests are run (allow them with "configuration")'] : []),
  ].join(" and ");
  const commit = await repo.deriveCommit({ commit: candidate.commit, files: settings.files, without });
  return { commit, what, edited };
}

async function editedTests(
  { repo, candidate }: PassedCheck,
  { tests, isNeedy }: { readonly tests: readonly ChangedPath[]; readonly isNeedy: (text: string) => boolean },
): Promise<Stripped["edited"]> {
  const paths = tests.flatMap(({ path, how }) => (how === "added" ? [] : [path]));
  const [before, after] = await Promise.all(
    [candidate.base, candidate.commit].map((commit) => repo.readFiles({ commit, paths })),
  );
  const entries = paths.map((path): [string, EditedTests] => {
    const text = after?.get(path);
    return [path, { base: before?.get(path) ?? "", candidate: text ?? "", isLeftOut: text === undefined || isNeedy(text) }];
  });
  return new Map(entries);
}

/** Arguments of a command may name other files of the repository: a report, a list. */
const SOURCE = /\.(?:[cm]?[jt]sx?|py|go|rs)$/;

function testIn(found: FoundRunner, committed: readonly string[]): (path: string) => boolean {
  const run = new Set(testFilesOf(found, committed));
  const { runner } = found;
  return (path) =>
    SOURCE.test(path) &&
    !isRunnerFile(path) &&
    (run.has(path) || runner.isTestFile(path)) &&
    (runner.keepsTestsInCode !== true || isTestPath(path));
}

/** Files by which the test runner is set: those that the change adds, and the base's text of those that it edits or removes. */
async function settingsOf(
  check: PassedCheck,
  found: FoundRunner,
  paths: readonly ChangedPath[],
): Promise<Pick<Parameters<PassedCheck["repo"]["deriveCommit"]>[0], "without" | "files">> {
  const { repo, candidate } = check;
  const [committed, base] = await Promise.all([repo.files(candidate.commit), repo.files(candidate.base)]);
  const isShadow = found.runner.name === "pytest" ? shadowIn(found, committed, base) : () => false;
  const isSetting = (path: string) => isRunnerFile(path) || (path.endsWith("/__init__.py") && isTestPath(path));
  const without = paths.flatMap(({ path, how }) => (how === "added" && (isSetting(path) || isShadow(path)) ? [path] : []));
  const old = paths.flatMap(({ path, how }) => (how === "added" ? [] : [path]));
  const [before, after, isNamed] = await Promise.all([
    repo.readFiles({ commit: candidate.base, paths: old }),
    repo.readFiles({ commit: candidate.commit, paths: paths.map(({ path }) => path).filter(isManifest) }),
    namedBySettings(check, found, old),
  ]);
  const isTest = testIn(found, base);
  const whole = old.filter((path) => isSetting(path) || (isNamed(path) && !isTest(path)));
  const parts = [...after].map(([path, text]) => ({ path, text: withRunnerPartOf(path, text, before.get(path)) }));
  const texts = [...whole.map((path) => ({ path, text: before.get(path) })), ...parts];
  return { without, files: texts.flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }])) };
}

/** Whether a new file would be found in the place of a module of Python or pytest, by the folders of the tests and above them. */
function shadowIn(found: FoundRunner, committed: readonly string[], base: readonly string[]): (path: string) => boolean {
  const folders = new Set<string>();
  for (const path of testFilesOf(found, committed))
    for (let folder = dirname(path); folder !== "." && !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  // A package is not itself a folder in which modules are looked for.
  const packages = new Set(base.flatMap((path) => (path.endsWith("/__init__.py") ? [dirname(path)] : [])));
  for (const folder of ["src", "lib"]) if (!packages.has(folder)) folders.add(folder);
  return (path) => shadowsPythonModule(path, folders);
}

/** Files with settings of the base that are read for what they load, and files that may be what they load. */
const MAX_SETTINGS = 200;
const MAX_OTHERS = 5_000;

/** Which of these files the base's settings load, one after another, or the command names in an option. */
async function namedBySettings(
  { repo, candidate }: PassedCheck,
  { words }: FoundRunner,
  paths: readonly string[],
): Promise<(path: string) => boolean> {
  const committed = await repo.files(candidate.base);
  const settings = committed.filter((path) => isRunnerFile(path) || isManifest(path)).slice(0, MAX_SETTINGS);
  const texts = await repo.readFiles({ commit: candidate.base, paths: settings });
  // Of a conftest.py only the plugins that it names: it imports the code under test as well.
  const named = [...texts].map(([path, text]) => (SOURCE.test(path) && !path.endsWith(".py") ? text : pluginsNamedBy(text)));
  const options = words.filter((word, i) => /^-.*=/.test(word) || (i > 0 && words[i - 1]?.startsWith("-") === true));
  named.push(options.map((word) => `"${word.replace(/^[^=]*=/, "")}"`).join("\n"));
  const others = new Set([...paths, ...committed.filter((path) => !path.endsWith(".py")).slice(0, MAX_OTHERS)]);
  const found = new Set<string>();
  for (let texts = named; texts.length > 0 && found.size < MAX_SETTINGS; ) {
    const isLoaded = (path: string) => SOURCE.test(path) && !found.has(path) && texts.some((text) => loads(text, path));
    const next = [...others].filter(isLoaded);
    for (const path of next) found.add(path);
    const scripts = next.filter((path) => !path.endsWith(".py"));
    texts = [...(await repo.readFiles({ commit: candidate.base, paths: scripts })).values()];
  }
  return (path) => found.has(path);
}

function isManifest(path: string): boolean {
  return /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.cfg)$/.test(path);
}

/**
 * Tests of the base that passed on it and on the candidate, and do not without its changes to tests. Those of files that are left out
 * do not count. By the same id there may be several tests: then so many have to pass.
 */
export function lostTests(
  { tests, baseTests, loads: loaded }: PassedCheck,
  { edited }: Stripped,
  now: { readonly tests: readonly TestResult[]; readonly files: readonly PlantedFile[] },
): readonly string[] {
  const [base, candidate, results] = [tallies(baseTests), tallies(tests), tallies(now.tests)];
  const planted = now.files.flatMap((file) => file.tests.map(({ name }) => name));
  const namesFiles = [...base.keys()].some((id) => id.includes(" > ") && fileNameIn(id) !== undefined);
  const lost = [...base].flatMap(([id, old]) => {
    const own = candidate.get(id) ?? NO_TALLY;
    if (old.failed > 0 || own.failed > 0 || old.passed === 0) return [];
    const left = namesFiles ? (isLeftOut(edited, id) ? old.passed : 0) : goneFrom(edited, id);
    const { passed, failed } = results.get(id) ?? NO_TALLY;
    const twins = planted.filter((name) => isCalled(id, name)).length;
    return failed > twins || passed + twins < Math.min(old.passed, own.passed) - left ? [id] : [];
  });
  return [...lost, ...loaded.filter((id) => (results.get(id)?.failed ?? 0) > 0)];
}

function isLeftOut(edited: Stripped["edited"], id: string): boolean {
  return [...edited].some(([path, file]) => file.isLeftOut && isIn(id, path));
}

/** How many of the files had a test of this name, and do not have it where the tests are run. */
function goneFrom(edited: Stripped["edited"], id: string): number {
  const isGone = (file: EditedTests) => isNamedIn(file.base, id) && (file.isLeftOut || !isNamedIn(file.candidate, id));
  return [...edited.values()].filter(isGone).length;
}

/** The file that an id begins with, or the module behind its suite. */
function fileNameIn(id: string): string | undefined {
  const [first = "", second = ""] = id.split(" > ");
  return fileOf(first)?.path ?? (/^\w+(?:\.\w+)+$|^test_\w+$/.test(second) ? second : undefined);
}

/** Whether an id says that its test is in this file. */
function isIn(id: string, path: string): boolean {
  const [first = "", second = ""] = id.split(" > ");
  const module = path.replace(/\.py$/, "").replaceAll("/", ".");
  return first === path || second === module || second.startsWith(`${module}.`);
}

/** Whether a text has the name of a test in quotes, or after `def`, `func` and `fn`. */
function isNamedIn(text: string, id: string): boolean {
  const name = id.split(" > ").at(-1) ?? id;
  return ['"', "'", "`"].some((quote) => text.includes(`${quote}${name}${quote}`)) || text.includes(` ${name}(`);
}
