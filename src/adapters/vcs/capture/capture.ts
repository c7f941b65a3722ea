import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, lstat, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Change, ChangedPath } from "../../../ports/vcs.ts";
import { moveRef, partOf, writeCommit } from "../git/git-queries.ts";
import { type GuardedGit, guardedGit, mustGuarded } from "../git/guarded-git.ts";
import { branchRef, objectId } from "../git/ref-names.ts";
import { changeBetween, changeToIndex } from "../landing/change.ts";
import { adminDirsOf, ifThere, readHead } from "../repository/admin-dirs.ts";
import { writeHead } from "../repository/git-dir.ts";
import { isAncestor } from "../repository/history.ts";
import { preparePrivateDir, type Store } from "../repository/store.ts";
import { importObjects, type LeftoverObjects, leftoverObjects, takeStaged } from "./import-objects.ts";
import { keepOlder, saysTree, writtenSince } from "./index-time.ts";
import { refuseUnfitRules } from "./leftovers.ts";
import { stageAll } from "./stage.ts";
import { makeQuarantine } from "./take-over.ts";
import { markCaptured, readWorkerBranch, wasConfined, workerGitDir } from "./worker-git.ts";

interface Of {
  readonly path: string;
  readonly branch: string;
  readonly from: string;
  readonly message: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Larger than the index of any repository that git is known to handle. Bytes. */
const MAX_INDEX = 512 * 1024 * 1024;

/**
 * Commits the content of a worktree and returns the change since `from`.
 *
 * Nothing in the worktree is trusted: git runs with loopdash's own git folder and index, because a worker can write its `.git`
 * file, its index (with files marked "assume unchanged"), its config.worktree and its hooks. The commit at the worktree's HEAD
 * plus its files count. The ticket's branch is moved there. If the agent switched to another branch or detached HEAD, its commits
 * are included and HEAD returns to the ticket's branch; other branches stay as they are. A history that does not descend from
 * `from` is flattened onto it.
 *
 * Processes that read the worktree, the worker's index or its objects run guarded (guarded-git.ts): in the sandbox, if the run
 * has one, and with bounds of time, memory and size. Content beyond these bounds, or content that could block git, is an error in
 * words.
 */
export async function capture(store: Store, options: Of): Promise<Change> {
  try {
    return await captureFound(store, options);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Error(`the worktree could not be captured: ${error.message}`, { cause: error });
  }
}

async function captureFound(store: Store, options: Of): Promise<Change> {
  const ref = branchRef(options.branch);
  const from = objectId(options.from);
  const found = await ifThere(lstat(options.path));
  if (found?.isDirectory() !== true) throw new Error(`there is no worktree at ${options.path}: it was removed or replaced`);

  const admin = (await adminDirsOf(store.at.commonDir, options.path))[0]?.dir;
  const confined = await wasConfined(store, options.path);
  const record = confined ? workerGitDir(store, options.path) : admin;
  const start = await startingPoint(store, { record, ref, from, path: confined ? options.path : undefined });
  const workerIndex = record === undefined ? undefined : await regularFile(join(record, "index"));
  const own = store.privateDir(options.path);
  await preparePrivateDir(store, own, undefined);
  const leftover = confined && start.commit !== from ? await leftoverObjects(store, options.path) : undefined;
  const guard = guardedGit(store, {
    ...options,
    reach: {
      write: [own, ...(leftover === undefined ? [] : [leftover.quarantine])],
      read: [
        options.path,
        ...(workerIndex === undefined ? [] : [workerIndex]),
        ...(leftover === undefined ? [] : [leftover.objects]),
      ],
    },
  });
  try {
    return await captureGuarded(store, guard, { ...options, admin, confined, from, leftover, own, ref, start, workerIndex });
  } finally {
    await guard.close();
  }
}

/** A worktree that is there, and what is known of it before anything of it is read. */
interface Found extends Of {
  readonly admin: string | undefined;
  readonly confined: boolean;
  /** The worker's objects, if it has committed in a sandbox. */
  readonly leftover: LeftoverObjects | undefined;
  readonly own: string;
  readonly ref: string;
  readonly start: Start;
  readonly workerIndex: string | undefined;
}

async function captureGuarded(store: Store, guard: GuardedGit, options: Found): Promise<Change> {
  const { admin, from, leftover, own, ref, start, workerIndex } = options;
  await refuseUnfitRules(store, guard, options.path);
  if (leftover !== undefined) await importObjects(store, guard, { leftover, tip: start.commit, from });
  const touched = workerIndex !== undefined && (await isTouched(store, { own, commit: start.commit, workerIndex }));
  const diff: Store["content"] = (args, more) => mustGuarded(guard, store.contentCall(args, more));
  const [staged, parent, committed] = await Promise.all([
    prepareIndex(store, guard, own, start.commit).then(() =>
      stage(store, guard, { own, workTree: options.path, workerIndex }, touched),
    ),
    parentOf(store, from, start.commit),
    // The change of an agent that commits is known before its uncommitted files are.
    start.commit === from ? undefined : changeBetween(store, from, start.commit, diff),
  ]);
  const [change, tip] = await Promise.all([
    staged.any ? changeToIndex(from, own, diff) : undefined,
    commitStaged(store, own, { ...start, parent, tree: staged.tree }, staged.any, options.message),
  ]);
  guard.check();
  await bringAlong(store, { own, admin, ref, tip, stale: staged.any || start.away, branchTip: start.branchTip });
  if (options.confined) await markCaptured(store, options.path);
  const whole =
    change === undefined ? { ...(committed ?? (await changeBetween(store, from, tip, diff))), tip } : { tip, ...change };
  return { ...whole, paths: [...whole.paths, ...notListed(staged.embedded, whole.paths)] };
}

/** True if the worker's index may hold files that are in no commit. */
async function isTouched(
  store: Store,
  { own, commit, workerIndex }: { readonly own: string; readonly commit: string; readonly workerIndex: string },
): Promise<boolean> {
  if (!(await writtenSince(join(own, "index"), workerIndex))) return false;
  const tree = await partOf(store, commit, "tree");
  return tree === undefined || !(await saysTree(workerIndex, tree));
}

/** Moves the branch to the captured commit, and the worktree's record with it. */
async function bringAlong(
  store: Store,
  {
    tip,
    branchTip,
    ref,
    own,
    admin,
    stale,
  }: {
    readonly own: string;
    readonly admin: string | undefined;
    readonly ref: string;
    readonly tip: string;
    readonly branchTip: string | undefined;
    readonly stale: boolean;
  },
): Promise<void> {
  const moved = tip !== branchTip;
  if (moved) await moveRef(store, ref, { to: tip });
  await writeHead(own, tip);
  if (admin !== undefined && (moved || stale)) await bringWorktreeAlong(admin, own, ref);
}

/** The staged content. `tree` is set if it was staged into a quarantine and imported from there. */
interface Staged {
  readonly any: boolean;
  readonly embedded: readonly string[];
  readonly tree?: string;
}

async function stage(
  store: Store,
  guard: GuardedGit,
  options: { readonly own: string; readonly workTree: string; readonly workerIndex: string | undefined },
  touched: boolean,
): Promise<Staged> {
  const staged = store.sandbox === undefined ? undefined : await makeQuarantine(join(options.own, "staged"));
  const found = await stageAll(store, { ...options, guard, staged }, touched);
  if (staged === undefined || !found.any) return found;
  return { ...found, tree: await takeStaged(store, guard, { own: options.own, staged }) };
}

interface Start {
  /** The commit with which the worktree's files are compared. */
  readonly commit: string;
  readonly branchTip: string | undefined;
  /** True if the worktree is not on the ticket's branch. */
  readonly away: boolean;
}

async function startingPoint(
  store: Store,
  options: {
    readonly record: string | undefined;
    readonly ref: string;
    readonly from: string;
    /** The worktree, if its worker was confined: its branches are then not the repository's. */
    readonly path: string | undefined;
  },
): Promise<Start> {
  const { record, ref, path } = options;
  const head = record === undefined ? undefined : await readHead(record);
  const tipOf = (branch: string) => (path === undefined ? store.readBranch(branch) : readWorkerBranch(store, path, branch));
  const branchTip = await store.readBranch(ref);
  const headTip = head === undefined ? undefined : "commit" in head ? head.commit : await tipOf(head.branch);
  const commit = headTip ?? (path === undefined ? undefined : await tipOf(ref)) ?? branchTip ?? options.from;
  const away = head === undefined || !("branch" in head) || head.branch !== ref;
  return { commit, branchTip, away };
}

/** The path, if a regular file is there: for a pipe, git would wait for a writer. */
async function regularFile(path: string): Promise<string | undefined> {
  const found = await ifThere(lstat(path));
  if (found?.isFile() !== true) return undefined;
  if (found.size > MAX_INDEX) throw new Error(`its index is larger than ${MAX_INDEX} bytes`);
  return path;
}

/** Parent of a new commit: `commit`, or `from` if `commit` does not descend from it. */
async function parentOf(store: Store, from: string, commit: string): Promise<string> {
  return (await isAncestor(store, from, commit)) ? commit : from;
}

/**
 * Makes loopdash's index match `commit` and keeps its knowledge of unchanged files, so that they are not read again. HEAD of
 * loopdash's git folder names the index's commit; after a restart there is none, and every file is read once.
 */
async function prepareIndex(store: Store, guard: GuardedGit, own: string, commit: string): Promise<void> {
  const head = await readHead(own);
  if (head !== undefined && "commit" in head && head.commit === commit) return;
  await preparePrivateDir(store, own, commit);
  await mustGuarded(guard, store.contentCall(["read-tree", "-m", commit], { gitDir: own }));
}

async function commitStaged(
  store: Store,
  own: string,
  start: Start & { readonly parent: string; readonly tree: string | undefined },
  any: boolean,
  message: string,
): Promise<string> {
  if (!any && start.commit === start.parent) return start.commit;
  const staged = any ? (start.tree ?? (await store.content(["write-tree"], { gitDir: own })).trim()) : undefined;
  const tree = staged ?? (await partOf(store, start.commit, "tree"));
  if (tree === undefined) throw new Error(`the commit ${start.commit} is gone`);
  return writeCommit(store, { tree, parent: start.parent, message });
}

/**
 * Leaves the worktree on the ticket's branch with nothing to commit, so that a second capture finds the same. The names are
 * random, because the worker may have planted links in this folder.
 */
async function bringWorktreeAlong(admin: string, own: string, ref: string): Promise<void> {
  const head = join(admin, `HEAD.${randomUUID()}`);
  const index = join(admin, `index.${randomUUID()}`);
  await Promise.all([
    writeFile(head, `ref: ${ref}\n`, { flag: "wx" }),
    copyFile(join(own, "index"), index, constants.COPYFILE_EXCL),
  ]);
  await Promise.all([rename(head, join(admin, "HEAD")), rename(index, join(admin, "index"))]);
  await keepOlder(join(own, "index"), join(admin, "index"));
}

/** Embedded repositories without a commit cannot be in the commit; they are reported all the same. */
function notListed(embedded: readonly string[], paths: readonly ChangedPath[]): ChangedPath[] {
  const listed = new Set(paths.map((each) => each.path));
  return embedded.filter((path) => !listed.has(path)).map((path) => ({ path, how: "added", mode: "submodule" }));
}
