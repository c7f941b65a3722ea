import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, lstat, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Change, ChangedPath } from "../../../ports/vcs.ts";
import { branchRef, objectId } from "../git/git-call.ts";
import { moveRef, readCommitPart } from "../git/git-queries.ts";
import { type GuardedGit, guardedGit, mustGuarded } from "../git/guarded-git.ts";
import { changeBetween, changeToIndex } from "../landing/change.ts";
import { writeHead } from "../repository/git-dir.ts";
import { exists } from "../repository/locate.ts";
import { ifThere, preparePrivateDir, readHead, type Store, worktreeRecords } from "../repository/store.ts";
import { agentFiles, copyAgentFiles } from "./agent-index.ts";
import { importObjects, type LeftoverObjects, leftoverObjects } from "./import-objects.ts";
import { isAlike, keepOlder, saysTree } from "./index-time.ts";
import { bringToStart, classifyHistory } from "./join-history.ts";
import { type ElsewhereSearch, lookElsewhere, withElsewhere } from "./left-elsewhere.ts";
import { refuseUnfitRules } from "./leftovers.ts";
import { commitStaged, prepareIndex, stage } from "./staged-commit.ts";
import { markCaptured, readWorkerBranch, wasConfined, workerGitDir } from "./worker-git.ts";

interface Of {
  readonly path: string;
  readonly branch: string;
  readonly from: string;
  readonly message: string;
  readonly keepAs?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/**
 * Commits the content of a worktree and returns the change since `from`.
 *
 * Nothing in the worktree is trusted: git runs with loopdash's own git folder and index, because a worker can write its `.git`
 * file, its index (with files marked "assume unchanged"), its config.worktree and its hooks. The commit at the worktree's HEAD
 * plus its files count. The ticket's branch is moved there. If the agent switched to another branch or detached HEAD, its commits
 * are included and HEAD returns to the ticket's branch; other branches stay as they are. A history that does not descend from
 * `from` is brought to it by a merge, or flattened onto it if it has no common past or rewrites `from` (see `classifyHistory`). Work that the
 * agent left elsewhere (see left-elsewhere.ts) is kept; if it is the only one, it is the change.
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

  const admin = (await worktreeRecords(store.at.commonDir, options.path))[0]?.dir;
  const confined = await wasConfined(store, options.path);
  const record = confined ? workerGitDir(store, options.path) : admin;
  const start = await startingPoint(store, { record, ref, from, path: confined ? options.path : undefined });
  const own = store.privateDir(options.path);
  await preparePrivateDir(store, own, undefined);
  const isWritten = record !== undefined && !(await isAlike(join(own, "index"), join(record, "index")));
  if (isWritten) await copyAgentFiles(record, own);
  const left = await lookElsewhere(store, { path: options.path, gitDir: record, isOwn: confined, ref, from });
  const places = left.places.filter(({ commit }) => commit !== start.commit);
  const hasCommits = start.commit !== from || places.length + left.nested.length > 0;
  const leftover = confined && hasCommits ? await leftoverObjects(store, options.path) : undefined;
  const guard = guardedGit(store, {
    ...options,
    reach: {
      write: [own, ...(leftover === undefined ? [] : [leftover.quarantine])],
      read: [options.path, ...(leftover === undefined ? [] : [leftover.objects])],
    },
  });
  try {
    return await captureGuarded(store, guard, {
      ...options,
      ...left,
      admin,
      confined,
      from,
      leftover,
      own,
      places,
      ref,
      start,
      isWritten,
    });
  } finally {
    await guard.close();
  }
}

/** A worktree that is there, and what is known of it before anything of it is read. */
interface Found extends Of, ElsewhereSearch {
  readonly admin: string | undefined;
  readonly confined: boolean;
  /** The worker's objects, if it has committed in a sandbox. */
  readonly leftover: LeftoverObjects | undefined;
  readonly own: string;
  readonly ref: string;
  readonly start: Start;
  /** True if the worker's index is no longer the one that loopdash has left there. */
  readonly isWritten: boolean;
}

async function captureGuarded(store: Store, guard: GuardedGit, options: Found): Promise<Change> {
  const { admin, from, isWritten, leftover, message, own, ref, start } = options;
  await refuseUnfitRules(store, guard, options.path);
  if (leftover !== undefined && start.commit !== from) await importObjects(store, guard, { leftover, tip: start.commit, from });
  const touched = isWritten && (await isTouched(store, own, start.commit));
  const diff: Store["content"] = (args, more) => mustGuarded(guard, store.contentCall(args, more));
  // The change of an agent that commits is known before its uncommitted files are.
  const asCommitted = start.commit === from ? undefined : changeBetween(store, from, start.commit, diff);
  const committedPaths = Promise.resolve(asCommitted).then((change) => change?.paths ?? []);
  const [staged, history, committed] = await Promise.all([
    prepareIndex(store, guard, own, start.commit).then(() =>
      stage(store, guard, { own, workTree: options.path, apart: options.nested, committed: committedPaths, from }, touched),
    ),
    classifyHistory(store, from, start.commit),
    asCommitted,
  ]);
  const isElsewhere = history === "elsewhere";
  const parent = history === "replaces" ? from : start.commit;
  const [change, made] = await Promise.all([
    staged.any && !isElsewhere ? changeToIndex(from, own, diff) : undefined,
    commitStaged(store, own, { ...start, parent, tree: staged.tree }, staged.any, message),
  ]);
  const joined = isElsewhere ? await bringToStart(store, { ...options, tip: made }) : made;
  const whole = change ?? (isElsewhere ? undefined : committed) ?? (await changeBetween(store, from, joined, diff));
  const inPlace = { ...whole, tip: joined, paths: [...whole.paths, ...notListed(staged.embedded, whole.paths)] };
  const taken = await withElsewhere(store, guard, { ...options, head: start.commit }, inPlace);
  guard.check();
  if (taken.tip === made) {
    await bringAlong(store, { own, admin, ref, tip: made, stale: staged.any || start.away, branchTip: start.branchTip });
    if (options.confined) await markCaptured(store, options.path);
    return taken;
  }
  // The worktree does not hold it: a second capture begins where this one did.
  if (admin !== undefined) await replaceFile(join(admin, "HEAD"), (to) => writeFile(to, `${start.commit}\n`, { flag: "wx" }));
  await moveRef(store, ref, { to: taken.tip });
  return taken;
}

/** True if the worker's index, which has been copied, may hold files that are in no commit. */
async function isTouched(store: Store, own: string, commit: string): Promise<boolean> {
  const index = join(agentFiles(own), "index");
  const tree = await readCommitPart(store, commit, "tree");
  return (await exists(index)) && (tree === undefined || !(await saysTree(index, tree)));
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
  const head = record === undefined ? undefined : readHead(record);
  const readTip = (branch: string) => (path === undefined ? store.readBranch(branch) : readWorkerBranch(store, path, branch));
  const branchTip = await store.readBranch(ref);
  const headTip = head === undefined ? undefined : "commit" in head ? head.commit : await readTip(head.branch);
  const commit = headTip ?? (path === undefined ? undefined : await readTip(ref)) ?? branchTip ?? options.from;
  const away = head === undefined || !("branch" in head) || head.branch !== ref;
  return { commit, branchTip, away };
}

/** Leaves the worktree on the ticket's branch with nothing to commit, so that a second capture finds the same. */
async function bringWorktreeAlong(admin: string, own: string, ref: string): Promise<void> {
  await replaceFile(join(admin, "HEAD"), (to) => writeFile(to, `ref: ${ref}\n`, { flag: "wx" }));
  await replaceFile(join(admin, "index"), (to) => copyFile(join(own, "index"), to, constants.COPYFILE_EXCL));
  await keepOlder(join(own, "index"), join(admin, "index"));
}

/** Replaces a file of a worktree's record by way of one with a random name, because the worker may have planted links in this folder. */
async function replaceFile(file: string, make: (to: string) => Promise<void>): Promise<void> {
  const made = `${file}.${randomUUID()}`;
  await make(made);
  await rename(made, file);
}

/** Embedded repositories without a commit cannot be in the commit; they are reported all the same. */
function notListed(embedded: readonly string[], paths: readonly ChangedPath[]): ChangedPath[] {
  const listed = new Set(paths.map((each) => each.path));
  return embedded.filter((path) => !listed.has(path)).map((path) => ({ path, how: "added", mode: "submodule" }));
}
