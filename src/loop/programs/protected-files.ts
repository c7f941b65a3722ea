import { createHash } from "node:crypto";
import { createReadStream, type Dir, type Dirent } from "node:fs";
import { chmod, lstat, opendir, readlink, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import picomatch from "picomatch";
import { PATH_FOLDS } from "../../domain/values/path-folds.ts";
import { hasErrorCode } from "../../domain/values/text.ts";

/** Compiled lists, the least recently used first. A run has few, and asks for each again at every candidate. */
const compiled = new Map<string, (path: string) => boolean>();
const MOST_COMPILED = 16;

/**
 * True if the protect list covers a path, as this or another file system would see it. A glob without a slash covers the name,
 * file or folder, everywhere.
 */
export function protectedBy(protect: readonly string[]): (path: string) => boolean {
  const key = JSON.stringify(protect);
  const known = compiled.get(key) ?? compile(protect);
  compiled.delete(key);
  compiled.set(key, known);
  const [oldest] = compiled.keys();
  if (compiled.size > MOST_COMPILED && oldest !== undefined) compiled.delete(oldest);
  return known;
}

function compile(protect: readonly string[]): (path: string) => boolean {
  if (protect.length === 0) return () => false;
  const matchers = PATH_FOLDS.map((fold) => matcher(protect, fold));
  return (path) => matchers.some((matches) => matches(path));
}

function matcher(protect: readonly string[], caseless: (text: string) => string): (path: string) => boolean {
  // picomatch's `**` stops at line breaks, which file names may contain.
  const fold = (text: string): string => caseless(text).replace(/[\n\r\u2028\u2029]/g, "_");
  const names = protect.filter((glob) => !glob.includes("/")).map(fold);
  const paths = protect.filter((glob) => glob.includes("/")).map((glob) => fold(glob.replace(/\/$/, "/**")));
  const matchesPath = picomatch([...paths, ...names.map((name) => `**/${name}/**`)], { dot: true });
  const matchesName = picomatch(names, { dot: true, basename: true });
  return (path) => matchesPath(fold(path)) || matchesName(fold(path));
}

/** True for a folder that a glob of the list names on the way to protected files: a link there would replace them. */
export function onTheWayTo(protect: readonly string[]): (path: string) => boolean {
  return protectedBy(protect.flatMap(foldersOnTheWay));
}

/** The folders that a glob names before its last part; not those behind `**`, which may be any. */
function foldersOnTheWay(glob: string): readonly string[] {
  const parts = glob.replace(/^\.?\//, "").split("/");
  const any = parts.indexOf("**");
  const named = parts.slice(0, any === -1 ? -1 : any);
  return named.map((_, i) => `./${named.slice(0, i + 1).join("/")}`);
}

/**
 * The protected files of a checkout, by path: each file's content, or each link's target, and the bytes of its path in the checkout,
 * which need not be UTF-8.
 */
export type ProtectedFiles = ReadonlyMap<string, { readonly content: string; readonly bytes: Buffer<ArrayBuffer> }>;

/** Entries that are read at most, more than any known tree of packages has: a worker's tree may be too large for memory. */
const MOST_ENTRIES = 2_000_000;

/** Reads every protected file of a folder except git's own. */
export async function protectedFiles(folder: string, protect: readonly string[]): Promise<ProtectedFiles> {
  const found = new Map<string, { content: string; bytes: Buffer<ArrayBuffer> }>();
  if (protect.length === 0) return found;
  const isProtected = protectedBy(protect);
  const top = Buffer.from(`${folder}/`);
  let seen = 0;
  for await (const { path, place, entry } of entriesBelow(folder, (each) => each !== ".git")) {
    seen += 1;
    if (seen > MOST_ENTRIES) throw new Error(`the checkout holds more than ${MOST_ENTRIES} files and folders`);
    if (entry.isDirectory() || !isProtected(path)) continue;
    found.set(path, { content: await fingerprintFile(place), bytes: place.subarray(top.length) });
  }
  return found;
}

/** The files that are gone or have changed. A file of another size is not read: commands may make it as large as they like. */
export async function changedFiles(folder: string, before: ProtectedFiles): Promise<readonly string[]> {
  const changed: string[] = [];
  const top = Buffer.from(folder);
  for (const [path, { content, bytes }] of before)
    if ((await fingerprintFile(below(top, bytes), sizeIn(content))) !== content) changed.push(path);
  return changed;
}

/** The files of these whose content differs from the pristine checkout's. A file of another size is not read. */
export async function differingFiles(folder: string, pristine: string, paths: readonly string[]): Promise<readonly string[]> {
  const differing: string[] = [];
  for (const path of paths) {
    const content = await fingerprintFile(join(pristine, path));
    if (bytesIn(await fingerprintFile(join(folder, path), sizeIn(content))) !== bytesIn(content)) differing.push(path);
  }
  return differing;
}

/** The files of these whose folder is gone, or is reached through a link. */
export async function behindLinks(checkout: string, paths: readonly string[]): Promise<readonly string[]> {
  const root = await realpath(checkout);
  const byFolder = Map.groupBy(paths, (path) => dirname(join(root, path)));
  const found: string[] = [];
  for (const [folder, inIt] of byFolder) {
    const place = await realpath(folder).catch(() => undefined);
    if (place !== folder) found.push(...inIt);
  }
  return found;
}

/** The content of a file as `fingerprintFile` gives it, regardless of its executable bit. */
function bytesIn(content: string): string {
  return content.replace(/^[x-] /, "");
}

/** The size of a file, as `fingerprintFile` gives it; undefined for anything else. */
function sizeIn(content: string): number | undefined {
  const [, size] = /^[x-] (\d+) /.exec(content) ?? [];
  return size === undefined ? undefined : Number(size);
}

/** The executable bit, size in bytes and hash of a file. Only a file of `size` bytes is read, if that is given. */
async function fingerprintFile(file: string | Buffer, size?: number): Promise<string> {
  try {
    const found = await lstat(file);
    if (found.isSymbolicLink()) return `link ${await readlink(file)}`;
    if (!found.isFile()) return "neither file nor link";
    const executable = (found.mode & 0o100) !== 0 ? "x" : "-";
    if (size !== undefined && found.size !== size) return `${executable} ${found.size} of another size`;
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    return `${executable} ${found.size} ${hash.digest("hex")}`;
  } catch (error) {
    if (isErrorCode(error, "ENOENT", "ENOTDIR", "ELOOP", "EACCES")) return "nothing";
    throw error;
  }
}

/** True if a file operation failed with one of these codes (errno(3)). */
export function isErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  return hasErrorCode(error, ...codes);
}

/** An entry of a folder, whose name need not be UTF-8. */
type RawEntry = Omit<Dirent, "name"> & { readonly name: Buffer<ArrayBuffer> };

/** The entries of a folder that a command may have closed to its owner, with the bytes of their names. */
export async function* rawEntries(folder: Buffer<ArrayBuffer>): AsyncGenerator<RawEntry> {
  for await (const entry of await opened(folder)) yield entry as unknown as RawEntry;
}

/** An entry below a folder. `path` is relative to it; bytes that are not UTF-8 are replaced in it, but not in `place`. */
export interface FoundEntry {
  readonly path: string;
  readonly place: Buffer<ArrayBuffer>;
  readonly entry: RawEntry;
}

/** All entries below a folder, without following links. Folders for whose path `enters` is false are given, and not looked into. */
export async function* entriesBelow(folder: string, enters: (path: string) => boolean): AsyncGenerator<FoundEntry> {
  const top = Buffer.from(folder);
  const folders = [top];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for await (const entry of rawEntries(at)) {
      const place = below(at, entry.name);
      const path = place.subarray(top.length + 1).toString();
      if (entry.isDirectory() && enters(path)) folders.push(place);
      yield { path, place, entry };
    }
  }
}

/** The path of an entry. */
function below(folder: Buffer<ArrayBuffer>, name: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  return Buffer.concat([folder, Buffer.from("/"), name]);
}

async function opened(folder: Buffer<ArrayBuffer>): Promise<Dir> {
  const open = () => opendir(folder, { encoding: "buffer" as BufferEncoding });
  try {
    return await open();
  } catch (error) {
    if (!hasErrorCode(error, "EACCES")) throw error;
    await chmod(folder, 0o700);
    return open();
  }
}
