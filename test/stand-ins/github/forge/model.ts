/** What the stand-in keeps of a repository with git, pull requests and checks, as plain data, so that it can be copied. */

export type MergeMethod = "merge" | "squash" | "rebase";

/** A job of CI: what a workflow file would say. Each is one check run per SHA and attempt. */
export interface SeedJob {
  /** The name of its check. */
  readonly name: string;
  /** A program and its arguments, run in a checkout of the pushed tree without a shell. `node` is the Node of the tests. */
  readonly command: readonly string[];
  /** True if the default branch requires it. */
  readonly isRequired?: boolean;
  /** The command runs, but the first attempt on each SHA fails whatever it says. */
  readonly flaky?: "fails first on each SHA";
  /** The runner gives up instead of running the command, in the first attempts on each SHA; `commits`: on the first so many alone. */
  readonly infrastructure?: { readonly how: InfrastructureFault; readonly attempts: number; readonly commits?: number };
  /** Default: "CI". */
  readonly workflow?: string;
  /** The job of its workflow without whose success it is skipped. Its check appears once that one is over. */
  readonly needs?: string;
  /** Which events start it; `push`: of the default branch. Default: the others. */
  readonly on?: readonly CiEvent[];
  /** Milliseconds until it is ended. Default: 60,000. */
  readonly timeoutMs?: number;
}

/** A workflow beside those of the jobs: one that GitHub provides itself, or whose file was deleted. */
export interface SeedWorkflow {
  readonly name: string;
  readonly path: string;
  /** Default: "active". */
  readonly state?: "active" | "deleted" | "disabled_manually";
}

export type CiEvent = "pull_request" | "merge_group" | "push";

export type InfrastructureFault = "runner lost" | "shutdown signal" | "timed_out" | "cancelled";

export interface Settings {
  allowSquash: boolean;
  allowMerge: boolean;
  allowRebase: boolean;
  deletesBranchOnMerge: boolean;
}

/** What a branch demands. */
export interface Protection {
  /** Where it is written down: as branch protection, as rules, or as both. Readers see each only at its own address. */
  source: "classic" | "rules" | "both";
  contexts: readonly string[];
  /** True if a head must contain the tip of the base. */
  isStrict: boolean;
  approvals: number;
  /** True if a push dismisses approvals. */
  dismissesStale: boolean;
  /** True if every review thread must be resolved. */
  resolvesThreads: boolean;
  hasLinearHistory: boolean;
  /** How the merge queue merges; null without one. */
  mergeQueue: MergeMethod | null;
}

/** A repository with git, as a seed describes it. */
export interface SeedForge {
  /** The first commit's files. Default: a README. */
  readonly files?: Readonly<Record<string, string>>;
  /** A repository on this machine that is copied instead. */
  readonly from?: string;
  /** Default: "main". */
  readonly defaultBranch?: string;
  readonly jobs?: readonly SeedJob[];
  /** Workflows beside those of the jobs. */
  readonly workflows?: readonly SeedWorkflow[];
  /** True if the workflow files of each pushed tree are read too, and their jobs run. */
  readonly readsWorkflows?: boolean;
  readonly settings?: Partial<Settings>;
  /** By branch. A required job protects the default branch by itself. */
  readonly protection?: Readonly<Record<string, Partial<Protection>>>;
}

export type ReviewState = "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED" | "DISMISSED";

export interface Review {
  readonly id: number;
  readonly author: string;
  state: ReviewState;
  readonly body: string;
  readonly sha: string;
  readonly submittedAt: number;
}

