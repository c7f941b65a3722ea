import { lstat, opendir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "../../../domain/values/text.ts";
import { folderList, GitFailure, isObjectId, objectId } from "../git/git-call.ts";
import { type GuardedGit, mustGuarded } from "../git/guarded-git.ts";
import { ifThere, type Store } from "../repository/store.ts";
import { FOLDER, readFolders, type TreeEntry } from "../repository/trees.ts";
import type { CaptureBounds } from "./capture-bounds.ts";
import { makeQuarantine, takeOver } from "./take-over.ts";
import { type CountedTree, countLargestTree, readTrees } from "./tree-counts.ts";
import { agentDir, workerGitDir } from "./worker-git.ts";

/** Size limit of the pack that one attempt may bring in. Bytes. */
const MAX_PACK = 1024 * 1024 * 1024;

/** `$1`: the quarantine. Packing also reads the worker's objects; indexing reads only the repository's. */
const PACK = [
  'git pack-objects --revs --stdout -q --thin --delta-base-offset >"$1/pack.new" || exit; ',
  'export GIT_OBJECT_DIRECTORY="$1" GIT_ALTERNATE_OBJECT_DIRECTORIES="$2"; ',
  `exec git index-pack --stdin --fix-thin --strict --max-input-size=${MAX_PACK} <"$1/pack.new"`,
].join("");

/**
 * Imports the commits of a confined worker. The objects that `tip` reaches and `from` does not are packed from the worker's
 * folder and indexed in a quarantine. There, git computes each id from the content, checks every object as fsck does, and refuses
 * broken or incomplete ones. The pack is then moved into the repository. The worker's list of further object folders is moved
 * aside first, because git would follow it.
 */
export async function importObjects(
  store: Store,
  guard: GuardedGit,
  options: { readonly leftover: LeftoverObjects; readonly tip: string; readonly from: string },
): Promise<void> {
  try {
    await takeCommits(store, guard, options);
  } catch (error) {
    guard.check();
    throw refusal(error);
  }
}

function refusal(error: unknown): Error {
  const why = error instanceof GitFailure ? error.stderr.trim() : errorMessage(error);
  return new Error(`what the worker committed cannot be taken: ${why.slice(0, 500)}`, { cause: error });
}

/** The folder of a confined worker's objects, and an empty one for those that are taken. */
export interface LeftoverObjects {
  readonly objects: string;
  readonly quarantine: string;
}

/** Finds them in a worktree. */
export async function leftoverObjects(store: Store, path: string): Promise<LeftoverObjects> {
  const objects = join(workerGitDir(store, path), "objects");
  if ((await ifThere(lstat(objects)))?.isDirectory() !== true) throw refusal(new Error("its folder of objects is gone"));
  const aside = join(agentDir(store, path), "info");
  await rm(aside, { recursive: true, force: true });
  await ifThere(rename(join(objects, "info"), aside));
  const quarantine = await makeQuarantine(join(agentDir(store, path), "taken"));
  return { objects, quarantine };
}

async function takeCommits(
  store: Store,
  guard: GuardedGit,
  { leftover, tip, from }: Parameters<typeof importObjects>[2],
): Promise<void> {
  const { objects, quarantine } = leftover;
  await refuseOddFiles(objects);
  await weighObjects(store, guard, { objects, from });
  const call = store.contentCall(["pack-objects"], {
    borrowed: [objects],
    input: `${objectId(tip)}\n^${objectId(from)}\n`,
  });
  await mustGuarded(guard, call, { text: PACK, args: [quarantine, folderList([store.at.objects])] });
  await takeOver(store, quarantine);
  if (await holdsTooMuch(store, guard, tip)) throw new Error(`it holds more than ${MAX_FILES} files`);
}

/** `$1`: the folder of objects made while the worktree was staged. Prints the tree. */
const PACK_STAGED = [
  "tree=$(git write-tree) || exit; ",
  'cd "$1" && find . -type f -path "./??/*" ! -name "tmp_*" | tr -d "./" >objects.new && ',
  'git pack-objects -q --non-empty "$1/pack/pack" <objects.new >/dev/null && echo "$tree"',
].join("");

/** Writes the tree of an index that was staged into a quarantine, and imports its objects. */
export async function takeStaged(store: Store, guard: GuardedGit, options: { own: string; staged: string }): Promise<string> {
  const call = store.contentCall(["write-tree"], { gitDir: options.own, objects: options.staged, borrowed: [store.at.objects] });
  const tree = (await mustGuarded(guard, call, { text: PACK_STAGED, args: [options.staged] })).trim();
  if (!isObjectId(tree)) throw new Error("git did not tell what was staged");
  await takeOver(store, options.staged);
  return tree;
}

/** Limits of one attempt's objects: git's files, objects in them, commits, and bytes of folders. */
const MAX_ENTRIES = 200_000;
const MAX_OBJECTS = 1_000_000;
const MAX_COMMITS = 10_000;
const MAX_TREE_BYTES = 64 * 2 ** 20;

/** The limit of files and folders in a worker's commit: more than any repository has that git is known to handle. */
const MAX_FILES = 1_000_000;

/** The folder of a worker's objects, and the options with which git reads them. */
interface Leftover {
  readonly objects: string;
  /** The commit that the attempt started at. */
  readonly from: string;
}

/** Refuses anything but plain files and folders among a worker's objects, and too many of them. */
async function refuseOddFiles(objects: string): Promise<void> {
  const folders = [objects];
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of await opendir(folder)) {
      entries += 1;
      if (entries > MAX_ENTRIES) throw new Error(`it left more than ${MAX_ENTRIES} files of objects`);
      if (entry.isDirectory()) folders.push(join(folder, entry.name));
      else if (!entry.isFile()) throw new Error("it put something else than files among its objects");
    }
  }
}

