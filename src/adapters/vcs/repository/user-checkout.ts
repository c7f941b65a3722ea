import { join } from "node:path";
import { firstFewLine } from "../../../domain/values/first-few.ts";
import type { GitResult } from "../git/git-call.ts";
import { displayName } from "../git/ref-names.ts";
import { inTheWay } from "../landing/in-the-way.ts";
import { adminDirs, readHead, readShort, resolvedParent } from "./admin-dirs.ts";
import { exists } from "./locate.ts";
import type { Store } from "./store.ts";

/** A folder in which a person has the base branch checked out. */
export interface UserCheckout {
  readonly path: string;
  /** Its git folder: the repository's own, or the record of a linked worktree. */
  readonly gitDir: string;
}

/** Files that git leaves in a git folder during its longer operations (gitrepository-layout(5)). */
const UNDER_WAY: readonly (readonly [file: string, words: string])[] = [
  ["MERGE_HEAD", "a merge is under way"],
  ["CHERRY_PICK_HEAD", "a cherry-pick is under way"],
  ["REVERT_HEAD", "a revert is under way"],
  ["rebase-merge", "a rebase is under way"],
  ["rebase-apply", "a rebase or a series of patches is under way"],
];

/**
 * The user's checkouts of the base, without loopdash's worktrees. Reading HEAD files costs no process, so this may be asked at
 * each landing: a person may switch branches at any time. `ours` are folders that workers were given.
 */
export async function checkoutsOfBase(store: Store, ours: ReadonlySet<string>): Promise<readonly UserCheckout[]> {
  const found: UserCheckout[] = [];
  const { mainWorktree, commonDir } = store.at;
  if (mainWorktree !== undefined) found.push({ path: mainWorktree, gitDir: commonDir });
  for (const { dir, worktree } of await adminDirs(commonDir)) {
    if (!ours.has(worktree) && (await exists(join(worktree, ".git")))) found.push({ path: worktree, gitDir: dir });
  }
  const theirs = await Promise.all(found.map((each) => holdsBase(store, each)));
  return found.filter((_, i) => theirs[i]);
}

/** A worktree's path as git knows it. */
export function knownPath(path: string): Promise<string> {
  return resolvedParent(path);
}

/** True if HEAD is on the base, or will return to it when a rebase ends. */
async function holdsBase(store: Store, userCheckout: UserCheckout): Promise<boolean> {
  const head = await readHead(userCheckout.gitDir);
  if (head !== undefined && "branch" in head) return head.branch === store.baseRef;
  const rebased = await Promise.all(
    ["rebase-merge", "rebase-apply"].map((dir) => firstLine(join(userCheckout.gitDir, dir, "head-name"))),
  );
  return rebased.includes(store.baseRef);
}

async function firstLine(file: string): Promise<string | undefined> {
  return (await readShort(file))?.split("\n", 1)[0];
}

/** The reason why the checkout, which should show `commit`, cannot follow now, or undefined if it can. Changes nothing. */
export async function whyNotReady(store: Store, userCheckout: UserCheckout, commit: string): Promise<string | undefined> {
  return (await whyBusy(store, userCheckout)) ?? whyDirty(store, userCheckout, commit);
}

/**
 * The reason why a checkout that should show `from` cannot move to `to` now, or undefined if it can. Changes nothing. With
 * `rehearse`, git confirms it by a dry run: one more process.
 */
export async function whyNotFollow(
  store: Store,
  userCheckout: UserCheckout,
  { from, to, rehearse }: { readonly from: string; readonly to: string; readonly rehearse: boolean },
): Promise<string | undefined> {
  const [unready, path] = await Promise.all([
    whyNotReady(store, userCheckout, from),
    inTheWay(store, userCheckout.path, from, to),
  ]);
  if (unready !== undefined) return unready;
  if (path !== undefined) return `${displayName(userCheckout.path)}: the untracked ${displayName(path)} would be overwritten`;
  // Alone: the dry run holds the index's lock, and so does a diff that meets a touched file.
  return rehearse ? bringAlong(store, userCheckout, { from, to, dryRun: true }) : undefined;
}

async function whyBusy(store: Store, userCheckout: UserCheckout): Promise<string | undefined> {
  const there = await Promise.all(UNDER_WAY.map(([file]) => exists(join(userCheckout.gitDir, file))));
  const busy = UNDER_WAY[there.indexOf(true)];
  if (busy !== undefined) return `${displayName(userCheckout.path)}: ${busy[1]}`;
  if (await exists(join(userCheckout.gitDir, "index.lock"))) {
    return `${displayName(userCheckout.path)}: another git process works there (if none does, remove ${displayName(join(userCheckout.gitDir, "index.lock"))})`;
  }
  if (!(await exists(join(userCheckout.gitDir, "info", "sparse-checkout")))) return undefined;
  const on = await store.tryRefs(["config", "--type=bool", "--get", "core.sparseCheckout"], { gitDir: userCheckout.gitDir });
  return on.stdout.trim() === "true"
    ? `${displayName(userCheckout.path)}: it is a sparse checkout, which cannot be brought along`
    : undefined;
}

async function whyDirty(store: Store, userCheckout: UserCheckout, commit: string): Promise<string | undefined> {
  const changed = await filesUnlikeCommit(store, userCheckout, commit);
  if (changed.length === 0) return undefined;
  const names = firstFewLine(changed.map(displayName), 3);
  return `${displayName(userCheckout.path)} has uncommitted changes: ${names}`;
}

/** The tracked files of a checkout. */
export async function trackedIn(store: Store, userCheckout: UserCheckout): Promise<readonly string[]> {
  return (await store.content(["ls-files", "-z"], places(userCheckout))).split("\0");
}

/** Tracked files in which the checkout, staged or not, differs from a commit. Submodules are not looked into. */
export async function filesUnlikeCommit(store: Store, userCheckout: UserCheckout, commit: string): Promise<readonly string[]> {
  const flags = ["--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
  // Not diff-index: it reports a file as changed if only its time changed. `diff` compares the content and notes the new time in
  // the index, which the following read-tree relies on.
  const listed = await store.content(["diff", ...flags, commit, "--"], places(userCheckout));
  return listed.split("\0").filter((path) => path !== "");
}

/**
 * Moves the checkout from one commit to another: index and files, all or nothing. A file that is not in `from`, tracked or
 * ignored, is never overwritten. With `dryRun` it only checks. Returns undefined, or the reason of the failure.
 */
export async function bringAlong(
  store: Store,
  userCheckout: UserCheckout,
  by: { readonly from: string; readonly to: string; readonly dryRun: boolean },
): Promise<string | undefined> {
  const args = ["read-tree", "-m", "-u", ...(by.dryRun ? ["--dry-run"] : []), by.from, by.to];
  const result = await store.tryContent(args, places(userCheckout));
  return result.status === 0 ? undefined : `${displayName(userCheckout.path)}: ${reason(result)}`;
}

function reason(result: GitResult): string {
  const line = result.stderr.split("\n").find((each) => each.trim() !== "") ?? "git does not say why";
  return displayName(line.replace(/^(?:error|fatal): /, "").slice(0, 500));
}

function places(userCheckout: UserCheckout): { workTree: string; index: string } {
  return { workTree: userCheckout.path, index: join(userCheckout.gitDir, "index") };
}
