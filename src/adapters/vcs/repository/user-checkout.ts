import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { firstFewLine } from "../../../domain/values/text.ts";
import { filtersAt } from "../capture/attributes.ts";
import { displayName, GitFailure, type GitResult, objectId } from "../git/git-call.ts";
import { diffTree } from "../landing/diff-tree.ts";
import { inTheWay } from "../landing/in-the-way.ts";
import { type Compare, compareWithCommit } from "./compare-checkout.ts";
import { exists } from "./locate.ts";
import { inPersonsCheckout, writingDrivers } from "./person-git.ts";
import { adminDirs, ifThere, MAX_PATH, readHead, readShort, resolvedParent, type Store } from "./store.ts";
import { listSubmodules } from "./submodules.ts";

/** A folder in which a person has the base branch checked out. */
export interface UserCheckout {
  readonly path: string;
  /** Its git folder: the repository's own, or the record of a linked worktree. */
  readonly gitDir: string;
}

/** Files that git leaves in a git folder during its longer operations (gitrepository-layout(5)). */
const UNDER_WAY: readonly (readonly [file: string, words: string, command: string])[] = [
  ["MERGE_HEAD", "a merge is under way", "git merge"],
  ["CHERRY_PICK_HEAD", "a cherry-pick is under way", "git cherry-pick"],
  ["REVERT_HEAD", "a revert is under way", "git revert"],
  ["rebase-merge", "a rebase is under way", "git rebase"],
  ["rebase-apply", "a rebase or a series of patches is under way", "git rebase or git am"],
];

/** Why a checkout cannot follow the base now, and what a person can do about it. */
interface Unready {
  readonly why: string;
  readonly todo: string;
}

/**
 * The user's checkouts of the base, without loopdash's worktrees. Reading HEAD files costs no process, so this may be asked at
 * each landing: a person may switch branches at any time. `ours` are folders that workers were given.
 */
export async function checkoutsOfBase(store: Store, ours: ReadonlySet<string>): Promise<readonly UserCheckout[]> {
  const found: UserCheckout[] = [];
  const { mainWorktree, commonDir } = store.at;
  if (mainWorktree !== undefined) found.push({ path: mainWorktree, gitDir: commonDir });
  for (const { dir, worktree } of adminDirs(commonDir)) {
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
  const head = readHead(userCheckout.gitDir);
  if (head !== undefined && "branch" in head) return head.branch === store.baseRef;
  const rebased = await Promise.all(
    ["rebase-merge", "rebase-apply"].map((dir) => firstLine(join(userCheckout.gitDir, dir, "head-name"))),
  );
  return rebased.includes(store.baseRef);
}

async function firstLine(file: string): Promise<string | undefined> {
  return readShort(file)?.split("\n", 1)[0];
}

/** The reason why the checkout, which should show `commit`, cannot follow now, or undefined if it can. Changes nothing. */
export async function whyNotReady(
  store: Store,
  userCheckout: UserCheckout,
  commit: string,
  how: Compare,
): Promise<Unready | undefined> {
  return (await whyBusy(store, userCheckout)) ?? whyDirty(store, userCheckout, commit, how);
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
    whyNotReady(store, userCheckout, from, { filters: true }),
    inTheWay(store, userCheckout.path, from, to),
  ]);
  if (unready !== undefined) return unready.why;
  if (path !== undefined) return `${displayName(userCheckout.path)}: the untracked ${displayName(path)} would be overwritten`;
  const unwritten = await whyNotWritten(store, userCheckout, { from, to });
  if (unwritten !== undefined) return unwritten;
  // Alone: the dry run holds the index's lock, and so does a diff that meets a touched file.
  return rehearse ? bringAlong(store, userCheckout, { from, to, dryRun: true }) : undefined;
}

async function whyBusy(store: Store, { path, gitDir }: UserCheckout): Promise<Unready | undefined> {
  const at = displayName(path);
  const there = await Promise.all(UNDER_WAY.map(([file]) => exists(join(gitDir, file))));
  const [, words, command] = UNDER_WAY[there.indexOf(true)] ?? [];
  if (words !== undefined) {
    return { why: `${at}: ${words}`, todo: `finish it there with --continue of ${command}, or give it up with --abort` };
  }
  const lock = join(gitDir, "index.lock");
  if (await exists(lock)) {
    const why = `${at}: another git process works there (if none does, remove ${displayName(lock)})`;
    return { why, todo: "wait until it has ended, then run the same command again" };
  }
  if (!(await exists(join(gitDir, "info", "sparse-checkout")))) return undefined;
  const on = await store.tryRefs(["config", "--type=bool", "--get", "core.sparseCheckout"], { gitDir });
  if (on.stdout.trim() !== "true") return undefined;
  const todo = "check out another branch there, or the whole tree: git sparse-checkout disable";
  return { why: `${at}: it is a sparse checkout, which cannot be brought along`, todo };
}

async function whyDirty(store: Store, userCheckout: UserCheckout, commit: string, how: Compare): Promise<Unready | undefined> {
  const at = displayName(userCheckout.path);
  try {
    const { changed, unclear } = await compareWithCommit(store, userCheckout, commit, how);
    const todo = "commit or stash them, or check out another branch there";
    if (changed.length > 0) return { why: `${at} has uncommitted changes: ${firstFewLine(changed.map(displayName), 3)}`, todo };
    if (unclear.length === 0) return undefined;
    const why = `only a filter of git's settings can tell whether files of ${at} are changed: ${firstFewLine(unclear.map(displayName), 3)}`;
    return { why, todo: `let it look: git -C ${at} status` };
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return { why: failure(userCheckout, error), todo: `see what git says there: git -C ${at} status` };
  }
}

