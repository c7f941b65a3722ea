/** A check of one commit, as the forge reports it: a check run or a commit status. Names are safe for a terminal. */
export interface RemoteCheck {
  readonly name: string;
  readonly state: "waiting" | "running" | "passed" | "failed";
  /** True if the forge's own rules require it for the base. */
  readonly isRequired: boolean;
  /** Its page; absent if it has none. */
  readonly url?: string;
  /** Present if its workflow has skipped it: it counts as passed. Told of pull requests. */
  readonly isSkipped?: true;
  /** Present if it is over without having judged, as skipped or neutral: it counts as passed, and shows nothing. Told of branches. */
  readonly isInconclusive?: true;
  /** The run of a workflow that it is a job of, if it has failed or was skipped there. */
  readonly run?: string;
}

/** A conversation about lines of a pull request that nobody has resolved. Texts are untrusted. */
export interface ReviewThread {
  readonly id: string;
  /** `path:line`, or only the path. */
  readonly place: string;
  readonly author: string;
  readonly isBot: boolean;
  readonly body: string;
  /** Set if its lines have changed since: whoever comes next sees another text there. */
  readonly isOutdated?: true;
}

/** A comment of a person on a pull request, beside threads, or their review that asks for changes. Untrusted. */
export interface Comment {
  readonly id: string;
  readonly author: string;
  readonly body: string;
  /** Milliseconds since the epoch, by the forge's clock. */
  readonly at: number;
}

/** A pull request as one reading shows it. */
export interface PullRequestState {
  readonly number: number;
  readonly url: string;
  readonly state: "open" | "closed" | "merged";
  /** The commit at the tip of its branch. */
  readonly head: string;
  /** The branch that it is to land on. */
  readonly base: string;
  /** The commit on the base with which it was merged; present if it was. */
  readonly mergeCommit?: string;
  /** `behind`: the rules ask for a head that contains the base's tip. `blocked`: by a rule that nothing else here tells. */
  readonly merge: "ready" | "blocked" | "behind" | "conflict" | "unknown";
  /** The checks of `head`, and of no other commit. */
  readonly checks: readonly RemoteCheck[];
  /**
   * The workflows of `head`: no check is a job of one, some still run, so that more of their jobs may appear, or all are over. Absent if the
   * forge does not tell.
   */
  readonly workflows?: "none" | "running" | "over";
  /** Names of checks that the rules of the base require, whether they are registered or not. */
  readonly requiredChecks: readonly string[];
  /** Approvals count for `head` alone. */
  readonly review: "none" | "approved" | "approval-missing" | "changes-requested";
  readonly threads: readonly ReviewThread[];
  readonly comments: readonly Comment[];
  /** Its place in the merge queue, from 1; absent if it is in none. */
  readonly queuePosition?: number;
  /** True if the queue has begun the checks of its commit for it. */
  readonly isQueueChecking?: boolean;
  /** The last time that the queue let it go, with the queue's reason, safe for a terminal; absent if it never did. */
  readonly letGo?: { readonly id: string; readonly reason: string };
  /** True if the base takes changes through a merge queue alone. */
  readonly usesQueue: boolean;
}
