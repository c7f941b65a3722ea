import type { RepoId } from "../domain/values/ids.ts";
import type { Confinement } from "./sandbox.ts";

/** What an attempt changed, from the commit it started at. Paths are repository-relative and raw. */
export interface Change {
  readonly tip: string;
  readonly paths: readonly ChangedPath[];
  readonly additions: number;
  readonly deletions: number;
}

/** A rename is listed as a deletion and an addition, so both paths are looked at. */
export interface ChangedPath {
  readonly path: string;
  readonly how: "added" | "modified" | "deleted";
  /** What it is now (or was, if deleted). A link that leaves the tree and a moved submodule are for the gates to judge. */
  readonly mode: "file" | "executable" | "symlink" | "submodule";
}

/** Lines that a change adds and takes away. `whole` is false where it is too long to be read to its end. */
export interface ChangedLines {
  /** The diff as git writes it, without context lines; bytes, for nobody has looked into it yet. */
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
  /** The user's own checkout of the base cannot be brought along now; nothing was changed. */
  | { readonly as: "waiting"; readonly reason: string };

/** The repository's part of a confinement. */
export type RepoView = Pick<Confinement, "write" | "read" | "mounts">;

/** One repository of the batch, as the engine drives it: the repository's own hooks, filters and monitors never run. */
export interface Repo {
  readonly id: RepoId;
  readonly base: string;
  /**
   * Where a sandbox shows a worktree or a checkout of this repository: the path of the user's own checkout, so that code finds
   * itself at the same place when an agent works, when it is checked, and when the user runs it (adversary case F3).
   */
  readonly place: string;
  /** Commit at the tip of the base branch. */
  baseTip(): Promise<string>;
  /** A linked worktree at `path` on a fresh `branch` from `from`; leftovers of the same names are replaced. */
  addWorktree(options: { path: string; branch: string; from: string }): Promise<void>;
  /**
   * What a confined worker may reach for its worktree, which is shown at `place`, unless that would meet one of the paths to
   * `avoid`. Each call makes its own part of the repository anew.
   */
  agentView(options: { path: string; branch: string; avoid?: readonly string[] }): Promise<RepoView>;
  /** What a confined command may reach for a pristine checkout, beside the checkout itself. */
  readonly checkoutView: RepoView;
  /** Removes the worktree if it is there; with `deleteBranch`, its branch too. Safe to repeat. */
  removeWorktree(options: { path: string; branch: string; deleteBranch: boolean }): Promise<void>;
  /**
   * Commits what lies uncommitted in the worktree (untracked and not ignored files too) and tells what changed since `from`. It
   * throws where that takes longer than `timeoutMs` or goes beyond other bounds, and soon after `signal` is aborted.
   */
  capture(options: {
    path: string;
    branch: string;
    from: string;
    message: string;
    signal?: AbortSignal;
    timeoutMs?: number;
  }): Promise<Change>;
  /** The change between two commits. */
  change(options: { from: string; tip: string }): Promise<Change>;
  /** The changed lines of files of these names (shell patterns such as "*.ts"), whatever attributes say of them. */
  changedLines(options: { from: string; tip: string; names: readonly string[] }): Promise<ChangedLines>;
  /** A file's text as a commit has it; undefined where it has no such file. At most a million bytes. */
  readFile(options: { commit: string; path: string }): Promise<string | undefined>;
  /** The texts of files as a commit has them, by path; those that it does not have are left out. At most 64 MiB together. */
  readFiles(options: { commit: string; paths: readonly string[] }): Promise<ReadonlyMap<string, string>>;
  /** The paths of all files of a commit. */
  files(commit: string): Promise<readonly string[]>;
  /** A commit like this one with some files put in and others taken out: same parents, message, people and dates. On no branch. */
  deriveCommit(options: {
    commit: string;
    files: readonly { readonly path: string; readonly text: string }[];
    without: readonly string[];
  }): Promise<string>;
  /** Writes the change as a patch file, at most `maxBytes` long. */
  writePatch(options: { from: string; tip: string; file: string; maxBytes: number }): Promise<void>;
  /**
   * Builds the merge candidate: one commit on top of the current base tip, or of the commit `onto`. Needs no checkout. A merge that
   * takes more time or memory than a capture may is no candidate, without conflicts.
   */
  candidate(options: { tip: string; message: string; onto?: string; signal?: AbortSignal }): Promise<Candidate>;
  /**
   * A pristine checkout of a commit in a new folder: own .git, nothing of the user's configuration, no worker could write it.
   * Line ends, encodings and the like are converted as the attributes (gitattributes(5)) of `attributesOf` say; default: its own.
   */
  checkout(options: { commit: string; path: string; attributesOf?: string }): Promise<void>;
  /** Moves the base from `from` to `to` by compare-and-swap and brings the user's clean checkout along. Safe to repeat. */
  land(options: { from: string; to: string }): Promise<Landing>;
  /** Brings the user's checkout along where an earlier engine was gone in the middle of a landing. Safe to repeat. */
  finishCutOffLanding(): Promise<void>;
  /** Of these commits, those that the base does not contain. One look for all. */
  missingFromBase(commits: readonly string[]): Promise<readonly string[]>;
  /** Whether the base contains the commit. */
  contains(commit: string): Promise<boolean>;
  /** Whether the commit and its tree are still in the repository. */
  has(commit: string): Promise<boolean>;
}