/** The tracked files of a checkout. */
export async function trackedIn(store: Store, userCheckout: UserCheckout): Promise<readonly string[]> {
  return (await store.content(["ls-files", "-z"], places(userCheckout))).split("\0");
}

/**
 * Moves the checkout from one commit to another: index and files, all or nothing, written as git writes them for its person: by their
 * filters, ends of lines and encodings. A file that is not in `from`, tracked or ignored, is never overwritten. With `dryRun` it only
 * checks. Returns undefined, or the reason of the failure.
 */
export async function bringAlong(
  store: Store,
  userCheckout: UserCheckout,
  by: { readonly from: string; readonly to: string; readonly dryRun: boolean },
): Promise<string | undefined> {
  const args = ["read-tree", "-m", "-u", ...(by.dryRun ? ["--dry-run"] : []), by.from, by.to];
  const result = await inPersonsCheckout(store, userCheckout, args, { filters: true });
  if (result.status === 0 && !by.dryRun) await bringSubmodulesAlong(store, userCheckout, by);
  return result.status === 0 ? undefined : failure(userCheckout, result);
}

/**
 * The reason why a filter of the person's settings cannot write a file that changes from one commit to another. Git would stop in the
 * middle of the checkout there; so those files are written to a folder of loopdash first.
 */
async function whyNotWritten(
  store: Store,
  userCheckout: UserCheckout,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<string | undefined> {
  const drivers = writingDrivers(store.person);
  if (drivers.size === 0) return undefined;
  const { output } = await diffTree(
    store,
    { from, tip: to, options: ["-z", "--name-only", "--no-renames", "--diff-filter=d"] },
    Number.POSITIVE_INFINITY,
  );
  const changed = output
    .toString("utf8")
    .split("\0")
    .filter((path) => path !== "");
  const filtered = (await filtersAt(store, to, changed)).filter(([, driver]) => drivers.has(driver));
  const paths = filtered.map(([path]) => path);
  if (paths.length === 0) return undefined;
  const own = filtered.map(([, driver]) => drivers.get(driver) ?? "").find((program) => namesFileIn(userCheckout, program));
  if (own !== undefined) {
    const at = displayName(userCheckout.path);
    return `${at}: a filter runs a file of the repository, which a change may have written: ${displayName(own)} (let the checkout stay behind: git -C ${at} switch --detach)`;
  }
  const folder = await mkdtemp(join(store.scratch, "written-"));
  try {
    const index = join(folder, "index");
    await store.content(["read-tree", to], { index });
    const input = paths.map((path) => `${path}\0`).join("");
    const args = ["checkout-index", "-z", "--stdin", `--prefix=${folder}/files/`];
    const result = await inPersonsCheckout(store, userCheckout, args, { filters: true, input, index });
    return result.status === 0 ? undefined : failure(userCheckout, result);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** True if a filter's command names a file of the checkout. */
function namesFileIn({ path }: UserCheckout, command: string): boolean {
  const words = command.split(/[\s"';|&()<>$`=]+/).filter((word) => word !== "");
  return words.some((word) => resolve(path, word).startsWith(`${path}/`) && existsSync(resolve(path, word)));
}

/** Git's reason for a failure; that of a filter with what helps. */
function failure({ path }: UserCheckout, { stderr }: Pick<GitResult, "stderr">): string {
  const lines = stderr.split("\n").filter((each) => each.trim() !== "");
  const line = lines.find((each) => each.startsWith("fatal: ")) ?? lines[0] ?? "git does not say why";
  const why = displayName(line.replace(/^(?:error|fatal): /, "").slice(0, 500));
  const at = displayName(path);
  if (!/^(?=.* filter ).* failed$/.test(line)) return `${at}: ${why}`;
  return `${at}: ${why} (mend that filter, or let the checkout stay behind: git -C ${at} switch --detach)`;
}

function places(userCheckout: UserCheckout): { workTree: string; index: string } {
  return { workTree: userCheckout.path, index: join(userCheckout.gitDir, "index") };
}

/**
 * Moves the submodules of a checkout as `git submodule update` does, each from its own repository. One that the user has changed, has on
 * a branch or does not have stays as it is.
 */
async function bringSubmodulesAlong(
  store: Store,
  { path: top }: UserCheckout,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const before = new Map((await listSubmodules(store, from)).map(({ path, commit }) => [path, commit]));
  for (const { path: below, commit, own } of await listSubmodules(store, to)) {
    const old = before.get(below);
    if (own === undefined || old === undefined || old === commit) continue;
    const path = join(top, below);
    const gitDir = await ifThere(realpath(await pointedTo(join(path, ".git"))));
    const head = gitDir === own.at.commonDir ? readHead(gitDir) : undefined;
    if (head === undefined || !("commit" in head) || head.commit !== old) continue;
    const checkout = { path, gitDir: own.at.commonDir };
    if ((await whyNotFollow(own, checkout, { from: old, to: commit, rehearse: true })) !== undefined) continue;
    if ((await bringAlong(own, checkout, { from: old, to: commit, dryRun: false })) !== undefined) continue;
    await own.refs(["update-ref", "--no-deref", "HEAD", objectId(commit)]);
  }
}

/** The git folder of a checkout: the one that its `.git` file names, or `.git` itself. */
async function pointedTo(gitFile: string): Promise<string> {
  const [, named] = /^gitdir: (.+)$/.exec(readShort(gitFile, MAX_PATH) ?? "") ?? [];
  return named === undefined ? gitFile : resolve(dirname(gitFile), named);
}
