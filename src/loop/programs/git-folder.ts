import type { Stats } from "node:fs";
import { cp, lstat } from "node:fs/promises";
import { join } from "node:path";
import { entriesBelow, isErrorCode } from "./protected-files.ts";

/** Entries of a git folder that are compared at most: one of a pristine checkout has some twenty. Beyond, it counts as changed. */
const MOST_ENTRIES = 10_000;

/** A copy of a git folder, and its state when it was copied or put back. */
interface Saved {
  readonly from: string;
  readonly copy: string;
  state: string;
}

const AS_IT_IS = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true } as const;

/** Removes a folder that a command may have closed to its owner. */
type Remove = (folder: string) => Promise<void>;

/**
 * Keeps git folders as the engine made them, while commands run that can write to them. Whoever writes a git folder chooses what
 * the next git command in it runs (`core.fsmonitor`, hooks, filters): that command may be one with a secret, or one outside the
 * sandbox.
 */
export class GitFolders {
  readonly #saved: readonly Saved[];
  readonly #remove: Remove;

  private constructor(saved: readonly Saved[], remove: Remove) {
    this.#saved = saved;
    this.#remove = remove;
  }

  /** Copies these folders, each to the path beside it, which no sandbox shows. One that is no folder is left out. */
  static async save(folders: readonly { readonly from: string; readonly copy: string }[], remove: Remove): Promise<GitFolders> {
    const saved: Saved[] = [];
    for (const { from, copy } of folders) {
      if (!(await isFolder(from))) continue;
      // A killed engine may have left one.
      await remove(copy);
      await cp(from, copy, AS_IT_IS);
      saved.push({ from, copy, state: await fingerprintGitFolder(from) });
    }
    return new GitFolders(saved, remove);
  }

  /** Puts back each index, which git itself refreshes, and each folder of which anything else has changed. */
  async restore(): Promise<void> {
    for (const saved of this.#saved) {
      const { from, copy } = saved;
      const isChanged = (await fingerprintGitFolder(from)) !== saved.state;
      const [target, source] = isChanged ? [from, copy] : [join(from, "index"), join(copy, "index")];
      await this.#remove(target);
      if (isChanged || (await isThere(source))) await cp(source, target, AS_IT_IS);
      saved.state = await fingerprintGitFolder(from);
    }
  }

  /** Removes the copies. */
  async forget(): Promise<void> {
    for (const { copy } of this.#saved) await this.#remove(copy);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await statIfPresent(path))?.isDirectory() === true;
}

async function isThere(path: string): Promise<boolean> {
  return (await statIfPresent(path)) !== undefined;
}

async function statIfPresent(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isErrorCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** Everything below a git folder except the index, by path, type, size and ctime, which nobody can set. */
async function fingerprintGitFolder(root: string): Promise<string> {
  const lines: string[] = [];
  if (!(await isFolder(root))) return "it is no folder";
  try {
    for await (const { path, place } of entriesBelow(root, () => true)) {
      if (path === "index") continue;
      const stats = await lstat(place, { bigint: true });
      const { ctimeNs, ino, mode, size } = stats;
      // A folder's times change with the index beside its files.
      // One character per byte: names need not be UTF-8.
      lines.push([place.toString("latin1"), mode, ...(stats.isDirectory() ? [] : [ino, size, ctimeNs])].join("\0"));
      if (lines.length > MOST_ENTRIES) return "too many entries";
    }
  } catch (error) {
    if (!isErrorCode(error, "ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG")) throw error;
    return "it cannot be read";
  }
  return lines.toSorted().join("\n");
}
