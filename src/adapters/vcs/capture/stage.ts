import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { type GitCall, GitFailure, type GitResult, type Setting } from "../git/git-call.ts";
import { mustGuarded } from "../git/guarded-git.ts";
import { displayName } from "../git/ref-names.ts";
import { ifThere } from "../repository/admin-dirs.ts";
import type { More, Store } from "../repository/store.ts";
import { agentFiles, readAgentIndex } from "./agent-index.ts";
import { refuseTooLarge } from "./leftovers.ts";
import { largeFilesAmong, type Staging, stageLargeFiles } from "./stage-large-files.ts";

interface Found {
  readonly gone: readonly string[];
  /** Tracked files that differ, by path, with the id that the commit has for them. */
  readonly changed: ReadonlyMap<string, string>;
  readonly untracked: readonly string[];
  /** Untracked repositories within the worktree. */
  readonly embedded: readonly string[];
  /** True if the index differs from the commit: an earlier capture was cut off. */
  readonly isStaged: boolean;
}

const ADD = ["--add", "--remove", "--replace"];

/**
 * Stages every difference between the worktree and loopdash's index, except those that only the agent's view of it makes.
 *
 * Not with `git add`: if the tree has a gitlink, `add` and a plain `status` start another git inside that folder, which obeys the
 * configuration that an agent left there and runs its filters. `--ignore-submodules=dirty` and update-index compare only the
 * gitlink's commit.
 */
export async function stageAll(
  store: Store,
  options: Staging,
  touched: boolean,
): Promise<{ any: boolean; embedded: readonly string[] }> {
  const [seen, forced] = await Promise.all([lookAround(store, options), touched ? forcedByWorker(store, options) : []]);
  const found = await withoutView(store, options, seen);
  const all = [...found.changed.keys(), ...found.untracked, ...forced];
  await refuseTooLarge(options.guard, options.workTree, all);
  const at = (args: readonly string[], more?: More): GitCall => onWorktree(store, options, args, more);
  const large = await largeFilesAmong(store, options, at, all);
  const add = all.filter((path) => !large.has(path));
  // Deletions first, so that a folder can replace a file. By --force-remove, because a path below a new symbolic link is refused
  // otherwise.
  if (found.gone.length > 0) await updateIndex(store, options, ["--force-remove"], found.gone);
  if (add.length > 0) await updateIndex(store, options, ADD, add);
  const { changed, plain } = await stageLargeFiles(store, options, at, large);
  if (plain.length > 0) await updateIndex(store, options, ADD, plain);
  // One after another: each takes the index's lock, and a process that does not get it would look like a repository without a
  // commit.
  let linked = false;
  for (const path of found.embedded) linked = (await linkEmbedded(store, options, path)) || linked;
  const any = found.isStaged || changed || found.gone.length + add.length + plain.length > 0 || linked;
  return { any, embedded: found.embedded };
}

/** Conversions of the agent's own that show in no commit: of line ends, and of modes. */
const CONVERTED: readonly Setting[] = [
  ["core.autocrlf", "input"],
  ["core.safecrlf", "false"],
  ["core.fileMode", "false"],
];

/**
 * Leaves out what an agent's settings (a sparse checkout, filters, line ends, links) have made of the commit's own files. A file that its
 * git has just written from the commit is no change, unless the agent's commits change it: then the file on disk counts, but not for its
 * line ends and its mode.
 */
async function withoutView(store: Store, options: Staging, found: Found): Promise<Found> {
  if (found.gone.length + found.changed.size === 0) return found;
  const index = await readAgentIndex(options.own, (args, more, script) =>
    options.guard.run(onWorktree(store, options, args, more), script),
  );
  const gone = found.gone.filter((path) => !index.isHidden(path));
  const committed = new Set((await options.committed).map(({ path }) => path));
  const changed = new Map(found.changed);
  const unsure: string[] = [];
  for (const [path, id] of found.changed) {
    const there = await ifThere(lstat(join(options.workTree, path), { bigint: true }));
    const is = there === undefined ? "other" : index.compare(path, id, there);
    if (is === "as-written" && !committed.has(path)) changed.delete(path);
    else if (is !== "other") unsure.push(path);
  }
  const converted = unsure.length > 0 ? (await lookAround(store, options, CONVERTED)).changed : undefined;
  for (const path of unsure) if (converted?.has(path) === false) changed.delete(path);
  return { ...found, gone, changed };
}

