import { lstat, opendir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { FRESH, type PlantedFile } from "../../domain/test-canary/deviations.ts";
import type { FoundRunner } from "../../domain/test-canary/find-runner.ts";
import { loads } from "../../domain/test-canary/loads.ts";
import type { Planting, Sowing, TestFile } from "../../domain/test-canary/runner.ts";
import { namedTestFiles, namesOthers, runsFreshFile, testFilesOf } from "../../domain/test-canary/test-files.ts";
import type { Repo } from "../../ports/vcs.ts";
import { confineCommand, placeOf } from "../programs/confine.ts";
import type { StepScope } from "../programs/scope.ts";
import type { StepContext } from "./step.ts";

/** Files of a checkout that are listed, test files that are read, and files that get planted tests. */
const MAX_FILES = 50_000;
const MAX_READ = 1_000;
const MAX_HOSTS = 40;
/** Changed paths that are searched for in test files. */
const MAX_CHANGED = 200;
/** Time limit for committing planted files to the checkout's own history. */
const TRACK_MS = 60_000;
/** The longest test file that is read. Bytes. */
const MAX_BYTES = 500_000;

/** Folders that hold no tests of a repository. */
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules", "vendor", "target", ".venv", "venv", "__pycache__"]);

/** Places for canaries: test files that get some at their end, and whether there is a fresh file beside the first. */
export interface Places {
  readonly hosts: readonly string[];
  readonly fresh: boolean;
}

/** The input of the choice. */
export interface Choice {
  readonly found: FoundRunner;
  /** The commit's paths. Files that `prepare` made are only used if none of these fits. */
  readonly committed: readonly string[];
  /** The changed paths. */
  readonly changed: readonly string[];
  /** The changed paths that the base does not have. */
  readonly added: ReadonlySet<string>;
  /** Places where a canary proves nothing, because it does not work on the base either. */
  readonly excused: ReadonlySet<string>;
  /** Paths, or ends of paths, of files that the base could not load: they must now prove that they run. */
  readonly first: readonly string[];
  readonly sowing: Sowing;
}

/**
 * Chooses places in a pristine checkout: test files that the command runs. First come those that seem to load changed files, then
 * those that are unchanged since the base, last those that the base does not have.
 */
export async function choosePlaces(checkout: string, choice: Choice): Promise<Places> {
  const { paths, candidates } = await pathsFor(checkout, choice);
  const files: TestFile[] = [];
  for (const path of oldFirst(candidates, choice).slice(0, MAX_READ)) {
    const text = await readPlain(checkout, path);
    if (text !== undefined) files.push({ path, text });
  }
  return placesAmong(files, paths, choice);
}

/** Chooses places among a commit's files; undefined if the command seems to run files that are built from them. */
export async function chooseCommitted(repo: Repo, commit: string, choice: Choice): Promise<Places | undefined> {
  if (namesOthers(choice.found, choice.committed)) return undefined;
  const candidates = oldFirst(testFilesOf(choice.found, choice.committed), choice).slice(0, MAX_READ);
  const texts = await repo.readFiles({ commit, paths: candidates });
  const files = [...texts].flatMap(([path, text]) => (text.length <= MAX_BYTES ? [{ path, text }] : []));
  const places = placesAmong(files, choice.committed, choice);
  return places.hosts.length === 0 ? undefined : places;
}

/** The paths, with those that the change adds last. */
function oldFirst(paths: readonly string[], { added }: Choice): readonly string[] {
  return [...paths.filter((path) => !added.has(path)), ...paths.filter((path) => added.has(path))];
}

function placesAmong(found: readonly TestFile[], paths: readonly string[], choice: Choice): Places {
  const files = found.filter(
    (file) => !choice.excused.has(file.path) && choice.found.runner.append(file, choice.sowing) !== undefined,
  );
  const changed = new Set(choice.changed);
  // Added files must displace neither existing test files nor the changed paths that test files are chosen by.
  const modified = choice.changed.filter((path) => !choice.added.has(path));
  const sources = [...modified, ...choice.changed.filter((path) => choice.added.has(path))].slice(0, MAX_CHANGED);
  const rank = ({ path, text }: TestFile): number => {
    if (choice.first.some((each) => path === each || path.endsWith(`/${each}`))) return -1;
    return (choice.added.has(path) ? 6 : 0) + (sources.some((each) => loads(text, each)) ? 0 : 3) + (changed.has(path) ? 1 : 0);
  };
  const byChance = files.map((file) => ({ file, rank: rank(file), chance: choice.sowing.draw(2 ** 30) }));
  const chosen = byChance
    .toSorted((a, b) => a.rank - b.rank || a.chance - b.chance)
    .slice(0, choice.sowing.fails === "one" ? 1 : MAX_HOSTS)
    .map(({ file }) => file);
  const [first] = chosen;
  const beside = first === undefined ? undefined : choice.found.runner.beside(first, choice.sowing);
  const fresh =
    beside !== undefined && choice.sowing.fails !== "one" && runsFreshFile(choice.found, { path: beside.path, paths });
  return { hosts: chosen.map(({ path }) => path), fresh: fresh && !choice.excused.has(FRESH) };
}

/** The places to search, and the test files there that the command runs: first those that its arguments name. */
async function pathsFor(checkout: string, { found, committed }: Choice) {
  const named = namedTestFiles(found, committed);
  if (named.length > 0) return { paths: committed, candidates: named };
  const all = await filesIn(checkout);
  const made = namedTestFiles(found, all);
  if (made.length > 0) return { paths: all, candidates: made };
  const tests = testFilesOf(found, committed);
  return tests.length > 0 ? { paths: committed, candidates: tests } : { paths: all, candidates: testFilesOf(found, all) };
}

/** The plantings at these places in files of these texts. A place without a text is left out. */
export function plantingsAt(
  texts: ReadonlyMap<string, string>,
  { hosts, fresh }: Places,
  { found: { runner }, sowing }: Pick<Choice, "found" | "sowing">,
): readonly PlantedFile[] {
  return hosts.flatMap((path, i): PlantedFile[] => {
    const text = texts.get(path);
    if (text === undefined) return [];
    const beside = i === 0 && fresh ? runner.beside({ path, text }, sowing) : undefined;
    const atEnd = runner.append({ path, text }, sowing);
    return [
      ...(atEnd === undefined ? [] : [{ ...atEnd, at: path }]),
      ...(beside === undefined ? [] : [{ ...beside, at: FRESH }]),
    ];
  });
}

/** Plants in a checkout in which nothing runs. Leaves out a file that is no longer as it was chosen. */
export async function plantAt(
  checkout: string,
  places: Places,
  choice: Pick<Choice, "found" | "sowing">,
): Promise<readonly PlantedFile[]> {
  const texts = new Map<string, string>();
  for (const path of places.hosts) {
    const text = await readPlain(checkout, path);
    if (text !== undefined) texts.set(path, text);
  }
  const planted: PlantedFile[] = [];
  for (const planting of plantingsAt(texts, places, choice)) if (await plant(checkout, planting)) planted.push(planting);
  return planted;
}

async function plant(checkout: string, { path, text }: Planting): Promise<boolean> {
  // A hard link would change a file outside.
  if (!(await takeAway(checkout, path))) return false;
  await writeFile(join(checkout, path), text, { flag: "wx" });
  return true;
}

/** True for a folder that holds no tests of the repository, and for a name that could not be given to a command. */
function isPassedOver(name: string): boolean {
  return SKIPPED.has(name) || name.includes(NOT_UTF8);
}

/** Stands for the bytes of a name that are not UTF-8. */
const NOT_UTF8 = "\ufffd";

/** The paths of the plain files of a checkout; no link is followed. */
async function filesIn(checkout: string): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [""];
  let looked = 0;
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for await (const entry of await opendir(join(checkout, folder))) {
      looked += 1;
      if (looked > MAX_FILES) return found.toSorted();
      if (isPassedOver(entry.name)) continue;
      if (entry.isFile()) found.push(join(folder, entry.name));
      if (entry.isDirectory()) folders.push(join(folder, entry.name));
    }
  }
  return found.toSorted();
}

