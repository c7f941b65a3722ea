import { lstat, mkdir, stat, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { RepoView } from "../../../ports/vcs.ts";
import { branchRef } from "../git/git-call.ts";
import { ifThere, type Store, worktreeRecords } from "../repository/store.ts";
import { agentDir, makeWorkerGit, objectMounts, toldConfig } from "./worker-git.ts";

/** The path at which a confined worker finds its git folder. */
const WORKER_GIT = "/run/git/own";

/**
 * A confined worker's view of the repository: its worktree in place of the user's own checkout, and a private ordinary git
 * folder, which the worktree's `.git` file names. Neither the repository's git folder nor the worktree's record is visible, so no
 * file that a worker writes reaches the user's git, another run, or the engine before it was examined (see import-objects.ts).
 * The `.git` file is mounted read-only: a worker that could point it elsewhere would choose the program that the next git command
 * runs (core.fsmonitor).
 *
 * `avoid` are further paths that the confinement shows. If one of them lies in the user's checkout or around it, one would hide
 * the other; the worktree is then shown at its own path.
 */
export async function agentView(
  store: Store,
  { branch, path, avoid }: { readonly path: string; readonly branch: string; readonly avoid?: readonly string[] },
): Promise<RepoView> {
  const ref = branchRef(branch);
  const record = (await worktreeRecords(store.at.commonDir, path))[0]?.dir;
  if (record === undefined) throw new Error(`there is no worktree at ${path}`);
  if (store.sandbox?.kind === "seatbelt") return seatbeltView(store, { path, record });
  const git = await makeWorkerGit(store, { path, ref, record });
  const gitFile = join(agentDir(store, path), "gitfile");
  await writeFile(gitFile, `gitdir: ${WORKER_GIT}\n`);
  const at = (await canShowAt(store, avoid ?? [])) ? store.place : path;
  const { read, mounts } = objectMounts(store);
  return {
    write: at === path ? [path] : [],
    read,
    mounts: [
      ...(at === path ? [] : [{ from: path, at, write: true }]),
      { from: gitFile, at: join(at, ".git"), write: false },
      { from: git, at: WORKER_GIT, write: true, isGit: true },
      ...mounts,
    ],
  };
}

/** The paths that a confined command may reach for a pristine checkout: the objects that its git folder names. */
export function checkoutView(store: Store): RepoView {
  if (store.sandbox?.kind === "seatbelt") return { write: [], read: [store.at.objects], mounts: [] };
  const { read, mounts } = objectMounts(store);
  return { write: [], read, mounts, objects: store.sandbox && store.at.objects };
}

/** True if a worktree can be shown in place of the user's checkout. Nothing can be mounted on a path that does not exist. */
async function canShowAt({ place }: Store, avoid: readonly string[]): Promise<boolean> {
  if (avoid.some((path) => isWithin(place, path) || isWithin(path, place))) return false;
  const git = join(place, ".git");
  const [folder, isLinked] = await Promise.all([ifThere(stat(place)), isSymbolicLink(git)]);
  return folder?.isDirectory() === true && !isLinked;
}

async function isSymbolicLink(path: string): Promise<boolean> {
  return (await ifThere(lstat(path)))?.isSymbolicLink() === true;
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith(`..${sep}`));
}

/** macOS cannot replace one path with another: a worker reads the repository, and makes no commits. */
async function seatbeltView(
  store: Store,
  { path, record }: { readonly path: string; readonly record: string },
): Promise<RepoView> {
  const own = agentDir(store, path);
  await mkdir(own, { recursive: true, mode: 0o700 });
  await writeFile(join(own, "config"), toldConfig(store));
  const { commonDir } = store.at;
  return {
    write: [path],
    read: [commonDir, record, join(path, ".git")],
    mounts: [{ from: join(own, "config"), at: join(commonDir, "config"), write: false }],
  };
}
