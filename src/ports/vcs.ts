import type { LeftElsewhere } from "../domain/run/kept-work.ts";
import type { RepoId } from "../domain/values/ids.ts";
import type { Confinement } from "./executor.ts";

/** The change of an attempt since its first commit. Paths are repository-relative and raw. */
export interface Change {
  readonly tip: string;
  readonly paths: readonly ChangedPath[];
  readonly additions: number;
  readonly deletions: number;
  /** Paths that are no text, by name and content. Each counts as one line. Absent: none. */
  readonly uncounted?: readonly string[];
  /** Files that a filter of the base keeps in another form than they have in this change, each with the reason. Absent: none. */
  readonly unfiltered?: readonly string[];
  /** A digest: equal for changes that leave the same files with the same content, on whatever base. Absent if nothing is changed. */
  readonly content?: string;
  /** Work that the agent left outside its worktree's HEAD. Absent: none, or it was not looked for. */
  readonly elsewhere?: readonly LeftElsewhere[];
  /** Submodules inside of which the worker has changed files; those are kept on a branch of the ticket's name there. Absent: none. */
  readonly submoduleEdits?: readonly string[];
}

/** A rename is listed as a deletion and an addition, so that both paths are checked. */
export interface ChangedPath {
  readonly path: string;
  readonly how: "added" | "modified" | "deleted";
  /** Its present type (the former one, if deleted). The gates decide on links that leave the tree and on moved submodules. */
  readonly mode: "file" | "executable" | "symlink" | "submodule";
  /** The commits between which a submodule moves; absent for everything else. */
  readonly moved?: { readonly from: string; readonly to: string };
}

/** Lines that a change adds and removes. `whole` is false if it is too long to be read to its end. */
export interface ChangedLines {
  /** The diff as git writes it, without context lines. Raw bytes. */
  readonly diff: Uint8Array;
  readonly whole: boolean;
}

/** Base tip + the ticket's change, as a commit on no branch. */
export type Candidate =
  | { readonly ok: true; readonly commit: string; readonly base: string }
  | { readonly ok: false; readonly base: string; readonly conflicts: readonly string[]; readonly detail: string };

export type Landing =
  | { readonly as: "landed" }
  /** The base is no longer at `from`: build the candidate again. */
  | { readonly as: "moved"; readonly tip: string }
  /**
   * The user's own checkout of the base cannot be brought along now, or the base and that of the forge are apart. Nothing was changed;
   * `isRemote`: but the base at the forge has it already. `isAbsent`: a merge of the forge is not in its base.
   */
  | { readonly as: "waiting"; readonly reason: string; readonly isRemote?: true; readonly isAbsent?: true }
  /**
   * A rule of the forge refuses the change, in the forge's own words. Nothing was changed. `isForbidden`: the rule is about who may push,
   * and not about what the change holds.
   */
  | { readonly as: "refused"; readonly reason: string; readonly isForbidden?: true };

/** A lock, the machine or the place of the repository kept git from its work. It says nothing about any change. */
export class RepoUnavailable extends Error {
  override readonly name = "RepoUnavailable";
}

/** Credentials for a remote that is reached by http. */
export interface RemoteCredentials {
  readonly user: string;
  token(): Promise<string>;
  /** Fetches the token again because `refused` was not accepted. */
  renew(refused: string): Promise<string>;
}

/** A remote's answer to a push. `reason` is its own words, safe for a terminal. */
export type RemotePush =
  | { readonly as: "pushed" }
  /** The branch is no longer where the push expected it. */
  | { readonly as: "moved" }
  /** A rule of the remote, a hook, or a missing right (`isForbidden`). A fault of the remote itself is a RepoUnavailable. */
  | { readonly as: "refused"; readonly reason: string; readonly isForbidden?: true };

/**
 * A remote of a repository. Its methods throw a RepoUnavailable if it cannot be reached, does not answer in time, or does not accept who
 * asks. A signal ends them at once; whether a push has had its effect is then not known. Nothing of the repository's own configuration,
 * but the remote's address, has a say in them.
 */
