import { opendir } from "node:fs/promises";
import { join } from "node:path";
import type { GuardedGit } from "../git/guarded-git.ts";
import { isObjectId } from "../git/ref-names.ts";
import type { Store } from "../repository/store.ts";
import { FOLDER, readFolders, type TreeEntry } from "../repository/trees.ts";
import type { CaptureBounds } from "./capture-bounds.ts";
import { countFilesOf, readTrees, type Tree } from "./tree-counts.ts";

/** Limits of one attempt's objects: git's files, objects in them, commits, and bytes of folders. */
const MAX_ENTRIES = 200_000;
const MAX_OBJECTS = 1_000_000;
const MAX_COMMITS = 10_000;
const MAX_TREE_BYTES = 64 * 2 ** 20;

/** The limit of files and folders in a worker's commit: more than any repository has that git is known to handle. */
export const MAX_FILES = 1_000_000;

/** The folder of a worker's objects, and the options with which git reads them. */
export interface Leftover {
  readonly objects: string;
  /** The commit that the attempt started at. */
  readonly from: string;
}

/** Refuses anything but plain files and folders among a worker's objects, and too many of them. */
export async function refuseOddFiles(objects: string): Promise<void> {
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
export async function weighObjects(store: Store, guard: GuardedGit, leftover: Leftover): Promise<void> {
  const trees = await listObjects(store, guard, leftover);
  if (trees.length === 0) return;
  const idBytes = store.at.format === "sha1" ? 20 : 32;
  const base = await foldersOf(store, guard, leftover.from);
  const known = new Map<string, number>();
  let bytes = 0;
  const found = new Map<string, Tree>();
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
  // What the repository has counts, whatever a worker's object of the same name holds.
  if (countFilesOf(new Map([...found, ...base]), known, MAX_FILES) === undefined)
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
async function foldersOf(store: Store, guard: GuardedGit, commit: string): Promise<ReadonlyMap<string, Tree>> {
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
export async function holdsTooMuch(store: Store, guard: GuardedGit, commit: string): Promise<boolean> {
  return countFilesOf(await foldersOf(store, guard, commit), new Map(), MAX_FILES) === undefined;
}
