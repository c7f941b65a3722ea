import { randomUUID } from "node:crypto";
import { mkdir, rename, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorMessage, hasErrorCode } from "../../domain/values/text.ts";
import type { Locks } from "../../ports/locks.ts";
import type {
  CheckoutSnapshot,
  Copied,
  Kept,
  OutsideIdentity,
  PreparedRef,
  PreparedTree,
  PreparedTrees,
} from "../../ports/prepared-trees.ts";
import { inThread } from "../in-thread.ts";
import { namesIn } from "../missing-files.ts";
import { makePrivateFolder } from "../private-folder.ts";
import { removeFolder } from "../remove-folder.ts";
import { type Entry, FORMAT, readEntry } from "./entry-file.ts";
import { entryLock, entryName, NAME_LENGTH, RESOURCE, shortHash } from "./entry-name.ts";
import { KeyedLock, type LockOptions } from "./keyed-lock.ts";
import { REMOVED_PREFIX, removeLeftovers } from "./leftovers.ts";
import { identityOfOutside } from "./outside-identity.ts";
import { copyTree, placeCopy, takeOut } from "./place-copy.ts";
import type { TreeAnswer, TreeTask } from "./serve-tree.ts";
import { type CheckoutChange, type TreeIdentity, treeIdentity } from "./tree-identity.ts";

/** Limits of the thread that reads a tree. */
const READ_MS = 5 * 60_000;
const READ_MIB = 2_048;

/**
 * Files of the largest tree that is read without a thread, in some 10 ms; and entries, folders among them, at which that reading
 * gives up: a tree may have grown since it was kept.
 */
const SMALL_TREE_FILES = 1_000;
const SMALL_TREE_ENTRIES = 10_000;

/** The options of the store of preparations. */
export interface PreparedTreesOptions {
  /** The folder of all entries, for this user alone. Entries and checkouts lie on one file system. */
  readonly folder: string;
  readonly locks: Locks;
  /** The name of the run, for others that wait for it. */
  readonly run: string;
  /** All entries together take at most this. Bytes. */
  readonly maxBytes: number;
  /** The program of the thread that reads trees; see serve-tree.ts. */
  readonly thread: { readonly program: string; readonly args: readonly string[] };
}

/**
 * Preparations as folders: `<repository>/<key>/` holds the files in `tree/`, and `entry.json` with their identities. An entry is
 * built aside and renamed to its place, so that it is whole or not there. Before a copy is used, the identities are compared: a
 * file that anybody has touched since has another ctime.
 */
export function createPreparedTrees(options: PreparedTreesOptions): PreparedTrees {
  return new PreparedFolders(options);
}

class PreparedFolders implements PreparedTrees {
  readonly #options: PreparedTreesOptions;
  readonly #maker: KeyedLock;
  readonly #notKept = new Map<string, string>();
  #tidied: Promise<void> | undefined;

  constructor(options: PreparedTreesOptions) {
    this.#options = options;
    this.#maker = new KeyedLock(options.locks, options.run);
  }

