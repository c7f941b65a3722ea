import { createHash, randomUUID } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { chmod, copyFile, lstat, mkdir, open, rename, rm, utimes } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { RepoUnavailable } from "../../../ports/vcs.ts";
import { displayName } from "../git/ref-names.ts";
import { readFilesAt } from "../landing/derived-commit.ts";
import { ifThere } from "../repository/admin-dirs.ts";
import type { Store } from "../repository/store.ts";

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
  const source = await ifThere(lstat(placeOf(store, oid)));
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
    await copyFile(placeOf(store, oid), copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
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
  const to = placeOf(store, oid);
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
function placeOf({ at }: Store, oid: string): string {
  const storage = at.settings.get("lfs.storage") ?? "lfs";
  const folder = isAbsolute(storage) ? storage : resolve(at.commonDir, storage);
  return join(folder, "objects", oid.slice(0, 2), oid.slice(2, 4), oid);
}
