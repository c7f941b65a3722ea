import type { BigIntStats, Dir, Dirent } from "node:fs";
import { chmod, lstat, opendir, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { canShadow, isDependency } from "@loopdash/test-evidence";
import { entriesBelow, type FoundEntry, isErrorCode, rawEntries } from "./protected-files.ts";

/** Entries of a layer that are read at most. */
const MOST_ENTRIES = 500_000;
/** Entries of a prepared checkout that are read at most. */
const MOST_FOUND = 2_000_000;
/** New entries of a folder that are looked at, at most. Beyond, the folder itself counts as one that may be loaded. */
const MOST_NEW = 2_000;
/** Names of a new folder that are read at most. */
const MOST_NAMES = 10_000;
/** Files that are read at the same time. */
const AT_ONCE = 64;

/** A command's changes to the files that its result depends on. Paths are relative to the checkout, and raw. */
export interface Overwritten {
  /** Files that it wrote over, replaced or removed, even if it put them back. */
  readonly paths: readonly string[];
  /** Files that must still be in the checkout, unless a new folder replaced the one around them. */
  readonly doubtful: readonly string[];
  /** It left more files than are read. */
  readonly tooMany: boolean;
}

/**
 * Reads the layer over a checkout. A file that a command overwrites, renames or removes has an entry in the layer, and the
 * command cannot take that back: overlayfs keeps a mark (a character device 0:0) for a removed file. A folder that was removed
 * and made again is the exception: it hides its former files without an entry for each. So of each folder one file without an
 * entry is given as doubtful.
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

/** One folder of the layer: its changes to files that matter, and its folders that are to be read next. */
async function lookInto(layered: Layered, folder: string, most: number) {
  const [paths, folders, changed]: [string[], string[], Set<string>] = [[], [], new Set()];
  let entries = 0;
  let siblings: readonly string[] | undefined;
  for await (const entry of await openFolder(join(layered.upper, folder))) {
    entries += 1;
    if (entries > most) break;
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    // The repository's own folder is no part of what is checked; a new file there replaces nothing.
    const before = path === ".git" ? undefined : await lstatIfPresent(join(layered.checkout, path));
    if (before === undefined) {
      siblings ??= await readdir(join(layered.checkout, folder));
      paths.push(...(await findShadow(layered.upper, path, entry, siblings)));
      continue;
    }
    changed.add(entry.name);
    if (entry.isDirectory() && before.isDirectory()) folders.push(path);
    else paths.push(...(await lost(layered, path, before)));
  }
  return { paths, folders, changed, entries };
}

/**
 * Files in these folders that no commit has and that may be loaded instead of another. The top folder is left out: installed and
 * built files belong there.
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
    const { added, siblings } = await lookAtFolder(checkout, folder, known);
    if (added.length > MOST_NEW) found.push(folder);
    else for (const entry of added) found.push(...(await findShadow(checkout, `${folder}/${entry.name}`, entry, siblings)));
  }
  return found;
}

/** The new entries of a folder, at most one more than are looked at, and the names of the others. */
async function lookAtFolder(checkout: string, folder: string, known: ReadonlySet<string>) {
  const [siblings, added]: [string[], Dirent[]] = [[], []];
  for await (const entry of await openFolder(join(checkout, folder))) {
    if (known.has(`${folder}/${entry.name}`)) siblings.push(entry.name);
    else if (added.push(entry) > MOST_NEW) break;
  }
  return { added, siblings };
}

/** A prepared checkout that cannot be looked through. */
export class TooMuchPrepared extends Error {}

/** What `prepare` made and no commit has. Paths are relative to the checkout. */
export interface Made {
  /** Files that a list of protected paths covers, outside of folders of packages. */
  readonly files: readonly string[];
  /** Links to folders that nobody looks into, or in the place of a folder that holds protected files. */
  readonly links: readonly string[];
}

/** Finds new protected files, and new links behind which there may be some. Throws a TooMuchPrepared. */
export async function findProtected(
  checkout: string,
  {
    isProtected,
    isOnTheWay,
  }: { readonly isProtected: (path: string) => boolean; readonly isOnTheWay: (path: string) => boolean },
  committed: readonly string[],
): Promise<Made> {
  const known = new Set(committed);
  const made = { files: [] as string[], links: [] as string[] };
  const top = await realpath(checkout);
  try {
    for await (const { path, place, entry } of newFiles(checkout, known)) {
      if (isProtected(path)) made.files.push(path);
      else if (entry.isSymbolicLink() && (isOnTheWay(path) || (await leadsAway(place, top)))) made.links.push(path);
    }
  } catch (error) {
    if (!isErrorCode(error, "ENAMETOOLONG")) throw error;
    throw new TooMuchPrepared("folders inside each other, beyond the length of a path", { cause: error });
  }
  return made;
}

/** All files and links of a checkout that no commit has, but git's own and those in folders of packages. */
async function* newFiles(checkout: string, known: ReadonlySet<string>): AsyncGenerator<FoundEntry> {
  let entries = 0;
  for await (const found of entriesBelow(checkout, (folder) => !isPassedOver(folder))) {
    refuseMany(++entries);
    if (!found.entry.isDirectory() && !isPassedOver(found.path) && !known.has(found.path)) yield found;
  }
}

/** True for a link to a folder that is not looked into by its own path: one outside of the checkout, or of packages. */
async function leadsAway(link: Buffer<ArrayBuffer>, top: string): Promise<boolean> {
  try {
    const target = await realpath(link);
    if (!(await lstat(target)).isDirectory()) return false;
    return !target.startsWith(`${top}/`) || isPassedOver(target.slice(top.length + 1));
  } catch {
    // It leads nowhere, or to where nobody may look: nor may what runs later as the same user.
    return false;
  }
}

function refuseMany(entries: number): void {
  if (entries > MOST_FOUND) throw new TooMuchPrepared(`more than ${MOST_FOUND} files and folders`);
}

function isPassedOver(path: string): boolean {
  return path === ".git" || isDependency(path) || isDependency(`${path}/any name`);
}

/** The path of a new entry in `root`, if it may be loaded instead of another. */
async function findShadow(root: string, path: string, entry: Dirent, siblings: readonly string[]): Promise<readonly string[]> {
  if (path === ".git") return [];
  // A link may lead to a package.
  const entries = entry.isDirectory() ? await firstNames(join(root, path)) : entry.isSymbolicLink() ? ["__init__.py"] : undefined;
  const isFile = !entry.isDirectory() && canShadow({ path, siblings, entries: undefined });
  return isFile || canShadow({ path, siblings, entries }) ? [path] : [];
}

/** The names in a folder; if there are too many, as if a package were among them. */
async function firstNames(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of await openFolder(folder)) {
      names.push(name);
      if (names.length >= MOST_NAMES) return [...names, "__init__.py"];
    }
  } catch (error) {
    // A name that is not UTF-8, or a path that is too long: nothing loads a module from there.
    if (!isErrorCode(error, "ENOENT", "ENAMETOOLONG")) throw error;
  }
  return names;
}

