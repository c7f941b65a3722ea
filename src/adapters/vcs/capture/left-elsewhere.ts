import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import type { LeftElsewhere } from "../../../domain/run/kept-work.ts";
import type { Change } from "../../../ports/vcs.ts";
import { branchRef, isObjectId } from "../git/git-call.ts";
import { commitTime, moveRef, writeCommit } from "../git/git-queries.ts";
import type { GuardedGit } from "../git/guarded-git.ts";
import { changeBetween } from "../landing/change.ts";
import { isAncestor } from "../repository/history.ts";
import { refSnapshot } from "../repository/ref-snapshot.ts";
import { adminDirs, ifThere, preparePrivateDir, readHead, readShort, type Store } from "../repository/store.ts";
import { importObjects, type LeftoverObjects } from "./import-objects.ts";
import { bringToStart, classifyHistory } from "./join-history.ts";
import { commitStaged, prepareIndex, stage } from "./staged-commit.ts";
import { readBounded, TOLD_REFS } from "./worker-git.ts";

/** Places looked at, and the longest logs and lists of refs that are read. */
const MOST = 20;
const MAX_LIST = 8 * 1024 * 1024;
const MOST_REFS = 10_000;

/** Files of a git folder that name the work of an operation that was begun and not ended (gitrepository-layout(5), git-rebase(1)). */
const UNDER_WAY: Readonly<Record<string, string>> = {
  "rebase-merge/orig-head": "an open rebase",
  "rebase-apply/orig-head": "an open rebase",
  "rebase-merge/autostash": "the stash of an open rebase",
  MERGE_HEAD: "an open merge",
  MERGE_AUTOSTASH: "the stash of an open merge",
  CHERRY_PICK_HEAD: "an open cherry-pick",
};

/** A commit of an agent that is not the HEAD of its worktree, and where it has left it. */
interface Place {
  readonly where: string;
  readonly commit: string;
}

/** The git folder of a worktree. `isOwn`: it is the agent's alone, and no record in the repository. */
interface WorktreeRecord {
  readonly gitDir: string | undefined;
  readonly isOwn: boolean;
  /** The ticket's branch. */
  readonly ref: string;
  readonly path: string;
  readonly from: string;
}

/** What an agent's git folder tells before its objects are read. Nothing there is trusted. */
export interface ElsewhereSearch {
  /** Commits that are not the agent's: those of the repository's branches and tags. */
  readonly known: readonly string[];
  readonly places: readonly Place[];
  readonly nested: readonly NestedWorktree[];
}

/** Looks for commits of an agent beside its HEAD, and for other worktrees. */
export async function lookElsewhere(store: Store, { gitDir, isOwn, ref, path, from }: WorktreeRecord): Promise<ElsewhereSearch> {
  if (gitDir === undefined) return { known: [from], places: [], nested: [] };
  const log = (await readBounded(join(gitDir, "logs", "HEAD"), MAX_LIST)) ?? "";
  // Without a git folder of its own, it made what was committed at this HEAD; all else may be a person's.
  const made = new Set([...log.matchAll(/ ([0-9a-f]{40,64}) [^\t\n]*\tcommit/g)].map(([, id]) => id));
  const isMade = (id: string | undefined) => isOwn || made.has(id);
  const stashes = (await readBounded(join(isOwn ? gitDir : store.at.commonDir, "logs", "refs", "stash"), MAX_LIST)) ?? "";
  const own = stashes.split("\n").filter((line) => isOwn || line.includes(` on ${ref.slice("refs/heads/".length)}: `));
  const theirs = isOwn ? await packedRefsIn(join(gitDir, "..", TOLD_REFS)) : await refSnapshot(store);
  const known = new Set([from, ...[...theirs.values()].filter((id) => isOwn || !made.has(id))]);
  const refs = isOwn ? await branchesIn(gitDir) : theirs;
  const left = [...log.matchAll(/\tcheckout: moving from ([0-9a-f]{40,64}) to /g)].map(([, id]) => id).filter(isMade);
  const found = [
    ...(await underWay(gitDir)),
    ...left.map((commit) => ({ where: "a detached HEAD", commit })),
    ...own.map((line) => ({ where: "a stash", commit: line.split(" ")[1] })),
    ...[...refs].map(([name, commit]) => ({ where: `branch ${name.replace(/^refs\/heads\//, "")}`, commit })),
    ...(isOwn ? await listDetachedWorktrees(gitDir) : []),
  ];
  const places = found.flatMap(({ where, commit = "" }) => (isObjectId(commit) && !known.has(commit) ? [{ where, commit }] : []));
  return { known: [...known], places, nested: await nestedWorktrees(store, isOwn ? gitDir : store.at.commonDir, path) };
}

