import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, lstat, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Change, ChangedPath } from "../../ports/vcs.ts";
import { adminDirsOf, ifThere, readHead } from "./admin-dirs.ts";
import { changeBetween, changeToIndex } from "./change.ts";
import { writeHead } from "./git-dir.ts";
import { harvest, readConfinedBranch, wasConfined } from "./harvest.ts";
import { isAncestor } from "./history.ts";
import { keepOlder, writtenSince } from "./index-time.ts";
import { moveRef, partOf, writeCommit } from "./questions.ts";
import { branchRef, objectId } from "./ref-names.ts";
import { stageAll } from "./stage.ts";
import { preparePrivateDir, type Store } from "./store.ts";

interface Of {
  readonly path: string;
  readonly branch: string;
  readonly from: string;
  readonly message: string;
}

/**
 * Commits what a worktree holds and tells what changed since `from`.
 *
 * Nothing in the worktree is asked how: git runs with our own git folder and our own index, since a worker can write its
 * `.git` file, its index (with files marked "assume unchanged"), its config.worktree and its hooks. What counts is the
 * commit the worktree's HEAD is at plus the files as they lie there. The ticket's branch is moved to that; if the agent
 * switched to another branch or detached HEAD, its commits come along and HEAD returns to the ticket's branch, while other
 * branches stay as they are. A history that does not descend from `from` is flattened onto it.
 */
export async function capture(store: Store, of: Of): Promise<Change> {
  const ref = branchRef(of.branch);
  const from = objectId(of.from);
  const found = await ifThere(lstat(of.path));
  if (found?.isDirectory() !== true) throw new Error(`there is no worktree at ${of.path}: it was removed or replaced`);

  const admin = (await adminDirsOf(store.at.commonDir, of.path))[0]?.dir;
  const confined = await wasConfined(store, of.path);
  const start = await startingPoint(store, { admin, ref, from, path: confined ? of.path : undefined });
  if (confined && start.commit !== from) await harvest(store, { path: of.path, tip: start.commit, from });
  const own = store.privateDir(of.path);
  const workerIndex = admin === undefined ? undefined : await regularFile(join(admin, "index"));
  const touched = workerIndex !== undefined && (await writtenSince(join(own, "index"), workerIndex));
  const [staged, parent, committed] = await Promise.all([
    prepareIndex(store, own, start.commit).then(() => stageAll(store, { own, workTree: of.path, workerIndex }, touched)),
    parentOf(store, from, start.commit),
    // What an agent that commits has changed is known before it is known whether it left anything uncommitted.
    start.commit === from ? undefined : changeBetween(store, from, start.commit),
  ]);
  const [change, tip] = await Promise.all([
    staged.any ? changeToIndex(store, from, own) : undefined,
    commitStaged(store, own, { ...start, parent }, staged.any, of.message),
  ]);
  const moved = tip !== start.branchTip;
  if (moved) await moveRef(store, ref, { to: tip });
  await writeHead(own, tip);
  if (admin !== undefined && (moved || staged.any || start.away)) await bringWorktreeAlong(admin, own, ref);
  const whole = change === undefined ? { ...(committed ?? (await changeBetween(store, from, tip))), tip } : { tip, ...change };
  return { ...whole, paths: [...whole.paths, ...notListed(staged.embedded, whole.paths)] };
}

interface Start {
  /** What the worktree's files are compared with. */
  readonly commit: string;
  readonly branchTip: string | undefined;
  /** Whether the worktree is not on the ticket's branch. */
  readonly away: boolean;
}

async function startingPoint(
  store: Store,
  of: {
    readonly admin: string | undefined;
    readonly ref: string;
    readonly from: string;
    /** The worktree, where its worker was confined: its branches are not the repository's then. */
    readonly path: string | undefined;
  },
): Promise<Start> {
  const { admin, ref, path } = of;
  const head = admin === undefined ? undefined : await readHead(admin);
  const tipOf = (branch: string) =>
    path === undefined ? store.readBranch(branch) : readConfinedBranch(store, { path, branchRef: ref }, branch);
  const branchTip = await store.readBranch(ref);
  const headTip = head === undefined ? undefined : "commit" in head ? head.commit : await tipOf(head.branch);
  const commit = headTip ?? (path === undefined ? undefined : await tipOf(ref)) ?? branchTip ?? of.from;
  const away = head === undefined || !("branch" in head) || head.branch !== ref;
  return { commit, branchTip, away };
}

/** The path, where a regular file lies there: git would wait for whoever writes a pipe. */
async function regularFile(path: string): Promise<string | undefined> {
  return (await ifThere(lstat(path)))?.isFile() === true ? path : undefined;
}

/** Parent of a new commit: `commit`, or `from` where that does not descend from it. */
async function parentOf(store: Store, from: string, commit: string): Promise<string> {
  return (await isAncestor(store, from, commit)) ? commit : from;
}

/**
 * Makes our index match `commit`, keeping what it knows of unchanged files, so that they are not read again. HEAD of our
 * git folder says what the index was made from; after a restart there is none, and every file is read once.
 */
async function prepareIndex(store: Store, own: string, commit: string): Promise<void> {
  const head = await readHead(own);
  if (head !== undefined && "commit" in head && head.commit === commit) return;
  await preparePrivateDir(store, own, commit);
  await store.content(["read-tree", "-m", commit], { gitDir: own });
}

async function commitStaged(
  store: Store,
  own: string,
  start: Start & { readonly parent: string },
  any: boolean,
  message: string,
): Promise<string> {
  if (!any && start.commit === start.parent) return start.commit;
  const tree = any ? (await store.content(["write-tree"], { gitDir: own })).trim() : await partOf(store, start.commit, "tree");
  if (tree === undefined) throw new Error(`the commit ${start.commit} is gone`);
  return writeCommit(store, { tree, parent: start.parent, message });
}

/**
 * Leaves the worktree on the ticket's branch with nothing to commit, so that capturing again finds what it made. New names
 * that nobody can foresee, since the worker may have planted links in this folder.
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

/** Embedded repositories without a commit cannot be in the commit; they are told all the same. */
function notListed(embedded: readonly string[], paths: readonly ChangedPath[]): ChangedPath[] {
  const listed = new Set(paths.map((each) => each.path));
  return embedded.filter((path) => !listed.has(path)).map((path) => ({ path, how: "added", mode: "submodule" }));
}
