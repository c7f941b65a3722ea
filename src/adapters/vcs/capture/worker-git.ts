import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, lstat, mkdir, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RepoView } from "../../../ports/vcs.ts";
import { isObjectId } from "../git/git-call.ts";
import { exists } from "../repository/locate.ts";
import { packedRefs, refSnapshot } from "../repository/ref-snapshot.ts";
import { ifThere, readShort, type Store } from "../repository/store.ts";

/** The path at which a confined program finds the repository's objects, read-only. */
export const SHARED_OBJECTS = "/run/git/objects";

/** Settings of the repository that a confined git is given: how files are kept. No remote, no address, no credential. */
const TOLD = /^(?:core\.(?:filemode|ignorecase|symlinks|autocrlf|eol|precomposeunicode)|extensions\.objectformat)$/;

/** The user's lists that a worker's git should also know; a longer list is left out. */
const LISTS = ["exclude", "attributes"];
const MAX_LIST = 1024 * 1024;

/** The refs that a worker was given, beside its git folder. */
export const TOLD_REFS = "told-refs";

/** The longest list of packed refs that is read. Bytes. */
const MAX_PACKED_REFS = 32 * 1024 * 1024;

/** loopdash's folder for files that a confined worker writes in place of the repository's git folder. */
export function agentDir(store: Store, path: string): string {
  return join(store.scratch, `a-${createHash("sha256").update(path).digest("hex").slice(0, 32)}`);
}

/** The git folder of a confined worker; files that no worker can write lie beside it. */
export function workerGitDir(store: Store, path: string): string {
  return join(agentDir(store, path), "git");
}

/**
 * Makes an ordinary git folder for a worker: on its branch, with the repository's current branches and tags except those of other
 * tickets, with private objects beside the repository's, and with an index like that of the worktree's record. It has no hooks,
 * no remotes and no reflogs.
 */
export async function makeWorkerGit(
  store: Store,
  { path, ref, record }: { readonly path: string; readonly ref: string; readonly record: string },
): Promise<string> {
  const own = agentDir(store, path);
  await rm(own, { recursive: true, force: true });
  const git = workerGitDir(store, path);
  const folders = ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info"].map((name) => join(git, name));
  await Promise.all(folders.map((folder) => mkdir(folder, { recursive: true, mode: 0o700 })));
  const tip = await store.readBranch(ref);
  if (tip === undefined) throw new Error(`the branch ${ref} is gone`);
  const refs = packedRefs((await refSnapshot(store)).set(ref, tip));
  const { commonDir, shallow } = store.at;
  const lists = LISTS.map((name) => copyList(join(commonDir, "info", name), join(git, "info", name)));
  await Promise.all([
    writeFile(join(git, "HEAD"), `ref: ${ref}\n`),
    writeFile(join(git, "config"), toldConfig(store)),
    writeFile(join(git, "packed-refs"), refs),
    writeFile(join(own, TOLD_REFS), refs),
    writeFile(join(git, "objects", "info", "alternates"), `${SHARED_OBJECTS}\n`),
    ifThere(copyFile(join(record, "index"), join(git, "index"))),
    ...(shallow === undefined ? [] : [ifThere(copyFile(shallow, join(git, "shallow")))]),
    ...lists,
  ]);
  return git;
}

async function copyList(from: string, to: string): Promise<void> {
  const found = await ifThere(lstat(from));
  if (found?.isFile() === true && found.size <= MAX_LIST) await copyFile(from, to);
}

/** The mounts through which a confined program finds the repository's objects and the borrowed ones. */
export function objectMounts({ at }: Store): Pick<RepoView, "read" | "mounts"> {
  const { borrowed } = at;
  const mounts = [{ from: at.objects, at: SHARED_OBJECTS, write: false }];
  for (const { folder, relative } of borrowed)
    if (relative !== undefined) mounts.push({ from: folder, at: join(SHARED_OBJECTS, relative), write: false });
  return { read: borrowed.flatMap(({ folder, relative }) => (relative === undefined ? [folder] : [])), mounts };
}

/** True if a worker was confined in this worktree and has not been captured yet. */
export async function wasConfined(store: Store, path: string): Promise<boolean> {
  const own = agentDir(store, path);
  return (await exists(workerGitDir(store, path))) && !(await exists(join(own, "captured")));
}

/** Makes the worktree's record, which now matches the captured commit, count again. */
export async function markCaptured(store: Store, path: string): Promise<void> {
  await writeFile(join(agentDir(store, path), "captured"), "");
}

/** A branch as a confined worker left it: a file, or a line in its list of packed refs. */
export async function readWorkerBranch(store: Store, path: string, ref: string): Promise<string | undefined> {
  const git = workerGitDir(store, path);
  const text = readShort(join(git, ref));
  if (text !== undefined) return isObjectId(text) ? text : undefined;
  const listed = await readBounded(join(git, "packed-refs"), MAX_PACKED_REFS);
  const line = listed?.split("\n").find((each) => each.endsWith(` ${ref}`));
  const id = line?.slice(0, -ref.length - 1) ?? "";
  return isObjectId(id) ? id : undefined;
}

/** Reads a regular file whole; undefined if there is none, or if it is too long. */
export async function readBounded(path: string, most: number): Promise<string | undefined> {
  const file = await ifThere(open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW));
  if (file === undefined) return undefined;
  try {
    const found = await file.stat();
    return found.isFile() && found.size <= most ? await file.readFile("utf8") : undefined;
  } finally {
    await file.close();
  }
}

/** A configuration file with the settings that a worker is given. Values are quoted as in git-config(1). */
export function toldConfig(store: Store): string {
  const { format, settings } = store.at;
  const lines = [
    ["core.repositoryformatversion", format === "sha1" ? "0" : "1"],
    ["core.bare", "false"],
    ["gc.auto", "0"],
    // Otherwise each commit starts a program that finds nothing to do.
    ["maintenance.auto", "false"],
  ];
  for (const [name, value] of settings) if (TOLD.test(name)) lines.push([name, value]);
  return lines
    .map(([name = "", value = ""]) => {
      const [section, key] = name.split(".");
      return `[${section}]\n\t${key} = "${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"\n`;
    })
    .join("");
}
