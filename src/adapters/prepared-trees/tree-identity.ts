import { createHash } from "node:crypto";
import { type BigIntStats, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { hasErrorCode } from "../../domain/values/text.ts";
import { type BytePath, namesFrom, pathIn } from "../byte-paths.ts";

/** Entries that are read at most, more than any known tree of packages has. */
const MOST_ENTRIES = 2_000_000;

/** Set-user-ID, set-group-ID (inode(7)): a copy would pass on rights. */
const SPECIAL_RIGHTS = 0o6000n;

/** A tree is too large or too deep to be read. The message is for people. */
export class UnreadableTree extends Error {}

/** The files of a folder. */
export interface TreeIdentity {
  /** Changes if any file in it is written, replaced, added or removed, even if it is put back: nobody can set ctime. */
  readonly hash: string;
  readonly files: number;
  /** Bytes on the disk, as far as the file system tells. */
  readonly bytes: number;
  /** The reason why it cannot be given to others; absent if it can. */
  readonly problem?: string;
}

/**
 * Reads the identities of all files below a folder. Synchronous: for a thread of its own, or small trees. Throws an
 * UnreadableTree beyond `most` entries, and beyond the length of a path.
 */
export function treeIdentity(root: string, most = MOST_ENTRIES): TreeIdentity {
  const hash = createHash("sha256");
  let [files, bytes] = [0, 0];
  let problem: string | undefined;
  for (const { path, place, stats } of walk(root, { most })) {
    hash.update(`${hashable(path)}\0${inodeIdentity(stats)}\0`);
    bytes += Number(stats.blocks) * 512;
    if (stats.isDirectory()) continue;
    files += 1;
    if (stats.isSymbolicLink()) hash.update(readlinkSync(place, { encoding: "buffer" })).update("\0");
    else problem ??= entryProblem(path, stats);
  }
  return { hash: hash.digest("hex"), files, bytes, problem };
}

function entryProblem(path: string, stats: BigIntStats): string | undefined {
  if (!stats.isFile()) return `${path.toWellFormed()} is neither file nor folder nor link`;
  return (stats.mode & SPECIAL_RIGHTS) === 0n ? undefined : `${path.toWellFormed()} runs with the rights of its owner`;
}

/** As UTF-8, all lone surrogates are the same. */
function hashable(path: string): string {
  return path.isWellFormed() ? path : JSON.stringify(path);
}

/** The files of a checkout outside its git folder: the identity of each file, the mode of each folder. */
export function checkoutFiles(root: string): Map<string, string> {
  return new Map([...walk(root, { isSeen: isNotGit })].map(({ path, stats }) => [path, entryState(stats)]));
}

/** The state of a checkout's git folder, but for the index: git itself refreshes that. */
export function gitState(checkout: string): string {
  const hash = createHash("sha256");
  for (const { path, stats } of walk(`${checkout}/.git`))
    if (path !== "index") hash.update(`${hashable(path)}\0${entryState(stats)}\0`);
  return hash.digest("hex");
}

/** The difference of a checkout to an earlier one. */
export interface CheckoutChange {
  /** New paths, whole folders if they are new. */
  readonly added: readonly string[];
  /** Files that were there before, and differ. */
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Compares the files of a checkout with those before. New folders are not entered. */
export function compareCheckout(root: string, before: ReadonlyMap<string, string>): CheckoutChange {
  const [added, changed]: [string[], string[]] = [[], []];
  const seen = new Set<string>();
  for (const { path, stats } of walk(root, {
    isSeen: isNotGit,
    isEntered: (folder) => before.get(folder)?.startsWith(FOLDER) === true,
  })) {
    const was = before.get(path);
    seen.add(path);
    if (was === undefined) added.push(path);
    else if (was !== entryState(stats)) changed.push(path);
  }
  return { added, changed, removed: [...before.keys()].filter((path) => !seen.has(path)) };
}

interface WalkOptions {
  readonly isSeen?: (path: string) => boolean;
  readonly isEntered?: (folder: string) => boolean;
  readonly most?: number;
}

interface Place {
  /** Relative to the root; not well-formed if a name in it is not UTF-8. */
  readonly path: string;
  readonly place: BytePath;
}

/** Everything below a folder, in an order that depends on names alone. No link is followed. */
function* walk(
  root: string,
  { isEntered = () => true, isSeen = () => true, most = MOST_ENTRIES }: WalkOptions = {},
): Generator<Place & { readonly stats: BigIntStats }> {
  let entries = 0;
  const folders: Place[] = [{ path: "", place: root }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const each of placesIn(folder).filter(({ path }) => isSeen(path))) {
      entries += 1;
      if (entries > most) throw new UnreadableTree(`there are more than ${most} files`);
      const stats = unlessTooDeep(() => lstatSync(each.place, { bigint: true }));
      yield { ...each, stats };
      if (stats.isDirectory() && isEntered(each.path)) folders.push(each);
    }
  }
}

function placesIn({ path, place }: Place): readonly Place[] {
  const names = unlessTooDeep(() => readdirSync(place)).sort();
  const found = namesFrom(names, () => readdirSync(place, { encoding: "buffer" }).sort(Buffer.compare));
  return found.map(({ text, raw }) => ({ path: path === "" ? text : `${path}/${text}`, place: pathIn(place, raw) }));
}

function unlessTooDeep<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (hasErrorCode(error, "ENAMETOOLONG"))
      throw new UnreadableTree("there are folders within folders beyond the length of a path");
    throw error;
  }
}

const FOLDER = "folder ";

function isNotGit(path: string): boolean {
  return path !== ".git";
}

function entryState(stats: BigIntStats): string {
  return stats.isDirectory() ? `${FOLDER}${stats.mode}` : inodeIdentity(stats);
}

function inodeIdentity({ ctimeNs, ino, mode, mtimeNs, nlink, size }: BigIntStats): string {
  return [ino, ctimeNs, mtimeNs, size, mode, nlink].join(":");
}
