import type { BigIntStats, Dir, Dirent } from "node:fs";
import { chmod, lstat, opendir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { canShadow, isDependency } from "../../domain/evidence/sealed-paths.ts";
import { isErrorCode } from "./protected-files.ts";

/** Entries that a command may leave in a checkout before nobody looks through them any more. */
const MOST_ENTRIES = 500_000;
/** Names of a new folder that are looked at. */
const MOST_NAMES = 10_000;
/** Files that are looked at at the same time. */
const AT_ONCE = 64;

/** What a command did to the files that its result depends on. Paths are relative to the checkout, and raw. */
export interface Overwritten {
  /** Files that it wrote over, replaced or removed, be they put back or not. */
  readonly paths: readonly string[];
  /** Files that must be in the checkout still, unless the folder around them was replaced by a new one. */
  readonly doubtful: readonly string[];
  /** It left more files than can be looked through. */
  readonly tooMany: boolean;
}

/**
 * Reads the layer over a checkout. What a command writes over, renames or removes has an entry in the layer, and it cannot
 * take that back: overlayfs keeps a mark (a character device 0:0) for what was removed. Only a folder that was removed and
 * made again hides what lay in it without an entry for each, so of each folder one file without an entry is given as doubtful.
 */
export async function overwrittenInLayer(layered: Layered): Promise<Overwritten> {
  const paths: string[] = [];
  const doubtful: string[] = [];
  const folders = [""];
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const found = await lookInto(layered, folder, MOST_ENTRIES - entries);
    entries += found.entries;
    paths.push(...found.paths);
    if (entries > MOST_ENTRIES) return { paths, doubtful, tooMany: true };
    folders.push(...found.folders);
    if (folder !== "") doubtful.push(...(await untouched(layered, folder, found.changed)));
  }
  return { paths, doubtful, tooMany: false };
}

interface Layered extends Seen {
  readonly upper: string;
}

/** One folder of the layer: what it says of files that matter, and which of its folders are to be looked into. */
async function lookInto(layered: Layered, folder: string, most: number) {
  const [paths, folders, changed]: [string[], string[], Set<string>] = [[], [], new Set()];
  let entries = 0;
  let siblings: readonly string[] | undefined;
  for await (const entry of await openFolder(join(layered.upper, folder))) {
    entries += 1;
    if (entries > most) break;
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    // What lies in the repository's own folder is no part of what is checked; what is new there replaces nothing.
    const before = path === ".git" ? undefined : await lstatOf(join(layered.checkout, path));
    if (before === undefined) {
      siblings ??= await readdir(join(layered.checkout, folder));
      paths.push(...(await shadowOf(layered.upper, path, entry, siblings)));
      continue;
    }
    changed.add(entry.name);
    if (entry.isDirectory() && before.isDirectory()) folders.push(path);
    else paths.push(...(await lost(layered, path, before)));
  }
  return { paths, folders, changed, entries };
}

/**
 * What lies in these folders although no commit has it, and may be loaded instead of something there. The top folder is left out: what is
 * installed and built belongs there.
 */
export async function findShadows(
  checkout: string,
  folders: readonly string[],
  committed: readonly string[],
): Promise<readonly string[]> {
  const known = new Set(committed.flatMap((path) => path.split("/").map((_, n, parts) => parts.slice(0, n + 1).join("/"))));
  const found: string[] = [];
  for (const folder of folders) {
    if (folder === "." || !known.has(folder)) continue;
    const all = await readdir(join(checkout, folder), { withFileTypes: true });
    const siblings = all.flatMap(({ name }) => (known.has(`${folder}/${name}`) ? [name] : []));
    for (const entry of all) {
      const path = `${folder}/${entry.name}`;
      if (!known.has(path)) found.push(...(await shadowOf(checkout, path, entry, siblings)));
    }
  }
  return found;
}

/** The path of a new entry in `root`, if it may be loaded instead of something else. */
async function shadowOf(root: string, path: string, entry: Dirent, siblings: readonly string[]): Promise<readonly string[]> {
  if (path === ".git") return [];
  // What a link leads to may be a package.
  const entries = entry.isDirectory() ? await firstNames(join(root, path)) : entry.isSymbolicLink() ? ["__init__.py"] : undefined;
  const isFile = !entry.isDirectory() && canShadow({ path, siblings, entries: undefined });
  return isFile || canShadow({ path, siblings, entries }) ? [path] : [];
}

/** The names in a folder; if there are too many, as if a package were among them. */
async function firstNames(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of await openFolder(folder)) {
    names.push(name);
    if (names.length >= MOST_NAMES) return [...names, "__init__.py"];
  }
  return names;
}

interface Seen {
  readonly checkout: string;
  readonly isTracked: (path: string) => boolean;
}

/** What matters of a file or a folder that something else took the place of. */
async function lost(seen: Seen, path: string, before: BigIntStats): Promise<readonly string[]> {
  if (before.isDirectory()) return firstIn(seen, path);
  return matters(seen, path) ? [path] : [];
}

function matters({ isTracked }: Seen, path: string): boolean {
  return isTracked(path) || isDependency(path);
}

/** A file of the folder that has no entry in the layer, if one matters. */
async function untouched(seen: Seen, folder: string, changed: ReadonlySet<string>): Promise<readonly string[]> {
  for await (const entry of await opendir(join(seen.checkout, folder))) {
    if (changed.has(entry.name)) continue;
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() ? (await firstIn(seen, path)).length > 0 : matters(seen, path)) return [path];
  }
  return [];
}

/** One file that matters in a folder of the checkout, however deep; none if there is none. */
async function firstIn(seen: Seen, folder: string): Promise<readonly string[]> {
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for await (const entry of await opendir(join(seen.checkout, at))) {
      const path = `${at}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (matters(seen, path)) return [path];
    }
  }
  return [];
}

/** Opens a folder that the command may have closed to its owner. */
async function openFolder(path: string): Promise<Dir> {
  try {
    return await opendir(path);
  } catch (error) {
    if (!isErrorCode(error, "EACCES")) throw error;
    await chmod(path, 0o700);
    return opendir(path);
  }
}

/** What tells a file from one that was written or put back since: the kernel sets ctime, and nobody can set it back. */
export type Identities = ReadonlyMap<string, string>;

/** Looks at these files of a folder. */
export async function identitiesOf(folder: string, paths: readonly string[]): Promise<Identities> {
  const found = new Map<string, string>();
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const some = paths.slice(at, at + AT_ONCE);
    const now = await Promise.all(some.map((path) => lstatOf(join(folder, path))));
    for (const [i, path] of some.entries()) found.set(path, identity(now[i]));
  }
  return found;
}

/** Those that are no longer what they were. */
export async function changedIdentities(folder: string, before: Identities): Promise<readonly string[]> {
  const now = await identitiesOf(folder, [...before.keys()]);
  return [...before].flatMap(([path, was]) => (now.get(path) === was ? [] : [path]));
}

function identity(found: BigIntStats | undefined): string {
  return found === undefined ? "" : `${found.ino}:${found.ctimeNs}:${found.size}`;
}

async function lstatOf(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (isErrorCode(error, "ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "EACCES")) return undefined;
    throw error;
  }
}