/** A file or a log that may name a commit. */
type MaybePlace = { readonly where: string; readonly commit: string | undefined };

function underWay(gitDir: string): readonly MaybePlace[] {
  return Object.entries(UNDER_WAY).map(([file, where]) => ({ where, commit: readShort(join(gitDir, file)) }));
}

/** Other worktrees without a branch. */
function listDetachedWorktrees(gitDir: string): readonly MaybePlace[] {
  return adminDirs(gitDir).map(({ dir, worktree }) => {
    const head = readHead(dir);
    return { where: `worktree ${worktree}`, commit: head !== undefined && "commit" in head ? head.commit : undefined };
  });
}

/** Another worktree that an agent has added within its own. */
interface NestedWorktree {
  /** Relative to the worktree. */
  readonly path: string;
  readonly folder: string;
  /** Its commit. */
  readonly head: string;
}

/** The worktrees within the one at `path` that a git folder has on record. */
async function nestedWorktrees(store: Store, gitDir: string, path: string): Promise<readonly NestedWorktree[]> {
  const found: NestedWorktree[] = [];
  for (const { dir, worktree } of adminDirs(gitDir)) {
    const inside = [path, store.place].flatMap((top) =>
      worktree.startsWith(`${top}/`) ? [worktree.slice(top.length + 1)] : [],
    )[0];
    const folder = join(path, inside ?? "");
    if (inside === undefined || (await ifThere(lstat(join(folder, ".git"))))?.isFile() !== true) continue;
    const at = readHead(dir);
    const head = at === undefined || "commit" in at ? at?.commit : ((await branchesIn(gitDir)).get(at.branch) ?? "");
    if (head !== undefined && isObjectId(head)) found.push({ path: inside, folder, head });
  }
  return found;
}

/** The branches of an agent's git folder, of which it may have made any number. */
async function branchesIn(gitDir: string): Promise<Map<string, string>> {
  const refs = await packedRefsIn(join(gitDir, "packed-refs"));
  const folders = ["refs/heads"];
  for (let folder = folders.pop(), seen = 0; folder !== undefined; folder = folders.pop())
    for await (const entry of (await ifThere(opendir(join(gitDir, folder)))) ?? []) {
      const name = `${folder}/${entry.name}`;
      if (++seen > MOST_REFS) return refs;
      if (entry.isDirectory()) folders.push(name);
      else refs.set(name, readShort(join(gitDir, name)) ?? "");
    }
  return refs;
}

async function packedRefsIn(file: string): Promise<Map<string, string>> {
  const lines = ((await readBounded(file, MAX_LIST)) ?? "").split("\n").map((line) => line.split(" "));
  return new Map(lines.flatMap(([id = "", name = ""]) => (name.startsWith("refs/") ? [[name, id] as const] : [])));
}

/** An agent's work before what it left elsewhere is taken. */
interface Left extends ElsewhereSearch {
  readonly from: string;
  /** The commit of the worktree. */
  readonly head: string;
  readonly own: string;
  /** The objects of an agent that has a git folder of its own. */
  readonly leftover: LeftoverObjects | undefined;
  readonly keepAs?: string;
  readonly message: string;
}

/** Adds what the agent left elsewhere to the change of its worktree. If that is empty and there is one such work, it is the change. */
export async function withElsewhere(store: Store, guard: GuardedGit, options: Left, taken: Change): Promise<Change> {
  const { keepAs } = options;
  const nested = await Promise.all(options.nested.map((each, i) => captureNested(store, guard, each, { ...options, i })));
  const places = [...nested.flat(), ...options.places];
  if (keepAs === undefined || places.length === 0) return taken;
  const found = await takeElsewhere(store, guard, { ...options, places, keepAs, taken });
  const only = taken.paths.length === 0 && found.length === 1 ? found[0]?.onStart : undefined;
  const elsewhere = found.map(({ onStart: _, ...left }) => (only === undefined ? left : { ...left, isTaken: true as const }));
  return { ...(only ?? taken), ...(elsewhere.length > 0 && { elsewhere }) };
}