interface Seen {
  readonly checkout: string;
  readonly isTracked: (path: string) => boolean;
}

/** The files that matter of a replaced file or folder. */
async function lost(seen: Seen, path: string, before: BigIntStats): Promise<readonly string[]> {
  if (before.isDirectory()) return firstIn(seen, path);
  return matters(seen, path) ? [path] : [];
}

function matters({ isTracked }: Seen, path: string): boolean {
  return isTracked(path) || isDependency(path);
}

/** A file of the folder that has no entry in the layer, if one matters. */
async function untouched(seen: Seen, folder: string, changed: ReadonlySet<string>): Promise<readonly string[]> {
  for await (const entry of rawEntries(Buffer.from(join(seen.checkout, folder)))) {
    const name = entry.name.toString();
    if (changed.has(name)) continue;
    const path = `${folder}/${name}`;
    if (entry.isDirectory() ? (await firstIn(seen, path)).length > 0 : matters(seen, path)) return [path];
  }
  return [];
}

/** One file that matters in a folder of the checkout, however deep; none if there is none. */
async function firstIn(seen: Seen, folder: string): Promise<readonly string[]> {
  for await (const found of entriesBelow(join(seen.checkout, folder), () => true)) {
    const path = `${folder}/${found.path}`;
    if (!found.entry.isDirectory() && matters(seen, path)) return [path];
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

/** The identity of a file, which differs once it was written or put back: the kernel sets ctime, and nobody can set it back. */
export type Identities = ReadonlyMap<string, string>;

/** Reads the identities of these files of a folder. */
export async function readIdentities(folder: string, paths: readonly string[]): Promise<Identities> {
  const found = new Map<string, string>();
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const some = paths.slice(at, at + AT_ONCE);
    const now = await Promise.all(some.map((path) => lstatIfPresent(join(folder, path))));
    for (const [i, path] of some.entries()) found.set(path, identity(now[i]));
  }
  return found;
}

/** The files whose identity has changed. */
export async function changedIdentities(folder: string, before: Identities): Promise<readonly string[]> {
  const now = await readIdentities(folder, [...before.keys()]);
  return [...before].flatMap(([path, was]) => (now.get(path) === was ? [] : [path]));
}

function identity(found: BigIntStats | undefined): string {
  return found === undefined ? "" : `${found.ino}:${found.ctimeNs}:${found.size}`;
}

async function lstatIfPresent(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (isErrorCode(error, "ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "EACCES")) return undefined;
    throw error;
  }
}
