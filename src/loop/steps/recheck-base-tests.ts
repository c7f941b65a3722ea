import { fileOf } from "../../domain/evidence/loaded-files.ts";
import { NO_TALLY, type TestResult, tallies } from "../../domain/evidence/results.ts";
import type { Origin } from "../../domain/run/landings.ts";
import { isCalled, type PlantedFile } from "../../domain/test-canary/deviations.ts";
import type { FoundRunner } from "../../domain/test-canary/find-runner.ts";
import { loads } from "../../domain/test-canary/loads.ts";
import type { ChangedPath } from "../../ports/vcs.ts";
import { droppedTests } from "./dropped-tests.ts";
import type { PassedCheck } from "./passed-check.ts";
import type { Broken, Run } from "./planted-runs.ts";
import { otherTests, settingsOf, testIn } from "./runner-settings-of.ts";

/**
 * A candidate without its changes to tests and to how they are run. Code that passes only with those changes is patched by them
 * while it runs, or does not run at all (adversary case F1).
 */
export interface Stripped {
  readonly commit: string;
  /** The base to compare with: without the same test files if edited ones are left out. */
  readonly base: string;
  /** Its changes, with those below it since the origin. */
  readonly paths: readonly ChangedPath[];
  /** The removed changes, in words. */
  readonly what: string;
  /** Test files of the base that the change edits, by their paths. */
  readonly edited: ReadonlyMap<string, EditedTests>;
}

/** A test file as the base and the candidate have it. It is left out if it is gone, or may need a removed change. */
interface EditedTests {
  readonly base: string;
  readonly candidate: string;
  readonly isLeftOut: boolean;
}

/** The changes of a candidate since an origin that concern its tests. */
interface TestChanges {
  readonly check: PassedCheck;
  readonly found: FoundRunner;
  readonly origin: Origin;
  readonly paths: readonly ChangedPath[];
  /** Those of `paths` that are test files. */
  readonly tests: readonly ChangedPath[];
  readonly settings: Awaited<ReturnType<typeof settingsOf>>;
  readonly isSet: boolean;
}

/**
 * The candidate without such changes since an origin, in the ways that differ: without added tests and with the origin's settings;
 * and without edited tests as well. Empty if there are no such changes.
 */
export async function stripTestChanges(check: PassedCheck, found: FoundRunner, origin: Origin): Promise<readonly Stripped[]> {
  const { repo, candidate } = check;
  const { paths } = await repo.change({ from: origin.first, tip: candidate.commit });
  const isMore = await otherTests(repo, found, origin);
  const isTest = testIn(found, await repo.files(candidate.commit), isMore);
  const wasTest = testIn(found, await repo.files(origin.first), isMore);
  const tests = paths.filter(({ path, how }) => (how === "deleted" ? wasTest(path) : isTest(path)));
  const isRed = check.baseTests.some(({ outcome }) => outcome === "failed");
  const settings = await settingsOf(repo, found, { origin, commit: candidate.commit, isRed });
  const isSet = settings.without.length + settings.files.length > 0;
  const changes = { check, found, origin, paths, tests, settings, isSet };
  const stripped = [await withoutAdded(changes), await withoutEdited(changes)].filter((each) => each !== undefined);
  return stripped.filter(({ commit }, i) => stripped.findIndex((each) => each.commit === commit) === i);
}

async function withoutAdded(changes: TestChanges): Promise<Stripped | undefined> {
  const { check, found, origin, paths, tests, settings, isSet } = changes;
  const { repo, candidate } = check;
  const helpers = await helpersIn(check, found, tests);
  const added = tests.flatMap(({ path, how }) => (how === "added" && !helpers.has(path) ? [path] : []));
  const hasAdded = added.length > 0;
  if (!hasAdded && !isSet) return undefined;
  const isNeedy = (path: string, text: string) => !helpers.has(path) && (isSet || added.some((each) => loads(text, each)));
  const edited = await editedTests(changes, isNeedy);
  const leftOut = tests.flatMap(({ path, how }) => (how === "modified" && edited.get(path)?.isLeftOut === true ? [path] : []));
  const without = [...new Set([...added, ...leftOut, ...settings.without])];
  const commit = await repo.deriveCommit({ commit: candidate.commit, files: settings.files, without });
  const what = wordsFor({ hasAdded, isSet, isOwn: origin.first === candidate.base });
  return { commit, base: origin.first, paths, what, edited };
}

