import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ChangedPath } from "../../../ports/vcs.ts";
import type { GitCall } from "../git/git-call.ts";
import { type GuardedGit, mustGuarded } from "../git/guarded-git.ts";
import { objectId } from "../git/ref-names.ts";
import type { More, Store } from "../repository/store.ts";
import { attributesIn, namesFilter } from "./attributes.ts";
import { keepLargeFile, LFS } from "./large-files.ts";

/** A worktree that is staged. */
export interface Staging {
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
export async function largeFilesAmong(
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
export async function stageLargeFiles(
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