async function lookAround(store: Store, options: Staging, config: readonly Setting[] = []): Promise<Found> {
  const flags = ["--porcelain=v2", "-z", "--untracked-files=all", "--ignore-submodules=dirty", "--no-renames"];
  const call = onWorktree(store, options, ["status", ...flags]);
  const listed = await mustGuarded(options.guard, { ...call, config: [...(call.config ?? []), ...config] });
  refuseUnreadableNames(listed);
  const entries = listed.split("\0");
  const gone: string[] = [];
  const changed = new Map<string, string>();
  // "1 XY sub mH mI mW hH hI path" (git-status(1)): Y tells how the file differs from the index.
  const tracked = entries.filter((entry) => entry.startsWith("1 "));
  for (const entry of tracked) {
    const [id = "", ...path] = entry.split(" ").slice(7);
    if (entry[3] === "D") gone.push(path.join(" "));
    else if (entry[3] !== ".") changed.set(path.join(" "), id);
  }
  const isApart = (path: string) => options.apart.some((other) => path.startsWith(`${other.path}/`));
  const others = entries.flatMap((entry) => (entry.startsWith("? ") && !isApart(entry.slice(2)) ? [entry.slice(2)] : []));
  return {
    gone,
    changed,
    untracked: others.filter((path) => !path.endsWith("/")),
    embedded: others.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1)),
    isStaged: tracked.some((entry) => entry[2] !== "."),
  };
}

/** Decoding turns names that are not UTF-8 into U+FFFD; staging them would silently stage nothing. */
function refuseUnreadableNames(listed: string): void {
  const odd = listed.split("\0").filter((entry) => entry.includes("\ufffd"));
  if (odd.length === 0) return;
  const names = odd.slice(0, 3).map((entry) => displayName(entry.split(" ").at(-1) ?? entry));
  throw new Error(`the worktree holds file names that are not UTF-8 and cannot be taken: ${names.join(", ")}`);
}

/** Ignored files that the agent added by force: they are tracked in its index, so they are part of the uncommitted work. */
async function forcedByWorker(store: Store, options: Staging): Promise<string[]> {
  const args = ["ls-files", "--sparse", "-z", "--cached", "--ignored", "--exclude-standard"];
  const index = join(agentFiles(options.own), "index");
  const listed = await options.guard.run(onWorktree(store, options, args, { index }));
  // A broken index forces nothing.
  return listed.status === 0 ? listed.stdout.split("\0").filter((path) => path !== "") : [];
}

/** Adds an embedded repository as a gitlink, which makes it visible in the commit; false if it has no commit. */
async function linkEmbedded(store: Store, options: Staging, path: string): Promise<boolean> {
  const result = await tryUpdateIndex(store, options, ["--add", "--replace"], [path]);
  return result.status === 0;
}

async function updateIndex(store: Store, options: Staging, flags: readonly string[], paths: readonly string[]): Promise<void> {
  const result = await tryUpdateIndex(store, options, flags, paths);
  if (result.status !== 0) throw new GitFailure(["update-index"], result);
}

function tryUpdateIndex(store: Store, options: Staging, flags: readonly string[], paths: readonly string[]): Promise<GitResult> {
  const input = paths.map((path) => `${path}\0`).join("");
  return options.guard.run(onWorktree(store, options, ["update-index", ...flags, "-z", "--stdin"], { input }));
}

/** A git call with loopdash's index on the worktree. */
function onWorktree(store: Store, options: Staging, args: readonly string[], more: More = {}): GitCall {
  const apart = options.staged === undefined ? {} : { objects: options.staged, borrowed: [store.at.objects] };
  return store.contentCall(args, { gitDir: options.own, workTree: options.workTree, ...apart, ...more });
}
