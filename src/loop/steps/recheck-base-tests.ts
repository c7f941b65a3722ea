import { fileOf } from "../../domain/evidence/loaded-files.ts";
import { NO_TALLY, type TestResult, tallies } from "../../domain/evidence/results.ts";
import type { Origin } from "../../domain/run/landings.ts";
import { isCalled, type PlantedFile } from "../../domain/test-canary/deviations.ts";
import type { FoundRunner } from "../../domain/test-canary/find-runner.ts";
import { loads } from "../../domain/test-canary/loads.ts";
import type { ChangedPath } from "../../ports/vcs.ts";
import type { PassedCheck } from "./passed-check.ts";
import { settingsOf, testIn } from "./runner-settings-of.ts";

/**
 * A candidate without what it changes of tests and of how they are run: code that only passes beside that is fixed by it while it
 * runs, or is not run at all (adversary case F1).
 */
export interface Stripped {
  readonly commit: string;
  /** What it changes, with what stood below it since the origin. */
  readonly paths: readonly ChangedPath[];
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

/** The candidate without that, beginning at an origin; undefined if nothing of the kind has changed since. */
export async function stripTestChanges(check: PassedCheck, found: FoundRunner, origin: Origin): Promise<Stripped | undefined> {
  const { repo, candidate } = check;
  const { paths } = await repo.change({ from: origin.first, tip: candidate.commit });
  const isTest = testIn(found, await repo.files(candidate.commit));
  const wasTest = testIn(found, await repo.files(origin.first));
  const tests = paths.filter(({ path, how }) => (how === "deleted" ? wasTest(path) : isTest(path)));
  const settings = await settingsOf(repo, found, { origin, commit: candidate.commit });
  const isSet = settings.without.length + settings.files.length > 0;
  const helpers = await helpersIn(check, found, tests);
  const added = tests.flatMap(({ path, how }) => (how === "added" && !helpers.has(path) ? [path] : []));
  const hasAdded = added.length > 0;
  if (!hasAdded && !isSet) return undefined;
  const isNeedy = (path: string, text: string) => !helpers.has(path) && (isSet || added.some((each) => loads(text, each)));
  const edited = await editedTests(check, origin, { tests, isNeedy });
  const leftOut = tests.flatMap(({ path, how }) => (how === "modified" && edited.get(path)?.isLeftOut === true ? [path] : []));
  const without = [...new Set([...added, ...leftOut, ...settings.without])];
  const commit = await repo.deriveCommit({ commit: candidate.commit, files: settings.files, without });
  return { commit, paths, what: wordsFor({ hasAdded, isSet, isOwn: origin.first === candidate.base }), edited };
}

function wordsFor({ hasAdded, isSet, isOwn }: { readonly [what in "hasAdded" | "isSet" | "isOwn"]: boolean }): string {
  const tests = isOwn ? "the tests that the change adds" : "the tests that tickets of the run add";
  const settings = isOwn ? "its changes" : "the changes of the run's tickets";
  return [
    ...(hasAdded ? [tests] : []),
    ...(isSet ? [`${settings} to how tests are run (allow them with "configuration")`] : []),
  ].join(" and ");
}

/**
 * Files that lie where tests do and hold none: those of the base that the change edits, and new ones that they load. Tests of the base
 * load them, and nothing but what they say now fits to the candidate.
 */
async function helpersIn(
  { repo, candidate }: PassedCheck,
  { runner }: FoundRunner,
  tests: readonly ChangedPath[],
): Promise<ReadonlySet<string>> {
  const paths = tests.flatMap(({ path, how }) => (how === "deleted" ? [] : [path]));
  const all = await repo.readFiles({ commit: candidate.commit, paths });
  const holdsNone = (path: string, text: string) => runner.append({ path, text }, { draw: () => 0, fails: "new" }) === undefined;
  const texts = new Map([...all].filter(([path, text]) => holdsNone(path, text)));
  const added = new Set(tests.flatMap(({ path, how }) => (how === "added" ? [path] : [])));
  const helpers = new Set<string>();
  for (let next = [...texts.keys()].filter((path) => !added.has(path)); next.length > 0; ) {
    for (const path of next) helpers.add(path);
    const loaded = next.map((path) => texts.get(path) ?? "");
    next = [...texts.keys()].filter((path) => !helpers.has(path) && loaded.some((text) => loads(text, path)));
  }
  return helpers;
}

async function editedTests(
  { repo, candidate }: PassedCheck,
  { first }: Origin,
  { tests, isNeedy }: { readonly tests: readonly ChangedPath[]; readonly isNeedy: (path: string, text: string) => boolean },
): Promise<Stripped["edited"]> {
  const paths = tests.flatMap(({ path, how }) => (how === "added" ? [] : [path]));
  const [before, after] = await Promise.all([first, candidate.commit].map((commit) => repo.readFiles({ commit, paths })));
  const entries = paths.map((path): [string, EditedTests] => {
    const text = after?.get(path);
    return [path, { base: before?.get(path) ?? "", candidate: text ?? "", isLeftOut: text === undefined || isNeedy(path, text) }];
  });
  return new Map(entries);
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