/** Undefined if it edits no test file, or only such that the base's code or its other tests load. */
async function withoutEdited(changes: TestChanges): Promise<Stripped | undefined> {
  const { check, found, origin, paths, tests, settings } = changes;
  const { repo, candidate } = check;
  const [edited = [], added = []] = (["modified", "added"] as const).map((kind) =>
    tests.flatMap(({ path, how }) => (how === kind ? [path] : [])),
  );
  if (edited.length === 0) return undefined;
  const dropped = await droppedTests(repo, found, { base: origin.first, commit: candidate.commit, edited, added });
  if (dropped.edited.length === 0) return undefined;
  // A runner refuses to start if a file that the command names does not exist. The command may have changed its folder.
  const named = found.words.slice(1).map((word) => `/${word.replace(/^(?:\.\/)+/, "").replace(/::.*$/s, "")}`);
  const isNamed = (path: string) => named.some((name) => name !== "/" && `/${path}`.endsWith(name));
  const empty = dropped.edited.filter(isNamed).map((path) => ({ path, text: "" }));
  const gone = dropped.edited.filter((path) => !isNamed(path));
  const [commit, base] = await Promise.all([
    repo.deriveCommit({
      commit: candidate.commit,
      files: [...settings.files, ...empty],
      without: [...new Set([...dropped.added, ...gone, ...settings.without])],
    }),
    repo.deriveCommit({ commit: origin.first, files: empty, without: gone }),
  ]);
  const what = `the test files that ${origin.first === candidate.base ? "the change edits" : "tickets of the run edit"}`;
  const isLeftOut = (path: string) => dropped.edited.includes(path);
  return { commit, base, paths, what, edited: await editedTests(changes, isLeftOut) };
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
 * Files in test folders that contain no tests: those of the base that the change edits, and new ones that they load. Tests of the
 * base load them, and only their present content fits the candidate.
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
  { check: { repo, candidate }, origin: { first }, tests }: TestChanges,
  isLeftOut: (path: string, text: string) => boolean,
): Promise<Stripped["edited"]> {
  const paths = tests.flatMap(({ path, how }) => (how === "added" ? [] : [path]));
  const [before, after] = await Promise.all([first, candidate.commit].map((commit) => repo.readFiles({ commit, paths })));
  const entries = paths.map((path): [string, EditedTests] => {
    const text = after?.get(path);
    return [
      path,
      { base: before?.get(path) ?? "", candidate: text ?? "", isLeftOut: text === undefined || isLeftOut(path, text) },
    ];
  });
  return new Map(entries);
}

/**
 * Tests of the base that passed on it and on the candidate, and fail without its changes to tests. Tests of files that are left
 * out do not count. Several tests may have the same id: then as many must pass.
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

/**
 * Finds such tests in a run. If edited files are left out, tests that do not come out better on the base without these files
 * depend on them, and do not count. `runOnBase` is called once, if a run has lost tests.
 */
export function lostTestsFinder(
  check: PassedCheck,
  stripped: Stripped,
  runOnBase: () => Promise<Run | Broken>,
): (run: Run) => Promise<readonly string[]> {
  let onBase: Promise<Run | Broken> | undefined;
  return async ({ tests = [], files }) => {
    const ids = lostTests(check, stripped, { tests, files });
    if (ids.length === 0 || stripped.base === check.candidate.base) return ids;
    onBase ??= runOnBase();
    const base = await onBase;
    const [own, old] = [tallies(tests), tallies("evidence" in base ? [] : (base.tests ?? []))];
    return ids.filter((id) => {
      const [now, then] = [own.get(id) ?? NO_TALLY, old.get(id) ?? NO_TALLY];
      return now.failed > then.failed || now.passed < then.passed || check.loads.includes(id);
    });
  };
}

function isLeftOut(edited: Stripped["edited"], id: string): boolean {
  return [...edited].some(([path, file]) => file.isLeftOut && isIn(id, path));
}

/** The number of files that had a test of this name, and no longer have it in the tests as they run. */
function goneFrom(edited: Stripped["edited"], id: string): number {
  const isGone = ([path, file]: readonly [string, EditedTests]) =>
    (isNamedIn(file.base, id) || path === id) && (file.isLeftOut || !isNamedIn(file.candidate, id));
  return [...edited].filter(isGone).length;
}

/** The file at the start of an id, or the module of its suite. */
function fileNameIn(id: string): string | undefined {
  const [first = "", second = ""] = id.split(" > ");
  return fileOf(first)?.path ?? (/^\w+(?:\.\w+)+$|^test_\w+$/.test(second) ? second : undefined);
}

/** True if an id belongs to a test in this file. A command that changes its folder names modules from there. */
function isIn(id: string, path: string): boolean {
  const [first = "", second = ""] = id.split(" > ");
  if (first === path) return true;
  const module = path.replace(/\.py$/, "").replaceAll("/", ".");
  const ends = [...module].flatMap((letter, at) => (letter === "." ? [module.slice(at + 1)] : []));
  return [module, ...ends].some((end) => second === end || second.startsWith(`${end}.`));
}

/** True if a text has the name of a test in quotes, or after `def`, `func` and `fn`. */
function isNamedIn(text: string, id: string): boolean {
  const name = id.split(" > ").at(-1) ?? id;
  return ['"', "'", "`"].some((quote) => text.includes(`${quote}${name}${quote}`)) || text.includes(` ${name}(`);
}