export interface ThreadComment {
  readonly id: number;
  readonly author: string;
  body: string;
  readonly reviewId: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Thread {
  readonly id: number;
  readonly path: string;
  /** Null once its lines have changed. */
  line: number | null;
  readonly originalLine: number;
  /** The commit that it was written about. */
  readonly sha: string;
  isResolved: boolean;
  readonly comments: ThreadComment[];
}

/** What a pull request has beyond its issue, which has title, text, state and comments. */
export interface Pull {
  /** The last time that the merge queue let it go. */
  letGo?: { readonly id: string; readonly reason: string };
  readonly number: number;
  /** The owner of the fork whose branch it is; null if the branch is one of this repository. */
  readonly fork: string | null;
  readonly headRef: string;
  headSha: string;
  baseRef: string;
  /** The base's tip when the head was last pushed. */
  baseSha: string;
  isDraft: boolean;
  mergedAt: number | null;
  mergedBy: string | null;
  mergeSha: string | null;
  reviewers: string[];
  readonly reviews: Review[];
  readonly threads: Thread[];
}

export type Conclusion = "success" | "failure" | "neutral" | "cancelled" | "skipped" | "timed_out" | "action_required";

export interface Annotation {
  readonly path: string;
  readonly line: number;
  readonly endLine: number;
  readonly level: "failure" | "warning" | "notice";
  readonly title: string | null;
  readonly message: string;
}

/** A job of a workflow run, which is also a check run with the same id. */
export interface Job {
  readonly id: number;
  readonly runId: number;
  readonly name: string;
  readonly sha: string;
  readonly attempt: number;
  status: "queued" | "in_progress" | "completed";
  conclusion: Conclusion | null;
  readonly createdAt: number;
  startedAt: number | null;
  completedAt: number | null;
  annotations: Annotation[];
}

export interface WorkflowRun {
  readonly id: number;
  readonly number: number;
  readonly workflow: string;
  readonly event: CiEvent;
  readonly branch: string;
  readonly sha: string;
  attempt: number;
  readonly createdAt: number;
  updatedAt: number;
  /** Names of its jobs that wait for others, and have no check yet. */
  awaited: string[];
}

export interface Artifact {
  readonly id: number;
  readonly runId: number;
  readonly name: string;
  readonly size: number;
  readonly createdAt: number;
}

/** A status of the older kind, set by services outside of Actions. */
export interface Status {
  readonly id: number;
  readonly sha: string;
  readonly context: string;
  readonly state: "error" | "failure" | "pending" | "success";
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly creator: string;
  readonly createdAt: number;
}

export interface QueueEntry {
  readonly id: number;
  readonly pull: number;
  readonly headSha: string;
  readonly enqueuedAt: number;
  readonly enqueuedBy: string;
  state: "QUEUED" | "AWAITING_CHECKS" | "MERGEABLE" | "UNMERGEABLE" | "LOCKED";
  groupSha: string | null;
}

export interface ForgeRepo {
  readonly defaultBranch: string;
  readonly jobs: readonly SeedJob[];
  readonly workflows: readonly SeedWorkflow[];
  readonly readsWorkflows: boolean;
  readonly settings: Settings;
  readonly protection: Record<string, Protection>;
  readonly pulls: Pull[];
  readonly runs: WorkflowRun[];
  readonly ciJobs: Job[];
  readonly artifacts: Artifact[];
  readonly statuses: Status[];
  queue: QueueEntry[];
}

const OPEN: Protection = {
  source: "both",
  contexts: [],
  isStrict: false,
  approvals: 0,
  dismissesStale: false,
  resolvesThreads: false,
  hasLinearHistory: false,
  mergeQueue: null,
};

/** The first state of a seed; the git repository is made when the stand-in opens. */
export function forgeRepoOf(seed: SeedForge): ForgeRepo {
  const { defaultBranch = "main", jobs = [], workflows = [], readsWorkflows = false, settings, protection = {} } = seed;
  const required = jobs.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const isDefaultProtected = required.length > 0 || protection[defaultBranch] !== undefined;
  const wanted = { ...protection, ...(isDefaultProtected && { [defaultBranch]: { ...protection[defaultBranch] } }) };
  const full = Object.entries(wanted).map(([branch, part]) => {
    const contexts = [...(part.contexts ?? []), ...(branch === defaultBranch ? required : [])];
    return [branch, { ...OPEN, ...part, contexts: [...new Set(contexts)] }] as const;
  });
  return {
    defaultBranch,
    jobs,
    workflows,
    readsWorkflows,
    settings: { allowSquash: true, allowMerge: true, allowRebase: true, deletesBranchOnMerge: false, ...settings },
    protection: Object.fromEntries(full),
    pulls: [],
    runs: [],
    ciJobs: [],
    artifacts: [],
    statuses: [],
    queue: [],
  };
}