/**
 * Weighs a worker's objects by their headers before anything reads them whole: their number, their size, and the number of files
 * that their folders stand for. A hundred objects can stand for more files than memory holds (a folder that contains another one
 * ten times, and so on), and a program that reads such a tree, in any commit of the history, keeps them all.
 */
async function weighObjects(store: Store, guard: GuardedGit, leftover: Leftover): Promise<void> {
  const trees = await listObjects(store, guard, leftover);
  if (trees.length === 0) return;
  const idBytes = store.at.format === "sha1" ? 20 : 32;
  const base = await readCommitFolders(store, guard, leftover.from);
  const known = new Map<string, number>();
  let bytes = 0;
  const found = new Map<string, CountedTree>();
  // Objects that an agent took from another branch are in the repository, and in no commit of its own.
  for (let [ids, objects]: [readonly string[], string] = [trees, leftover.objects]; ids.length > 0; objects = store.at.objects) {
    const output = await catFile(store, guard, { ids, objects });
    bytes += output.length;
    if (bytes > 2 * MAX_TREE_BYTES) throw new Error(`its folders are larger than ${MAX_TREE_BYTES} bytes together`);
    for (const [id, tree] of readTrees(output, idBytes)) found.set(id, tree);
    for (const id of ids) if (!found.has(id)) known.set(id, 0);
    ids = [...new Set([...found.values()].flatMap(({ folders }) => folders))].filter(
      (id) => !found.has(id) && !known.has(id) && !base.has(id),
    );
  }
  // If a worker's object has the name of one of the repository, that of the repository counts.
  if (countLargestTree(new Map([...found, ...base]), known, MAX_FILES) === undefined)
    throw new Error(`it holds more than ${MAX_FILES} files`);
}

/** Whole objects, in the format of `cat-file --batch`. */
async function catFile(store: Store, guard: GuardedGit, options: { ids: readonly string[]; objects: string }): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const call = store.contentCall(["cat-file", "--batch"], {
    objects: options.objects,
    input: options.ids.map((id) => `${id}\n`).join(""),
    onOutput: (chunk) => {
      chunks.push(chunk);
      return "more";
    },
  });
  const result = await guard.run(call);
  if (result.status !== 0) throw new Error("its folders cannot be read");
  return Buffer.concat(chunks);
}

/** The folders of a commit that the repository has. */
async function readCommitFolders(store: Store, guard: GuardedGit, commit: string): Promise<ReadonlyMap<string, CountedTree>> {
  const { folders } = await readFolders(store, commit, guard.check);
  const inner = (entries: readonly TreeEntry[]) => entries.filter(({ mode }) => mode === FOLDER).map(({ id }) => id);
  return new Map([...folders].map(([id, entries]) => [id, { entries: entries.length, folders: inner(entries) }]));
}

/** The objects listed so far. */
class Weight {
  readonly trees: string[] = [];
  problem: string | undefined;
  readonly #most: CaptureBounds;
  #objects = 0;
  #commits = 0;
  #bytes = 0;
  #treeBytes = 0;

  constructor(most: CaptureBounds) {
    this.#most = most;
  }

  /** A line of `%(objectname) %(objecttype) %(objectsize)`. */
  add(line: string): void {
    const [id = "", type = "", size = ""] = line.split(" ");
    const bytes = Number(size);
    if (!isObjectId(id) || !/^\d+$/.test(size)) return this.#refuse("one of its objects is broken");
    this.#objects += 1;
    this.#bytes += bytes;
    if (type === "commit") this.#commits += 1;
    if (type === "tree") {
      this.trees.push(id);
      this.#treeBytes += bytes;
    }
    this.#compare(bytes);
  }

  #compare(bytes: number): void {
    const { oneFileBytes, allFilesBytes } = this.#most;
    const bounds: readonly (readonly [is: number, most: number, what: string])[] = [
      [bytes, oneFileBytes, `one of its objects is larger than ${oneFileBytes} bytes`],
      [this.#bytes, allFilesBytes, `its objects are larger than ${allFilesBytes} bytes together`],
      [this.#objects, MAX_OBJECTS, `it left more than ${MAX_OBJECTS} objects`],
      [this.#commits, MAX_COMMITS, `it made more than ${MAX_COMMITS} commits`],
      [this.#treeBytes, MAX_TREE_BYTES, `its folders are larger than ${MAX_TREE_BYTES} bytes together`],
    ];
    for (const [is, most, what] of bounds) if (is > most) this.#refuse(what);
  }

  #refuse(what: string): void {
    this.problem ??= what;
  }
}

/** Returns the ids of the trees. Throws if there is too much. */
async function listObjects(store: Store, guard: GuardedGit, leftover: Leftover): Promise<readonly string[]> {
  const weight = new Weight(guard.bounds);
  let rest = "";
  const format = "%(objectname) %(objecttype) %(objectsize)";
  const call = store.contentCall(["cat-file", "--batch-all-objects", "--unordered", `--batch-check=${format}`], {
    objects: leftover.objects,
    onOutput: (chunk) => {
      const lines = (rest + chunk.toString("latin1")).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) weight.add(line);
      return weight.problem === undefined ? "more" : "stop";
    },
  });
  const result = await guard.run(call);
  const problem = weight.problem ?? (result.status === 0 ? undefined : "its objects cannot be read");
  if (problem !== undefined) throw new Error(problem);
  return weight.trees;
}

/** True if a commit that was taken stands for too many files and folders. */
async function holdsTooMuch(store: Store, guard: GuardedGit, commit: string): Promise<boolean> {
  return countLargestTree(await readCommitFolders(store, guard, commit), new Map(), MAX_FILES) === undefined;
}
