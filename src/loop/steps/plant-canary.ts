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

/** Files of a checkout that are looked at, files of tests that are read, and files that get planted tests. */
const MAX_FILES = 50_000;
const MAX_READ = 1_000;
const MAX_HOSTS = 40;
/** Changed paths by which a file of tests is told to load what was changed. */
const MAX_CHANGED = 200;
/** Putting what was planted into the checkout's own history may take so long. */
const TRACK_MS = 60_000;
/** The longest file of tests that is read. Bytes. */
const MAX_BYTES = 500_000;

/** Folders that hold no tests of a repository. */
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules", "vendor", "target", ".venv", "venv", "__pycache__"]);

/** Where canaries go: files of tests that get some at their end, and whether there is a fresh file beside the first. */
export interface Places {
  readonly hosts: readonly string[];
  readonly fresh: boolean;
}

/** What choosing them depends on. */
export interface Choice {
  readonly found: FoundRunner;
  /** Paths that the commit has. What `prepare` made beside them is only asked where none of them will do. */
  readonly committed: readonly string[];
  /** Paths that the change touches. */
  readonly changed: readonly string[];
  /** Those of them that the base does not have. */
  readonly added: ReadonlySet<string>;
  /** Places at which a canary tells nothing, since it does not do on the base either. */
  readonly excused: ReadonlySet<string>;
  /** Paths, or ends of paths, of files that the base could not load: they have to show that they run now. */
  readonly first: readonly string[];
  readonly sowing: Sowing;
}

/**
 * Chooses places in a pristine checkout: files of tests that the command runs, those first that seem to load what was changed, then
 * those that are as they were on the base, and those last that it does not have.
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

/** The same among what a commit has; undefined if the command seems to run what is made of that. */
export async function chooseCommitted(repo: Repo, commit: string, choice: Choice): Promise<Places | undefined> {
  if (namesOthers(choice.found, choice.committed)) return undefined;
  const candidates = oldFirst(testFilesOf(choice.found, choice.committed), choice).slice(0, MAX_READ);
  const texts = await repo.readFiles({ commit, paths: candidates });
  const files = [...texts].flatMap(([path, text]) => (text.length <= MAX_BYTES ? [{ path, text }] : []));
  const places = placesAmong(files, choice.committed, choice);
  return places.hosts.length === 0 ? undefined : places;
}

/** Paths with those that the change adds behind the others. */
function oldFirst(paths: readonly string[], { added }: Choice): readonly string[] {
  return [...paths.filter((path) => !added.has(path)), ...paths.filter((path) => added.has(path))];
}

function placesAmong(found: readonly TestFile[], paths: readonly string[], choice: Choice): Places {
  const files = found.filter(
    (file) => !choice.excused.has(file.path) && choice.found.runner.append(file, choice.sowing) !== undefined,
  );
  const changed = new Set(choice.changed);
  // Whoever adds files must not crowd out those that were there, nor the changed ones by which files of tests are chosen.
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

/** Where to look, and the files of tests there that the command runs: first by what its arguments name. */
async function pathsFor(checkout: string, { found, committed }: Choice) {
  const named = namedTestFiles(found, committed);
  if (named.length > 0) return { paths: committed, candidates: named };
  const all = await filesIn(checkout);
  const made = namedTestFiles(found, all);
  if (made.length > 0) return { paths: all, candidates: made };
  const tests = testFilesOf(found, committed);
  return tests.length > 0 ? { paths: committed, candidates: tests } : { paths: all, candidates: testFilesOf(found, all) };
}

/** What is planted at these places in files of these texts; a place without a text is left out. */
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

/** Plants in a checkout that nothing runs in; what is not there as it was chosen is left out. */
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

/** The paths of the plain files of a checkout; no link is followed. */
async function filesIn(checkout: string): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [""];
  let looked = 0;
  for (let folder = folders.shift(); folder !== undefined && looked < MAX_FILES; folder = folders.shift()) {
    for await (const entry of await opendir(join(checkout, folder))) {
      const path = join(folder, entry.name);
      if (entry.isFile()) found.push(path);
      else if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(path);
      looked += 1;
      if (looked >= MAX_FILES) break;
    }
  }
  return found.toSorted();
}

/** Removes a file of a checkout; false where what `prepare` ran has put a link on the way there, which may lead anywhere. */
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

/** Whether no link lies on the way from the checkout to the folder of a path. */
async function isWithin(checkout: string, path: string): Promise<boolean> {
  const [root, folder] = await Promise.all(
    [checkout, join(checkout, dirname(path))].map((each) => realpath(each).catch(() => "")),
  );
  return root !== "" && folder === join(root ?? "", dirname(path));
}

/** The check that something was planted for. */
export interface Tracking {
  readonly ctx: StepContext;
  readonly scope: StepScope;
  readonly repo: Repo;
  readonly step: { readonly name: string };
}

/** Makes planted files part of the checkout's own commit: git would tell code under test of files that are not. */
export async function track({ ctx, scope, repo, step }: Tracking, checkout: string, paths: readonly string[]): Promise<void> {
  const git = 'git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c commit.gpgSign=false "$@"';
  // The commit says of itself what the candidate's says, and git keeps nothing that it does not keep of another checkout.
  const as =
    'export GIT_COMMITTER_NAME="$(g log -1 --format=%cn)" GIT_COMMITTER_EMAIL="$(g log -1 --format=%ce)" GIT_COMMITTER_DATE="$(g log -1 --format=%cI)"';
  const commit = "g commit --amend --no-edit --no-verify -q --allow-empty-message";
  const script = `g() { ${git}; }; ${as}; g add -Af -- "$@" && ${commit} && g pack-refs --all && rm -rf .git/COMMIT_EDITMSG .git/logs`;
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

/** Looks for names in what a command prints. */
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
