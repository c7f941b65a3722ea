import type { PullRequestState } from "../domain/forge/pull-request.ts";
import type { Landing } from "./vcs.ts";

/** The place beyond this machine where the changes of one repository land. Without one, they land in the repository itself. */
export interface Forge {
  /**
   * Brings the base of this machine up to that of the forge. Gives the reason if that is impossible now. Throws a
   * RepoUnavailable if the forge cannot be reached. "look" only asks whether it is possible, and moves nothing.
   */
  sync(how?: "move" | "look"): Promise<Unsynced | undefined>;
  /**
   * Moves the base from `from` to its descendant `to`: at the forge by compare-and-swap, and then on this machine. Safe to repeat:
   * a landing that was cut off, by a kill or by the signal, is completed. `isMerged`: the forge itself has merged it, and nothing is pushed.
   */
  land(landing: {
    readonly from: string;
    readonly to: string;
    readonly isMerged?: boolean;
    readonly signal?: AbortSignal | undefined;
  }): Promise<Landing>;
  /** Those of `commits` that the base at the forge lacks: people may have moved it back. */
  missing(commits: readonly string[]): Promise<readonly string[]>;
}

/** The reason why the base of this machine is not that of the forge, in plain words. `isMissing`: the forge has no branch of that name. */
export interface Unsynced {
  readonly why: string;
  readonly isMissing?: true;
}

/** A pull request to be, or a new state of one. */
export interface Proposal {
  /** Its branch at the forge: `loopdash/<run>/<ticket>`. */
  readonly branch: string;
  /** The commit to be at its tip; it contains `previous`. */
  readonly head: string;
  /** The commit that the engine pushed there before; absent the first time. */
  readonly previous?: string;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
}

/** An open pull request of the branch, or the reason why there is none, safe for a terminal. */
export type Proposed =
  | { readonly as: "open"; readonly number: number; readonly url: string }
  /** The branch is not where the engine left it: somebody pushed to it, or removed it. */
  | { readonly as: "moved"; readonly tip: string | undefined }
  /** The forge takes no such push, or no such pull request. `isForbidden`: whatever the change holds. */
  | { readonly as: "refused"; readonly reason: string; readonly isForbidden?: true };

/** The answer to a request to merge. */
export type PullRequestMerge =
  | { readonly as: "merged"; readonly commit: string }
  /** The merge queue has taken it. */
  | { readonly as: "queued" }
  /** Its head, its base or its state has changed since it was read: read it again. */
  | { readonly as: "changed" }
  | { readonly as: "refused"; readonly reason: string };

/** The answer to a request for a person's review; `reason` is in the forge's words, safe for a terminal. */
export type ReviewRequest = { readonly as: "requested" } | { readonly as: "refused"; readonly reason: string };

/** A failed check with what its machine says about it. Texts are untrusted and bounded. */
export interface FailedCheck {
  readonly name: string;
  readonly url?: string;
  /** The end of its log; empty if it has none. */
  readonly log: string;
  readonly annotations: readonly {
    readonly path: string;
    readonly line: number;
    readonly level: string;
    readonly message: string;
  }[];
  /** Files of reports that it left, by name: JUnit XML, TAP, SARIF. */
  readonly reports: readonly { readonly name: string; readonly text: string }[];
}

/** One run of a check on a commit; `failure` if it failed. Reports are left out. */
export interface PastCheck {
  readonly name: string;
  readonly failure?: FailedCheck;
}

/**
 * The pull requests of one repository at a forge. Methods throw a ForgeUnavailable if the forge cannot be reached, asks to wait, or does
 * not accept the token.
 */
export interface PullRequests {
  /** The name of the forge's repository for people. */
  readonly name: string;
  /**
   * Milliseconds until the next reading of a pull request that has been waited for so long (milliseconds): sooner at first, and no sooner
   * than the forge's rate limits allow.
   */
  pauseMs(waited: number): number;
  /** Pushes the commit, and opens the branch's pull request or updates its texts. Safe to repeat: there is never a second one. */
  propose(proposal: Proposal, signal?: AbortSignal): Promise<Proposed>;
  /** One reading: the pull request, the checks of its head, reviews, the queue. */
  read(number: number): Promise<PullRequestState>;
  /** Merges by the repository's own rules, if its head is still this commit. Safe to repeat. */
  merge(request: {
    readonly number: number;
    readonly head: string;
    readonly title: string;
    readonly body: string;
  }): Promise<PullRequestMerge>;
  /** The words of failed checks of a commit. Asked once for each. */
  failures(head: string, names: readonly string[]): Promise<readonly FailedCheck[]>;
  /** All runs of these checks on a commit that have ended, those before they were started again too; at most 20. */
  history(commit: string, names: readonly string[]): Promise<readonly PastCheck[]>;
  /**
   * Starts failed jobs of a commit again, by the names of their checks. Gives the names of those that it has started: not every check
   * can be, and none that runs already is. Throws a JobsStillRun if the forge does not start all of them yet, and a RerunRefused if it
   * refuses to.
   */
  rerun(head: string, names: readonly string[]): Promise<readonly string[]>;
  /** Requests a review of the person with this login. Safe to repeat. */
  requestReview(number: number, login: string): Promise<ReviewRequest>;
  /** Answers threads with one comment each, and resolves those that a bot began. Safe to repeat. */
  answer(number: number, threads: readonly { readonly id: string; readonly isBot: boolean }[], text: string): Promise<void>;
  /** Removes the branch if it is still at this commit. Safe to repeat. */
  removeBranch(branch: string, at: string): Promise<void>;
}

/** A forge that cannot be asked now. `retryAt`: when it says that it can, in milliseconds since the epoch. */
export class ForgeUnavailable extends Error {
  override readonly name: string = "ForgeUnavailable";
  readonly retryAt: number | undefined;

  constructor(message: string, retryAt?: number) {
    super(message);
    this.retryAt = retryAt;
  }
}

/** The forge starts failed jobs again only after the others of their workflow run: `open`, as far as their names are known. */
export class JobsStillRun extends ForgeUnavailable {
  override readonly name = "JobsStillRun";
  readonly open: readonly string[];

  constructor(message: string, open: readonly string[]) {
    super(message);
    this.open = open;
  }
}

/** The forge does not start failed jobs again: the token may not, or they are too old. */
export class RerunRefused extends ForgeUnavailable {
  override readonly name = "RerunRefused";
}