  async find(ref: PreparedRef): Promise<PreparedTree | undefined> {
    this.#tidied ??= this.#tidy();
    await this.#tidied;
    const found = await readEntry(this.#place(ref));
    if (found === undefined || found.entry.key !== ref.key || found.entry.repo !== ref.repo) return undefined;
    return toPreparedTree(found);
  }

  withLock<T>(ref: PreparedRef, options: LockOptions, task: () => Promise<T>): Promise<T> {
    return this.#maker.run(entryLock(ref), options, task);
  }

  async snapshot(checkout: string): Promise<CheckoutSnapshot> {
    return { checkout, ...(await this.#read<Omit<CheckoutSnapshot, "checkout">>({ kind: "snapshot", root: checkout })) };
  }

  whyNotKept(ref: PreparedRef): string | undefined {
    return this.#notKept.get(entryLock(ref));
  }

  async keep(
    ref: PreparedRef,
    made: { readonly before: CheckoutSnapshot; readonly name: string; readonly tree: string; readonly ms: number },
  ): Promise<Kept> {
    const building = join(this.#options.folder, BUILDING, `${entryName(ref)}-${randomUUID()}`);
    try {
      makePrivateFolder(dirname(building));
      // The caller alone builds this entry: what is there of it was left by an engine that died.
      await removeLeftovers(dirname(building), (name) => !name.startsWith(entryName(ref)) && this.#isBeingBuilt(name));
      const entry = await this.#build(ref, made, building);
      if (typeof entry === "string") return this.#refuse(ref, entry);
      await this.#drop(this.#place(ref));
      makePrivateFolder(dirname(this.#place(ref)));
      await rename(building, this.#place(ref));
      await this.#makeRoom(ref);
      return { ok: true, tree: toPreparedTree({ entry, usedAt: entry.madeAt }) };
    } catch (error) {
      const full = hasErrorCode(error, "ENOSPC", "EDQUOT") ? "the disk is full" : errorMessage(error);
      return this.#refuse(ref, full);
    } finally {
      await removeFolder(building);
    }
  }

  refuse(ref: PreparedRef, why: string): void {
    this.#notKept.set(entryLock(ref), why);
  }

  #refuse(ref: PreparedRef, why: string): Kept {
    this.refuse(ref, why);
    return { ok: false, why };
  }

  /** Builds an entry in a folder of its own; gives the reason if that is not possible. */
  async #build(
    ref: PreparedRef,
    { before, name, tree, ms }: Parameters<PreparedTrees["keep"]>[1],
    building: string,
  ): Promise<Entry | string> {
    const { checkout } = before;
    type Change = CheckoutChange & { readonly git: string };
    const change = await this.#read<Change>({ kind: "change", root: checkout, before: before.files });
    if (change.git !== before.git) return "prepare changes the git folder of the checkout";
    const altered = change.changed.find((path) => before.files.get(path)?.startsWith("folder "));
    if (altered !== undefined) return `prepare changes the folder ${altered} itself`;
    const unnamed = [...change.added, ...change.changed, ...change.removed].find((path) => !path.isWellFormed());
    if (unnamed !== undefined) return `prepare makes or changes ${unnamed.toWellFormed()}, whose name is not UTF-8`;
    const place = join(building, TREE);
    await mkdir(place, { recursive: true, mode: 0o700 });
    const roots = [...change.added, ...change.changed];
    await takeOut(checkout, place, roots);
    const { hash, files, bytes, problem } = await this.#read<TreeIdentity>({ kind: "identity", root: place });
    if (problem !== undefined) return problem;
    if (bytes > this.#options.maxBytes) return "it is larger than limits.cacheGiB";
    const entry: Entry = {
      ...{
        format: FORMAT,
        repo: ref.repo,
        key: ref.key,
        name,
        tree,
        roots,
        removed: change.removed.filter(isTop(change.removed)),
      },
      ...{ files, bytes, ms, madeAt: Date.now(), identity: hash },
      changesCommitted: change.changed.length + change.removed.length > 0,
    };
    await writeFile(join(building, "entry.json"), JSON.stringify(entry), { mode: 0o600, flush: true });
    return entry;
  }

  async copyTo(ref: PreparedRef, checkout: string): Promise<Copied> {
    const place = this.#place(ref);
    const copy = join(dirname(checkout), `.${randomUUID()}`);
    try {
      const found = await readEntry(place);
      if (found === undefined) return { ok: false, why: "the kept preparation is gone" };
      const problem = await copyTree(join(place, TREE), copy);
      if (problem !== undefined) return { ok: false, why: `the kept preparation could not be copied: ${problem}` };
      // After the copy, so that nothing can change in between: a change up to here shows.
      const now = await this.#identity(join(place, TREE), found.entry.files);
      if (now.hash !== found.entry.identity) {
        await this.#drop(place);
        return { ok: false, why: "the kept preparation was changed since it was made" };
      }
      const inTheWay = await placeCopy(copy, checkout, found.entry);
      if (inTheWay !== undefined) return { ok: false, why: `the checkout has no folder for ${inTheWay}` };
      await utimes(join(place, "entry.json"), new Date(), new Date()).catch(ifGone);
      return { ok: true };
    } catch (error) {
      return { ok: false, why: `the kept preparation could not be used: ${errorMessage(error)}` };
    } finally {
      await removeFolder(copy);
    }
  }

  identityOf(options: Parameters<PreparedTrees["identityOf"]>[0]): Promise<OutsideIdentity> {
    return identityOfOutside(options);
  }

  async list(): Promise<readonly PreparedTree[]> {
    return (await this.#all()).map(toPreparedTree);
  }

  async clear(): Promise<number> {
    const all = await this.#all();
    for (const { folder } of all) await this.#drop(folder);
    await removeLeftovers(join(this.#options.folder, BUILDING), (name) => this.#isBeingBuilt(name));
    return all.length;
  }

  /** True if an engine of this machine builds the entry with this name in the folder of building. */
  #isBeingBuilt(name: string): boolean {
    return this.#options.locks.isHeld(`${RESOURCE}${name.slice(0, NAME_LENGTH)}`);
  }

  /** All entries, the last used first. */
  async #all(): Promise<readonly (Found & { readonly folder: string })[]> {
    const found: (Found & { readonly folder: string })[] = [];
    for (const repo of await namesIn(this.#options.folder)) {
      if (repo === BUILDING) continue;
      for (const key of await namesIn(join(this.#options.folder, repo))) {
        const folder = join(this.#options.folder, repo, key);
        const entry = await readEntry(folder);
        if (entry === undefined) await this.#drop(folder);
        else found.push({ ...entry, folder });
      }
    }
    return found.sort((a, b) => b.usedAt - a.usedAt);
  }

  /** Removes what engines that died have left, and entries beyond the bound. */
  async #tidy(): Promise<void> {
    try {
      await removeLeftovers(join(this.#options.folder, BUILDING), (name) => this.#isBeingBuilt(name));
      await this.#makeRoom();
    } catch (error) {
      process.emitWarning(`could not clear ${this.#options.folder}: ${errorMessage(error)}`);
    }
  }

  /** Removes the entries that were not used for longest until the rest fits. */
  async #makeRoom(ref?: PreparedRef): Promise<void> {
    let bytes = 0;
    const all = await this.#all();
    const own = ref === undefined ? undefined : this.#place(ref);
    for (const { entry, folder } of [
      ...all.filter((each) => each.folder === own),
      ...all.filter((each) => each.folder !== own),
    ]) {
      bytes += entry.bytes;
      if (bytes > this.#options.maxBytes) await this.#drop(folder);
    }
  }

  /** Removes an entry: in one step from its place, then its files. */
  async #drop(folder: string): Promise<void> {
    const aside = join(this.#options.folder, BUILDING, `${REMOVED_PREFIX}${randomUUID()}`);
    makePrivateFolder(dirname(aside));
    try {
      await rename(folder, aside);
    } catch (error) {
      if (hasErrorCode(error, "ENOENT")) return;
      throw error;
    }
    await removeFolder(aside);
  }

  #place({ repo, key }: PreparedRef): string {
    return join(this.#options.folder, shortHash(repo), key);
  }

  /** Reads a small tree here: to start a thread would take longer. */
  async #identity(root: string, files: number): Promise<TreeIdentity> {
    return files <= SMALL_TREE_FILES
      ? treeIdentity(root, SMALL_TREE_ENTRIES)
      : this.#read<TreeIdentity>({ kind: "identity", root });
  }

  async #read<T>(task: TreeTask): Promise<T> {
    const answer = await inThread<TreeAnswer<T>>({ ...this.#options.thread, timeoutMs: READ_MS, memoryMib: READ_MIB }, task);
    if (!answer.ok) throw new Error(`reading ${task.root} ${answer.problem}`);
    if ("problem" in answer.value) throw new Error(answer.value.problem);
    return answer.value.value;
  }
}

interface Found {
  readonly entry: Entry;
  readonly usedAt: number;
}

const BUILDING = "building";
const TREE = "tree";
function toPreparedTree({ entry: { format: _, identity: __, ...entry }, usedAt }: Found): PreparedTree {
  return { ...entry, usedAt };
}

/** True for paths that lie below no other of these. */
function isTop(paths: readonly string[]): (path: string) => boolean {
  const all = new Set(paths);
  return (path) => {
    const parts = path.split("/");
    return !parts.slice(0, -1).some((_, n) => all.has(parts.slice(0, n + 1).join("/")));
  };
}

function ifGone(error: unknown): void {
  if (!hasErrorCode(error, "ENOENT")) throw error;
}