/** The files of another worktree that lies in this one, as a commit; none if that cannot be read or has no uncommitted files. */
async function captureNested(
  store: Store,
  guard: GuardedGit,
  { path, folder, head: commit }: NestedWorktree,
  { from, leftover, message, own: above, i }: Left & { readonly i: number },
): Promise<readonly Place[]> {
  const own = join(above, `nested-${i}`);
  try {
    if (leftover !== undefined && commit !== from) await importObjects(store, guard, { leftover, tip: commit, from });
    await preparePrivateDir(store, own, undefined);
    await prepareIndex(store, guard, own, commit);
    const staged = await stage(store, guard, { own, workTree: folder, apart: [], committed: Promise.resolve([]), from }, false);
    const start = { commit, parent: commit, tree: staged.tree };
    return [{ where: `worktree ${path}`, commit: await commitStaged(store, own, start, staged.any, message) }];
  } catch {
    guard.check();
    return [];
  }
}

/** The work that an agent left elsewhere, with its change on the ticket's start; without `onStart`, it conflicts with that. */
interface Found extends LeftElsewhere {
  readonly onStart: Change | undefined;
}

/**
 * Takes the work at these places that is not in `tip`, and keeps it: each on a branch, whose name begins with `keepAs`. What cannot be
 * read is left out.
 */
async function takeElsewhere(
  store: Store,
  guard: GuardedGit,
  options: Left & { readonly taken: Change; readonly keepAs: string },
): Promise<readonly Found[]> {
  const { from, keepAs, taken } = options;
  const found: { readonly where: string; readonly commit: string; readonly onStart: Change | undefined }[] = [];
  const contents = new Set([taken.content]);
  for (const { where, commit } of options.places.slice(0, MOST)) {
    const work = await readWork(store, guard, { ...options, commit });
    if (work === undefined || (work.onStart?.paths.length ?? 1) === 0) continue;
    if (work.onStart !== undefined && contents.has(work.onStart.content)) continue;
    contents.add(work.onStart?.content ?? commit);
    found.push({ where, ...work });
  }
  const left: Found[] = [];
  for (const [i, { where, commit, onStart }] of found.entries()) {
    const others = found.filter((_, at) => at !== i).map((other) => isAncestor(store, commit, other.commit));
    if ((await Promise.all(others)).includes(true)) continue;
    const branch = `${keepAs}.left-${left.length + 1}`;
    await moveRef(store, branchRef(branch), { to: commit });
    const { paths } = onStart ?? (await changeBetween(store, from, commit));
    left.push({ where, branch, sha: commit, files: paths.length, onStart });
  }
  return left;
}

/** A commit with the work of a place, which is in no other one's history; undefined if there is none. */
async function readWork(
  store: Store,
  guard: GuardedGit,
  options: Pick<Left, "from" | "head" | "known" | "leftover" | "message"> & { readonly commit: string },
): Promise<{ readonly commit: string; readonly onStart: Change | undefined } | undefined> {
  const { from, head, known, leftover, message } = options;
  try {
    if (leftover !== undefined) await importObjects(store, guard, { leftover, tip: options.commit, from });
    if (!(await isNew(store, options.commit, [...known, head]))) return undefined;
    const commit = (await withUntracked(store, options.commit, message)) ?? options.commit;
    const isApart = (await classifyHistory(store, from, commit)) !== "descends";
    const joined = isApart ? await bringToStart(store, { from, known, tip: commit, message }).catch(() => undefined) : commit;
    return { commit, onStart: joined === undefined ? undefined : await changeBetween(store, from, joined) };
  } catch {
    guard.check();
    return undefined;
  }
}

/** True if a commit is in the history of none of these. */
async function isNew(store: Store, commit: string, known: readonly string[]): Promise<boolean> {
  const input = [commit, ...known.map((id) => `^${id}`), ""].join("\n");
  return (await store.content(["rev-list", "--max-count=1", "--ignore-missing", "--stdin"], { input })) !== "";
}

/** A stash as one commit: its files, and those that were untracked, which are its third parent (git-stash(1)). Undefined for other commits. */
async function withUntracked(store: Store, stash: string, message: string): Promise<string | undefined> {
  const commitParents = async (commit: string) =>
    (await store.content(["rev-list", "--parents", "-1", commit])).trim().split(" ").slice(1);
  const [base = "", , untracked] = await commitParents(stash);
  if (untracked === undefined || (await commitParents(untracked)).length > 0) return undefined;
  const gitDir = store.privateDir(`stash ${stash}`);
  await preparePrivateDir(store, gitDir, stash);
  const empty = (await store.content(["hash-object", "-t", "tree", "/dev/null"])).trim();
  await store.content(["read-tree", "-i", "-m", "--aggressive", empty, stash, untracked], { gitDir });
  const tree = (await store.content(["write-tree"], { gitDir })).trim();
  const { people } = store;
  // The same commit in each capture.
  return writeCommit(store, { tree, parent: base, message, as: { ...people, at: await commitTime(store, stash) } });
}