export interface GitRemote {
  /** The name and the address for people, without a user name and a token. */
  readonly name: string;
  /** The commit of a branch; undefined if there is none of this name. */
  tip(branch: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Copies the commits of a branch to this repository, onto no branch. Returns its commit; undefined if there is none of this name. */
  fetch(branch: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Throws a RepoUnavailable if who asks may not push at all. Rules about single branches are not looked at. */
  checkWritable(branch: string): Promise<void>;
  /** Moves a branch forward from `from` to `to`, or makes it if `from` is not given. Never moves it back or aside. Safe to repeat. */
  push(move: { readonly branch: string; readonly to: string; readonly from?: string }, signal?: AbortSignal): Promise<RemotePush>;
}

/** The repository's part of a confinement. */
export interface RepoView extends Pick<Confinement, "write" | "read" | "mounts"> {
  /** The folder of the objects that a checkout borrows, if the sandbox shows it elsewhere. */
  readonly objects?: string;
}

/** The author of commits that the engine makes of a worktree. What lands bears the name of the person who runs it. */
export const ENGINE_AUTHOR = "loopdash";

/** A commit as it describes itself. Author and subject are untrusted text. `at` in milliseconds since the epoch. */
export interface Commit {
  readonly sha: string;
  readonly author: string;
  readonly at: number;
  readonly subject: string;
}

/** The tree of a commit. */
export interface CommitTree {
  /** Its object id: equal for equal content. */
  readonly id: string;
  readonly files: readonly TreeFile[];
}

/** A file of a tree. `id` covers content and executable bit; `link` stands for symbolic links and submodules. */
export interface TreeFile {
  readonly path: string;
  readonly kind: "file" | "link";
  readonly id: string;
}

/** One repository of the batch, as the engine drives it. The repository's own hooks, filters and monitors never run. */
export interface Repo {
  readonly id: RepoId;
  readonly base: string;
  /**
   * The path inside a sandbox of a worktree or a checkout of this repository: that of the user's own checkout. So code finds
   * itself at the same place when an agent works, when it is checked, and when the user runs it (adversary case F3).
   */
  readonly place: string;
  /** Its page on GitHub or GitLab, by the remote of its base when it was opened; absent if it is elsewhere. */
  readonly url?: string;
  /** The identity of the repository across runs, and its name for people. */
  identity(): Promise<{ readonly key: string; readonly name: string }>;
  /** Commit at the tip of the base branch. */
  baseTip(): Promise<string>;
  /** Adds a linked worktree at `path` on a fresh `branch` from `from`. Leftovers of the same names are replaced. */
  addWorktree(options: { path: string; branch: string; from: string }): Promise<void>;
  /**
   * The paths that a confined worker may reach for its worktree, which is shown at `place`, without those to `avoid`. Each call
   * makes its own copy of the repository's part.
   */
  agentView(options: { path: string; branch: string; avoid?: readonly string[] }): Promise<RepoView>;
  /** The paths that a confined command may reach for a pristine checkout, beside the checkout itself. */
  readonly checkoutView: RepoView;
  /** Removes the worktree if it is there; with `deleteBranch`, its branch too. Safe to repeat. */
  removeWorktree(options: { path: string; branch: string; deleteBranch: boolean }): Promise<void>;
  /**
   * Commits the uncommitted files of the worktree (also untracked ones that are not ignored) and gives the change since `from`.
   * Throws if that takes longer than `timeoutMs` or exceeds other bounds, and soon after `signal` is aborted. With `keepAs`, work that was
   * left elsewhere is kept on branches whose names begin so; if the worktree has no change and there is one such work, it is the change.
   */
  capture(options: {
    path: string;
    branch: string;
    from: string;
    message: string;
    keepAs?: string;
    signal?: AbortSignal;
    timeoutMs?: number;
  }): Promise<Change>;
  /** Points a branch at a commit, and makes it if it is not there. Safe to repeat. */
  keepBranch(options: { branch: string; tip: string }): Promise<void>;
  /** The commit of a branch; undefined if there is none of this name. */
  branchTip(branch: string): Promise<string | undefined>;
  /** The names of the branches below this folder of branches, such as `loopdash/<run>`. */
  branches(folder: string): Promise<readonly string[]>;
  /** The change between two commits. */
  change(options: { from: string; tip: string }): Promise<Change>;
  /** The changed lines of files with these names (shell patterns such as "*.ts"), whatever attributes say about them; not of the paths `except`. */
  changedLines(options: {
    from: string;
    tip: string;
    names: readonly string[];
    except?: readonly string[];
  }): Promise<ChangedLines>;
  /** A file's text in a commit; undefined if it has no such file. At most a million bytes. */
  readFile(options: { commit: string; path: string }): Promise<string | undefined>;
  /** The texts of files in a commit, by path. Missing ones are left out. At most 64 MiB together. */
  readFiles(options: { commit: string; paths: readonly string[] }): Promise<ReadonlyMap<string, string>>;
  /** The paths of all files of a commit. */
  files(commit: string): Promise<readonly string[]>;
  /** The submodules of a commit, nested ones too. `isHere`: a repository of this machine has its commit. */
  submodules(commit: string): Promise<readonly { readonly path: string; readonly commit: string; readonly isHere: boolean }[]>;
  /** The object id of a commit's tree: equal for equal content. */
  treeId(commit: string): Promise<string>;
  /** The tree of a commit, with all its files. */
  tree(commit: string): Promise<CommitTree>;
  /**
   * A copy of this commit with some files added and others removed: same parents, message, people and dates. On no branch. Paths
   * that are `restored` are as in another commit, byte for byte, or gone if it does not have them; `files` come after that.
   */
  deriveCommit(options: {
    commit: string;
    files: readonly { readonly path: string; readonly text: string }[];
    without: readonly string[];
    restored?: readonly { readonly commit: string; readonly paths: readonly string[] }[];
  }): Promise<string>;
  /** The change between two commits in reverse: a commit on top of `tip` that has the files of `from`. On no branch. */
  reverse(options: { from: string; tip: string; message: string }): Promise<string>;
  /**
   * A commit with the files and the message of `candidate` that continues the history of `previous`: its parents are both. On no
   * branch. The same call gives the same commit.
   */
  continueFrom(options: { readonly previous: string; readonly candidate: string }): Promise<string>;
  /** The first parent of a commit; undefined if it has none, or if the commit is not here. */
  parent(commit: string): Promise<string | undefined>;
  /**
   * Writes the change as a patch file: its first `maxBytes`, with a mark if it is longer. One that is `shown` is for reading: nothing in it
   * hides (see `visibleText`), and what is no text is named with size and object id.
   */
  writePatch(options: { from: string; tip: string; file: string; maxBytes: number; shown?: true }): Promise<void>;
  /**
   * Builds the merge candidate: one commit on top of the current base tip, or of the commit `onto`. Needs no checkout. If the
   * merge exceeds a capture's bounds of time or memory, the result is no candidate, without conflicts.
   * `lands` is given if it may land: it then has the people that the batch and git name, and their signature, and the same call
   * gives the same commit whenever it is made. `at` is the attempt's start, in milliseconds.
   */
  candidate(options: {
    tip: string;
    message: string;
    onto?: string;
    signal?: AbortSignal;
    lands?: { readonly at: number };
  }): Promise<Candidate>;
  /**
   * Makes a pristine checkout of a commit in a new folder: its own .git, none of the user's configuration, and no worker could
   * write it. Line ends and encodings are converted by the attributes (gitattributes(5)) of `attributesOf`; default: its own.
   */
  checkout(options: { commit: string; path: string; attributesOf?: string }): Promise<void>;
  /**
   * Moves the base from `from` to `to` by compare-and-swap and brings the user's clean checkout along. Safe to repeat. `isMerged`: the forge
   * has merged it, and nothing is pushed there.
   */
  land(options: { from: string; to: string; isMerged?: boolean; signal?: AbortSignal | undefined }): Promise<Landing>;
  /** Brings the user's checkout along if an earlier engine died during a landing. Safe to repeat. */
  finishCutOffLanding(): Promise<void>;
  /** Those of these commits that the base does not contain. One look for all. */
  missingFromBase(commits: readonly string[]): Promise<readonly string[]>;
  /** Those of `commits` that the base at the forge lacks; absent if changes land on this machine alone. */
  missingAtForge?(commits: readonly string[]): Promise<readonly string[]>;
  /** The commits that `to` has and `from` has not, newest first, at most `most`; undefined if `from` is not in its history. */
  commitsSince(options: { from: string; to: string; most: number }): Promise<readonly Commit[] | undefined>;
  /** True if the base contains the commit. */
  contains(commit: string): Promise<boolean>;
  /** True if the commit and its tree are still in the repository. */
  has(commit: string): Promise<boolean>;
}
