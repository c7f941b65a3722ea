import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ChangedPath } from "../../../ports/vcs.ts";
import { displayName, type GitCall, GitFailure, type GitResult, objectId, type Setting } from "../git/git-call.ts";
import { type GuardedGit, mustGuarded } from "../git/guarded-git.ts";
import { ifThere, type More, type Store } from "../repository/store.ts";
import { agentFiles, readAgentIndex } from "./agent-index.ts";
import { attributesIn, keepLargeFile, LFS, namesFilter } from "./attributes.ts";
import { refuseTooLarge } from "./leftovers.ts";

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

/** A worktree that is staged. */
interface Staging {
  readonly guard: GuardedGit;
  /** loopdash's git folder for this worktree; its index receives the staged files. */
  readonly own: string;
  readonly workTree: string;
  /** Other worktrees within this one, whose files are not its files. */
  readonly apart: readonly { readonly path: string }[];
  /** The paths that the agent's own commits change. */
  readonly committed: Promise<readonly ChangedPath[]>;
  /** The folder for objects that are not yet the repository's; undefined: the repository. */
  readonly staged: string | undefined;
  /** The commit that the attempt began with. */
  readonly from: string;
}

/** Files that one script is given. */
const AT_ONCE = 500;

/**
 * `$1`: the worktree, `$2`: a folder for copies, then paths. Prints for each "-" if Git LFS would store it as it is (no file, an empty one, a
 * pointer), otherwise mode and id of its pointer, with hash and size of its content. The copy is then called as its number.
 */
const POINTERS = `
cd "$1" || exit; to=$2; shift 2; n=0
for path do
  n=$((n + 1)); copy=$to/$n
  if [ -L "./$path" ] || [ ! -f "./$path" ] || [ ! -s "./$path" ]; then echo -; continue; fi
  cp -- "./$path" "$copy" || exit
  size=$(wc -c <"$copy") || exit; size=$((size))
  if [ "$size" -lt 1024 ] && grep -q '^version https://[a-z-]*.github.com/spec/v1$' "$copy"; then echo -; continue; fi
  hash=$(sha256sum <"$copy" || shasum -a 256 <"$copy") || exit; hash=\${hash%% *}
  printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %s\\n' "$hash" "$size" >"$copy.pointer" || exit
  id=$(git hash-object -w --no-filters -- "$copy.pointer") || exit
  mode=100644; if [ -x "./$path" ]; then mode=100755; fi
  echo "$mode $id $hash $size"
done`;

/** Builds a call on the worktree, with loopdash's index. */
type OnWorktree = (args: readonly string[], more?: More) => GitCall;

/** Those of these paths that Git LFS keeps by the attributes in the worktree, if the attempt began with a commit that names a filter. */
async function largeFilesAmong(
  store: Store,
  { guard, from }: Staging,
  onWorktree: OnWorktree,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  if (paths.length === 0 || !(await namesFilter(store, from))) return new Set();
  const input = paths.map((path) => `${path}\0`).join("");
  const said = await mustGuarded(guard, onWorktree(["check-attr", "--stdin", "-z", "filter"], { input }));
  return new Set(attributesIn(said).flatMap(([path, driver]) => (driver === LFS ? [path] : [])));
}

/**
 * Stages files as git-lfs would: a pointer in the index, the content in the repository's store. Beside the given ones, those that the worker
 * has committed itself since `from`. Returns true if that changed the index, and the given files that are staged as they are.
 */
async function stageLargeFiles(
  store: Store,
  staging: Staging,
  onWorktree: OnWorktree,
  given: ReadonlySet<string>,
): Promise<{ readonly changed: boolean; readonly plain: readonly string[] }> {
  const { guard, own, from } = staging;
  if (!(await namesFilter(store, from))) return { changed: false, plain: [] };
  const names = ["diff-index", "--cached", "--name-only", "-z", "--no-renames", "--diff-filter=d", from, "--"];
  const committed = (await mustGuarded(guard, onWorktree(names))).split("\0").filter((path) => path !== "");
  const paths = [...new Set([...given, ...(await largeFilesAmong(store, staging, onWorktree, committed))])];
  if (paths.length === 0) return { changed: false, plain: [] };
  const folder = join(own, "large");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const listed = (await mustGuarded(guard, onWorktree(["ls-files", "-s", "-z"]))).split("\0");
  const before = new Set(listed.map((entry) => entry.replace(" 0\t", "\t")));
  const entries: string[] = [];
  const plain: string[] = [];
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const some = paths.slice(at, at + AT_ONCE);
    const pointers = await makePointers(store, staging, onWorktree, { folder, paths: some });
    for (const path of some) {
      const pointer = pointers.get(path);
      if (pointer === undefined && given.has(path)) plain.push(path);
      if (pointer !== undefined && !before.has(pointer)) entries.push(`${pointer}\0`);
    }
  }
  const input = entries.join("");
  if (input !== "") await mustGuarded(guard, onWorktree(["update-index", "--add", "--replace", "-z", "--index-info"], { input }));
  return { changed: input !== "", plain };
}

/** Writes pointers and keeps the content. Returns the entries of an index by their paths; a file that has no pointer is left out. */
async function makePointers(
  store: Store,
  { guard, workTree }: Staging,
  onWorktree: OnWorktree,
  { folder, paths }: { readonly folder: string; readonly paths: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const script = { text: POINTERS, args: [workTree, folder, ...paths] };
  const lines = (await mustGuarded(guard, onWorktree(["hash-object"]), script)).split("\n");
  const entries = new Map<string, string>();
  for (const [i, path] of paths.entries()) {
    const [mode = "", id = "", hash = ""] = (lines[i] ?? "").split(" ");
    if (id === "") continue;
    await keepLargeFile(store, join(folder, String(i + 1)), hash);
    entries.set(path, `${mode} ${objectId(id)}\t${path}`);
  }
  return entries;
}
