import { createHash, randomUUID } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { chmod, copyFile, lstat, mkdir, open, rename, rm, utimes } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { RepoUnavailable } from "../../../ports/vcs.ts";
import { displayName, objectId } from "../git/git-call.ts";
import { readFilesAt } from "../landing/derived-commit.ts";
import { diffTree } from "../landing/diff-tree.ts";
import { ifThere, type Store } from "../repository/store.ts";
import { readFiles } from "../repository/trees.ts";

/** An entry of a tree: mode and id. */
interface Entry {
  readonly mode: string;
  readonly id: string;
}

/** An attributes file that differs between two commits; undefined for a commit without it. */
export interface ChangedAttributes {
  readonly path: string;
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
}

const NAME = ".gitattributes";

/** Characters that file systems ignore in a name, or drop at its end. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}|(?<![ .])[ .]+$|:.*/gsu;

/**
 * True if some file system would find this file, or a file in a folder of this name, where git looks for attributes. Git also
 * reads a symbolic link of this name, and files of other spellings if the file system folds case.
 */
export function isAttributesFile(path: string): boolean {
  return path.split("/").some((part) => {
    const seen = part.normalize("NFD").replace(UNSEEN, "").toUpperCase().toLowerCase();
    return seen === NAME || /^(?:gitatt|gi7d29)~\d$/.test(seen);
  });
}

/** Known facts about commits' attributes. A commit never changes, so they stay true. */
interface Known {
  readonly changed: Map<string, readonly ChangedAttributes[]>;
  /** Commits whose attributes are those of another one, by the later of the two. */
  readonly same: Map<string, string>;
  readonly filters: Map<string, boolean>;
}

const known = new WeakMap<Store, Known>();
/** The number of commits that are remembered. */
const REMEMBERED = 1_000;

function storeCache(store: Store): Known {
  const of = known.get(store) ?? { changed: new Map(), same: new Map(), filters: new Map() };
  known.set(store, of);
  for (const each of [of.changed, of.same, of.filters]) if (each.size >= REMEMBERED) each.clear();
  return of;
}

/** The attributes files that differ between `before` and `after`. */
export async function changedAttributes(store: Store, before: string, after: string): Promise<readonly ChangedAttributes[]> {
  if (before === after) return [];
  const { changed, same } = storeCache(store);
  const key = `${before} ${after}`;
  const found = changed.get(key) ?? (await lookForChanged(store, before, after));
  changed.set(key, found);
  if (found.length === 0) same.set(after, before);
  return found;
}

async function lookForChanged(store: Store, before: string, after: string): Promise<readonly ChangedAttributes[]> {
  const options = ["-z", "--raw", "--no-renames", "--no-abbrev"];
  const { output } = await diffTree(store, { from: before, tip: after, options }, Number.POSITIVE_INFINITY);
  const fields = output.toString("utf8").split("\0");
  const found: ChangedAttributes[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [[from = "", to = "", was = "", is = ""], path = ""] = [(fields[i] ?? "").slice(1).split(" "), fields[i + 1]];
    if (isAttributesFile(path)) found.push({ path, before: entry(from, was), after: entry(to, is) });
  }
  return found;
}

/** True if the attributes of a commit name a filter. */
export async function namesFilter(store: Store, commit: string): Promise<boolean> {
  const { filters, same } = storeCache(store);
  const alike: string[] = [];
  for (let each: string | undefined = commit; each !== undefined && !alike.includes(each); each = same.get(each)) {
    const names = filters.get(each);
    if (names !== undefined) return names;
    alike.push(each);
  }
  const paths = (await readFiles(store, commit)).flatMap(({ name }) => (/(?:^|\/)\.gitattributes$/.test(name) ? [name] : []));
  const texts = await readFilesAt(store, { commit, paths });
  const names = [...texts.values()].some((text) => text.includes("filter"));
  for (const each of alike) filters.set(each, names);
  return names;
}

/** The paths that have a filter by the attributes of a commit, and its driver; of all files of the commit, unless some are given. */
export async function filtersAt(
  store: Store,
  commit: string,
  paths?: readonly string[],
): Promise<readonly (readonly [path: string, driver: string])[]> {
  if (!(await namesFilter(store, commit))) return [];
  const asked = paths ?? (await readFiles(store, commit)).map(({ name }) => name);
  if (asked.length === 0) return [];
  const index = join(store.scratch, `index-${randomUUID()}`);
  try {
    await store.content(["read-tree", objectId(commit)], { index });
    const input = asked.map((path) => `${path}\0`).join("");
    const said = await store.content(["check-attr", "--cached", "--stdin", "-z", "filter"], { index, input });
    return attributesIn(said).filter(([, driver]) => driver !== "unspecified" && driver !== "unset");
  } finally {
    await rm(index, { force: true });
  }
}

/** Reads what `git check-attr -z` prints of one attribute: path, name and value. */
export function attributesIn(output: string): readonly (readonly [path: string, value: string])[] {
  const fields = output.split("\0");
  return fields.flatMap((path, i) => (i % 3 === 0 && path !== "" ? [[path, fields[i + 2] ?? ""] as const] : []));
}

function entry(mode: string, id: string): Entry | undefined {
  return mode === "000000" ? undefined : { mode, id };
}

/**
 * Lines for `update-index --index-info` that give a candidate's index the base's attributes. Attributes of the base in a folder
 * that the candidate does not have apply to nothing, and a file may be there now.
 */