/** Removes a file of a checkout. False if a command of `prepare` has put a link on the way there, which may lead anywhere. */
async function takeAway(checkout: string, path: string): Promise<boolean> {
  if (!(await isWithin(checkout, path))) return false;
  await rm(join(checkout, path), { force: true });
  return true;
}

/** A short plain file's text. */
async function readPlain(checkout: string, path: string): Promise<string | undefined> {
  const file = join(checkout, path);
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined || !found.isFile() || found.size > MAX_BYTES || !(await isWithin(checkout, path))) return undefined;
  return readFile(file, "utf8");
}

/** True if no link lies on the way from the checkout to the folder of a path. */
async function isWithin(checkout: string, path: string): Promise<boolean> {
  const [root, folder] = await Promise.all(
    [checkout, join(checkout, dirname(path))].map((each) => realpath(each).catch(() => "")),
  );
  return root !== "" && folder === join(root ?? "", dirname(path));
}

/** The check that a test was planted for. */
export interface Tracking {
  readonly ctx: StepContext;
  readonly scope: StepScope;
  readonly repo: Repo;
  readonly step: { readonly name: string };
}

/** Adds planted files to the checkout's own commit: git would show untracked files to code under test. */
export async function track({ ctx, scope, repo, step }: Tracking, checkout: string, paths: readonly string[]): Promise<void> {
  const git = 'git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c commit.gpgSign=false "$@"';
  // The commit has the candidate's metadata and the header of its signature, and git keeps nothing that it does not keep of another
  // checkout.
  const commit = 'g cat-file commit HEAD | sed "1s/.*/tree $t/" | g hash-object -t commit -w --stdin';
  const script = `g() { ${git}; }; g add -Af -- "$@" && t=$(g write-tree) && c=$(${commit}) && g update-ref HEAD "$c" && g pack-refs --all && rm -rf .git/logs`;
  const shown = { from: checkout, at: placeOf(ctx, repo, checkout), write: true };
  const confinement = confineCommand(ctx, repo, { mounts: [shown] });
  await ctx.executor.run({
    argv: ["sh", "-c", script, basename(checkout), ...paths],
    cwd: checkout,
    env: ctx.commandEnv,
    logFile: scope.files.log(`check-${step.name}-canary-git`),
    timeoutMs: TRACK_MS,
    signal: scope.signal,
    marker: scope.marker,
    ...(confinement === undefined ? {} : { confinement }),
  });
}

/** Searches for names in a command's output. */
export class Names {
  #sought: readonly string[] = [];
  found = false;
  seek(files: readonly PlantedFile[]): void {
    this.#sought = files.flatMap(({ tests }) => tests.flatMap(({ name, role }) => (role === "fails" ? [name] : [])));
  }
  readonly onLine = (line: string): void => {
    this.found ||= this.#sought.some((name) => line.includes(name));
  };
}

/** Ends the second run of a command before it starts: it could show nothing. */
export class NothingPlanted extends Error {
  override readonly name = "NothingPlanted";
}
