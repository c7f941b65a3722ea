import { constants } from "node:fs";
import { type FileHandle, open, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { hasErrorCode } from "../../../domain/values/error-text.ts";
import { isObjectId, unfitBranchName } from "../git/ref-names.ts";
import { isMissing } from "./locate.ts";

/** Git's record of one linked worktree: `<common>/worktrees/<id>` (gitrepository-layout(5)). */
export interface AdminDir {
  readonly dir: string;
  /** The worktree's folder, which may no longer exist. */
  readonly worktree: string;
}

/** The content of a HEAD file. */
export type Head = { readonly branch: string } | { readonly commit: string } | undefined;

/** All records of linked worktrees. */
export async function adminDirs(commonDir: string): Promise<readonly AdminDir[]> {
  const parent = join(commonDir, "worktrees");
  const names = await ifThere(readdir(parent));
  const found = await Promise.all(
    (names ?? []).map(async (name): Promise<AdminDir[]> => {
      const dir = join(parent, name);
      const gitFile = await readShort(join(dir, "gitdir"), MAX_PATH);
      return gitFile === undefined ? [] : [{ dir, worktree: dirname(resolve(dir, gitFile)) }];
    }),
  );
  return found.flat();
}

/** The records of the worktree at `path`, even if its folder no longer exists. */
export async function adminDirsOf(commonDir: string, path: string): Promise<readonly AdminDir[]> {
  const wanted = await resolvedParent(path);
  return (await adminDirs(commonDir)).filter((each) => each.worktree === wanted || each.worktree === path);
}

/** Reads HEAD of a git folder: a branch by its full ref, a commit, or undefined if it is neither or missing. */
export async function readHead(gitDir: string): Promise<Head> {
  const text = await readShort(join(gitDir, "HEAD"));
  if (text === undefined) return undefined;
  if (isObjectId(text)) return { commit: text };
  const branch = text.startsWith("ref: refs/heads/") ? text.slice("ref: ".length) : "";
  return unfitBranchName(branch.slice("refs/heads/".length)) === undefined ? { branch } : undefined;
}

/** Longest content of a file that names a ref or a commit. Bytes. */
const MAX_SHORT = 1_000;
/** Longest content of a file that holds a path. Bytes. */
export const MAX_PATH = 5_000;

/**
 * The text of a short file that a worker may have replaced, or undefined if there is none. A pipe in its place does not block,
 * and of a huge file only as much is read as a ref can be long.
 */
export async function readShort(path: string, most = MAX_SHORT): Promise<string | undefined> {
  const file = await ifThere(openShort(path));
  if (file === undefined) return undefined;
  try {
    if (!(await file.stat()).isFile()) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, 0);
    return buffer.toString("utf8", 0, bytesRead).trimEnd();
  } finally {
    await file.close();
  }
}

/** Undefined for a kind of file that cannot be opened: a socket, a link to itself. */
async function openShort(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (hasErrorCode(error, "ENXIO", "ELOOP")) return undefined;
    throw error;
  }
}

/** Git records worktrees by their real path; the last part may not exist yet, and must not be followed if it is a link. */
export async function resolvedParent(path: string): Promise<string> {
  const parent = await ifThere(realpath(dirname(path)));
  return parent === undefined ? path : join(parent, basename(path));
}

/** The result of a file operation, or undefined if the file does not exist. */
export async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
