import { type GitCall, GitFailure, type GitResult } from "../git/git-call.ts";
import { type GuardedGit, mustGuarded } from "../git/guarded-git.ts";
import { displayName } from "../git/ref-names.ts";
import type { More, Store } from "../repository/store.ts";
import { refuseTooLarge } from "./leftovers.ts";

interface Of {
  readonly guard: GuardedGit;
  /** loopdash's git folder for this worktree; its index receives the staged files. */
  readonly own: string;
  readonly workTree: string;
  /** The worktree's own index, which the agent's `git add` wrote. */
  readonly workerIndex: string | undefined;
  /** The folder for objects that are not yet the repository's; undefined: the repository. */
  readonly staged: string | undefined;
}

interface Found {
  readonly gone: readonly string[];
  readonly there: readonly string[];
  /** Untracked repositories within the worktree. */
  readonly embedded: readonly string[];
  /** True if anything differs from the commit. */
  readonly any: boolean;
}

/**
 * Stages every difference between the worktree and loopdash's index.
 *
 * Not with `git add`: if the tree has a gitlink, `add` and a plain `status` start another git inside that folder, which obeys the
 * configuration that an agent left there and runs its filters. `--ignore-submodules=dirty` and update-index compare only the
 * gitlink's commit.
 */
export async function stageAll(
  store: Store,
  options: Of,
  touched: boolean,
): Promise<{ any: boolean; embedded: readonly string[] }> {
  const [found, forced] = await Promise.all([lookAround(store, options), touched ? forcedByWorker(store, options) : []]);
  const add = [...found.there, ...forced];
  await refuseTooLarge(options.guard, options.workTree, add);
  // Deletions first, so that a folder can replace a file. By --force-remove, because a path below a new symbolic link is refused
  // otherwise.
  if (found.gone.length > 0) await updateIndex(store, options, ["--force-remove"], found.gone);
  if (add.length > 0) await updateIndex(store, options, ["--add", "--remove", "--replace"], add);
  // One after another: each takes the index's lock, and a process that does not get it would look like a repository without a
  // commit.
  let linked = false;
  for (const path of found.embedded) linked = (await linkEmbedded(store, options, path)) || linked;
  return { any: found.any || forced.length > 0 || linked, embedded: found.embedded };
}

async function lookAround(store: Store, options: Of): Promise<Found> {
  const flags = ["--porcelain=v2", "-z", "--untracked-files=all", "--ignore-submodules=dirty", "--no-renames"];
  const listed = await mustGuarded(options.guard, onWorktree(store, options, ["status", ...flags]));
  refuseUnreadableNames(listed);
  const gone: string[] = [];
  const there: string[] = [];
  const embedded: string[] = [];
  let any = false;
  for (const entry of listed.split("\0")) {
    if (entry.startsWith("? ")) {
      const path = entry.slice(2);
      if (path.endsWith("/")) embedded.push(path.slice(0, -1));
      else there.push(path);
    } else if (entry.startsWith("1 ")) {
      // "1 XY sub mH mI mW hH hI path" (git-status(1)): Y tells how the file differs from the index.
      any = true;
      const path = entry.split(" ").slice(8).join(" ");
      if (entry[3] === "D") gone.push(path);
      else if (entry[3] !== ".") there.push(path);
    }
  }
  return { gone, there, embedded, any: any || there.length > 0 };
}

/** Decoding turns names that are not UTF-8 into U+FFFD; staging them would silently stage nothing. */
function refuseUnreadableNames(listed: string): void {
  const odd = listed.split("\0").filter((entry) => entry.includes("\ufffd"));
  if (odd.length === 0) return;
  const names = odd.slice(0, 3).map((entry) => displayName(entry.split(" ").at(-1) ?? entry));
  throw new Error(`the worktree holds file names that are not UTF-8 and cannot be taken: ${names.join(", ")}`);
}

/** Ignored files that the agent added by force: they are tracked in its index, so they are part of the uncommitted work. */
async function forcedByWorker(store: Store, options: Of): Promise<string[]> {
  if (options.workerIndex === undefined) return [];
  // A folder of a sparse index stays one entry: expanded, it may stand for more files than memory holds.
  const args = ["ls-files", "--sparse", "-z", "--cached", "--ignored", "--exclude-standard"];
  const listed = await mustGuarded(options.guard, onWorktree(store, options, args, { index: options.workerIndex }));
  return listed.split("\0").filter((path) => path !== "");
}

/** Adds an embedded repository as a gitlink, which makes it visible in the commit; false if it has no commit. */
async function linkEmbedded(store: Store, options: Of, path: string): Promise<boolean> {
  const result = await tryUpdateIndex(store, options, ["--add", "--replace"], [path]);
  return result.status === 0;
}

async function updateIndex(store: Store, options: Of, flags: readonly string[], paths: readonly string[]): Promise<void> {
  const result = await tryUpdateIndex(store, options, flags, paths);
  if (result.status !== 0) throw new GitFailure(["update-index"], result);
}

function tryUpdateIndex(store: Store, options: Of, flags: readonly string[], paths: readonly string[]): Promise<GitResult> {
  const input = paths.map((path) => `${path}\0`).join("");
  return options.guard.run(onWorktree(store, options, ["update-index", ...flags, "-z", "--stdin"], { input }));
}

/** A git call with loopdash's index on the worktree. */
function onWorktree(store: Store, options: Of, args: readonly string[], more: More = {}): GitCall {
  const apart = options.staged === undefined ? {} : { objects: options.staged, borrowed: [store.at.objects] };
  return store.contentCall(args, { gitDir: options.own, workTree: options.workTree, ...apart, ...more });
}
