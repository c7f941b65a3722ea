import { copyFile, lstat, mkdir, opendir, rmdir, unlink, writeFile } from "node:fs/promises";
import { basename, join, resolve, sep } from "node:path";
import type { SerialQueue } from "../../../domain/values/serial-queue.ts";
import { hasErrorCode } from "../../../domain/values/text.ts";
import { systemCode } from "../../disk-error.ts";
import { removeFolder } from "../../remove-folder.ts";
import { fillLargeFiles, filtersAt, LFS } from "../capture/attributes.ts";
import { noteStats } from "../capture/index-stats.ts";
import { keepOlder } from "../capture/index-time.ts";
import { agentDir } from "../capture/worker-git.ts";
import { type BoundedStart, branchRef, objectId } from "../git/git-call.ts";
import { moveRef } from "../git/git-queries.ts";
import { exists } from "./locate.ts";
import { adminDirs, preparePrivateDir, readHead, resolvedParent, type Store, worktreeRecords } from "./store.ts";
import { fillSubmodules } from "./submodules.ts";

/**
 * Adds a linked worktree on a new branch. loopdash writes the record as gitrepository-layout(5) describes it: `git worktree add`
 * starts two more processes for the same four small files and runs hooks. The files are written from loopdash's own git folder,
 * where no smudge filter is known. Removing the leftovers of an earlier attempt is queued.
 */
export async function addWorktree(
  store: Store,
  queue: SerialQueue,
  options: { readonly path: string; readonly branch: string; readonly from: string },
): Promise<void> {
  const ref = branchRef(options.branch);
  const from = objectId(options.from);
  await refuseUserFolder(store, options.path);
  await queue(() => clearLeftovers(store, options.path, ref));
  const admin = await writeRecord(store, options.path, ref);
  const index = join(admin, "index");
  const own = store.privateDir(options.path);
  await Promise.all([
    moveRef(store, ref, { to: from }),
    store.content(["read-tree", "-m", "-u", from], { workTree: options.path, index }),
    preparePrivateDir(store, own, from),
  ]);
  await fillSubmodules(store, { commit: from, path: options.path, settings: store.at.inert, isKept: true });
  const large = (await filtersAt(store, from)).flatMap(([file, driver]) => (driver === LFS ? [file] : []));
  const filled = await fillLargeFiles(store, options.path, large);
  if (filled.length > 0) await noteStats(index, { folder: options.path, paths: filled, format: store.at.format });
  await copyFile(index, join(own, "index"));
  await keepOlder(join(own, "index"), index);
}

/**
 * Writes a worktree's record below the repository's git folder, and the `.git` file that points to it. Returns the record's
 * folder.
 */
async function writeRecord(store: Store, path: string, ref: string): Promise<string> {
  await mkdir(path, { recursive: true });
  const worktrees = join(store.at.commonDir, "worktrees");
  await mkdir(worktrees, { recursive: true });
  const admin = await newRecord(worktrees, basename(path));
  await Promise.all([
    writeFile(join(admin, "commondir"), "../..\n"),
    writeFile(join(admin, "gitdir"), `${join(await resolvedParent(path), ".git")}\n`),
    writeFile(join(admin, "HEAD"), `ref: ${ref}\n`),
    writeFile(join(path, ".git"), `gitdir: ${admin}\n`, { flag: "wx" }),
  ]);
  return admin;
}

/** A new folder named after the worktree, with a number behind if the name is taken, as git does it. */
async function newRecord(worktrees: string, name: string): Promise<string> {
  for (let n = 0; ; n++) {
    const admin = join(worktrees, n === 0 ? name : `${name}${n}`);
    try {
      await mkdir(admin);
      return admin;
    } catch (error) {
      if (!hasErrorCode(error, "EEXIST")) throw error;
    }
  }
}

/** Removes the worktree, its record and, if wanted, its branch. Missing parts are no error. */
export async function removeWorktree(
  store: Store,
  { branch, path, deleteBranch }: { readonly path: string; readonly branch: string; readonly deleteBranch: boolean },
): Promise<void> {
  const ref = branchRef(branch);
  await refuseUserFolder(store, path);
  await clearPath(store, path);
  if (deleteBranch && (await store.readBranch(ref)) !== undefined) {
    await moveRef(store, ref, {});
  }
}

/**
 * Removes by hand what `git worktree remove` removes: the folder, then the record. Git's own command requires a `.git` file that
 * points back, which an agent may have replaced.
 */