export function toBase(changed: readonly ChangedAttributes[], folders: ReadonlySet<string>): string {
  const gone = changed.flatMap(({ path, after }) => (after === undefined ? [] : [`0 ${after.id}\t${path}\0`]));
  const back = changed.flatMap(({ path, before }) => {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    if (before === undefined || !before.mode.startsWith("100") || !folders.has(folder)) return [];
    return [`${before.mode} ${before.id}\t${path}\0`];
  });
  return [...gone, ...back].join("");
}

/** The name of the filter of Git LFS. */
export const LFS = "lfs";

/** A pointer is shorter than this (git-lfs, docs/spec.md); a longer file is content. Bytes. */
const MAX_POINTER = 1024;

/** Git compares the content of files that are as young as its index. */
const OLDER_MS = 10_000;

/** The pointer to a file in Git LFS. */
interface Pointer {
  readonly oid: string;
  readonly size: number;
}

/**
 * Replaces Git LFS pointers with their content from the repository's own store, after checking hash and size. No program of LFS
 * runs. A file that is not a pointer stays as it is, as in LFS. The content is a copy, which shares its blocks with the store on file systems
 * that can do that; a hard link would let a worker change the store. Returns the replaced files. Throws a RepoUnavailable if content is
 * missing or wrong.
 */
export async function fillLargeFiles(store: Store, folder: string, paths: readonly string[]): Promise<readonly string[]> {
  const filled: string[] = [];
  for (const path of paths) {
    const file = join(folder, path);
    const pointer = await readPointer(file);
    if (pointer === undefined) continue;
    await fill(store, { file, path, pointer });
    filled.push(path);
  }
  return filled;
}

async function readPointer(path: string): Promise<Pointer | undefined> {
  const found = await ifThere(lstat(path));
  if (found?.isFile() !== true || found.size >= MAX_POINTER) return undefined;
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return parsePointer(await file.readFile("utf8"));
  } finally {
    await file.close();
  }
}

/** Reads a pointer: `version`, `oid sha256:…`, `size …`, each on its own line; undefined if the text is not one. */
export function parsePointer(text: string): Pointer | undefined {
  const match =
    /^version https:\/\/(?:git-lfs\.github\.com|hawser\.github\.com)\/spec\/v1\n(?:ext-.*\n)*oid sha256:([0-9a-f]{64})\nsize (\d+)\n?$/.exec(
      text,
    );
  const [, oid = "", size = ""] = match ?? [];
  return oid === "" ? undefined : { oid, size: Number(size) };
}

/** Why the content of a pointer cannot be used, as far as its size tells; undefined if it can. */
export async function whyNotThere(store: Store, path: string, { oid, size }: Pointer): Promise<string | undefined> {
  const source = await ifThere(lstat(lfsObjectPath(store, oid)));
  const what = `${displayName(path)} is kept by Git LFS, and its content (${oid.slice(0, 12)}…)`;
  if (source?.isFile() !== true) return `${what} is not in the repository: run git lfs fetch`;
  return source.size === size ? undefined : `${what} has another size than its pointer says: run git lfs fsck`;
}

/** The first of these files of a commit whose content is not there, and why; undefined if there is none. */
export async function missingLargeFile(store: Store, commit: string, paths: readonly string[]): Promise<string | undefined> {
  for (const [path, text] of await readFilesAt(store, { commit, paths })) {
    const pointer = parsePointer(text);
    const why = pointer === undefined ? undefined : await whyNotThere(store, path, pointer);
    if (why !== undefined) return why;
  }
  return undefined;
}

async function fill(store: Store, options: { file: string; path: string; pointer: Pointer }): Promise<void> {
  const why = await whyNotThere(store, options.path, options.pointer);
  if (why !== undefined) throw new RepoUnavailable(why);
  const { oid } = options.pointer;
  const { mode, mtimeMs } = await lstat(options.file);
  const copy = `${options.file}.${randomUUID()}`;
  try {
    await copyFile(lfsObjectPath(store, oid), copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await chmod(copy, mode);
    const hash = createHash("sha256");
    await pipeline(createReadStream(copy), hash);
    if (hash.digest("hex") !== oid)
      throw new RepoUnavailable(`the content of ${displayName(options.path)} is not what its pointer says: run git lfs fsck`);
    await utimes(copy, (mtimeMs - OLDER_MS) / 1000, (mtimeMs - OLDER_MS) / 1000);
    await rename(copy, options.file);
  } finally {
    await rm(copy, { force: true });
  }
}

/** Moves content that was captured into the repository's store. */
export async function keepLargeFile(store: Store, from: string, oid: string): Promise<void> {
  const to = lfsObjectPath(store, oid);
  if ((await ifThere(lstat(to))) === undefined) {
    const temporary = `${to}.${randomUUID()}`;
    await mkdir(dirname(to), { recursive: true });
    try {
      await copyFile(from, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      await rename(temporary, to);
    } finally {
      await rm(temporary, { force: true });
    }
  }
  await rm(from, { force: true });
}

/** Where LFS stores content: `lfs.storage`, relative to the repository's git folder (git-lfs-config(5)). */
function lfsObjectPath({ at }: Store, oid: string): string {
  const storage = at.settings.get("lfs.storage") ?? "lfs";
  const folder = isAbsolute(storage) ? storage : resolve(at.commonDir, storage);
  return join(folder, "objects", oid.slice(0, 2), oid.slice(2, 4), oid);
}