async function clearPath(store: Store, path: string): Promise<void> {
  const records = await worktreeRecords(store.at.commonDir, path);
  // The record goes last: it tells where the folder is as long as that exists.
  const recorded = records.map(({ dir }) => dir);
  const written = [path, store.privateDir(path), agentDir(store, path)];
  try {
    await removeTrees(store, [...written, ...recorded]);
  } finally {
    // Also if the folder resists or takes too long: the record would block git.
    await removeTrees(store, recorded);
  }
}

/**
 * Frees the path and the branch. A worktree elsewhere that has the branch checked out keeps its files and its commit and is only
 * detached: it may be a person's, and git moves no branch that is checked out.
 */
async function clearLeftovers(store: Store, path: string, ref: string): Promise<void> {
  const [there, records] = await Promise.all([exists(path), adminDirs(store.at.commonDir)]);
  const wanted = await resolvedParent(path);
  if (there || records.some((each) => each.worktree === wanted)) await clearPath(store, path);
  await Promise.all(
    records
      .filter((each) => each.worktree !== wanted)
      .map(async ({ dir, worktree }) => {
        const head = readHead(dir);
        if (head === undefined || !("branch" in head) || head.branch !== ref) return;
        const commit = await store.readBranch(ref);
        if (commit === undefined || !(await exists(worktree))) return removeFolder(dir);
        await store.refs(["update-ref", "--no-deref", "HEAD", commit], { gitDir: dir });
      }),
  );
}

/** A wrong path here would delete a person's files: their checkout, the git folder, or a folder around either. */
async function refuseUserFolder(store: Store, path: string): Promise<void> {
  const real = await resolvedParent(resolve(path));
  const theirs = [store.at.commonDir, store.at.path, store.at.mainWorktree ?? store.at.path];
  if (path !== resolve(path) || theirs.some((each) => each === real || each.startsWith(real + sep))) {
    throw new RangeError(
      `a worktree cannot be at ${JSON.stringify(path)}: it must be an absolute path apart from the repository`,
    );
  }
}

/** Time limit for removing a folder. A million files take half a minute on a busy disk. Milliseconds. */
const REMOVE_MS = 120_000;

/** Files and folders that this process removes by itself, and the longest path. */
const MOST_HERE = 2_000;
const LONGEST_HERE = 2_000;

/**
 * Removes folders that a worker wrote, whatever they contain, without following links. Small ones without closed folders are
 * removed here. rm(1) removes all others: it works by a handle of each folder, so also paths that are longer than a path may be. Closed
 * folders are opened first if necessary. Throws if something is left.
 */
async function removeTrees(store: Store, paths: readonly string[]): Promise<void> {
  const budget = { entries: MOST_HERE };
  const isRemoved = await Promise.all((await existingPaths(paths)).map((path) => removeSmall(path, budget)));
  if (!isRemoved.includes(false)) return;
  const stop = AbortSignal.timeout(REMOVE_MS);
  const run = (argv: readonly string[]) => {
    const bounded: BoundedStart = { argv, cwd: "/", env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" } };
    return store.start({ args: argv, gitDir: "/", bounded }, stop);
  };
  const removed = await run(["rm", "-rf", "--", ...paths]);
  if (removed.status === 0) return;
  const left = await existingPaths(paths);
  if (left.length === 0) return;
  await run(["chmod", "-R", "u+rwX", "--", ...left]);
  const again = await run(["rm", "-rf", "--", ...left]);
  if (again.status === 0) return;
  throw new Error(`${left[0]} cannot be removed: ${again.stderr.trim().slice(0, 300) || "it takes too long"}`);
}

/** True if a folder was removed; false if it is large or resists: some of it may be left. */
async function removeSmall(path: string, budget: { entries: number }): Promise<boolean> {
  if (path.length > LONGEST_HERE) return false;
  try {
    if (!(await lstat(path)).isDirectory()) return false;
    for await (const entry of await opendir(path)) {
      budget.entries -= 1;
      if (budget.entries < 0) return false;
      const inner = join(path, entry.name);
      if (!entry.isDirectory()) await unlink(inner);
      else if (!(await removeSmall(inner, budget))) return false;
    }
    await rmdir(path);
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

async function existingPaths(paths: readonly string[]): Promise<string[]> {
  const there = await Promise.all(paths.map(exists));
  return paths.filter((_, i) => there[i]);
}
