import { z } from "zod";
import type { BranchReading } from "../../../domain/ci/branch-move.ts";
import { isMeant } from "../../../domain/ci/workflow.ts";
import type { RemoteCheck } from "../../../domain/forge/pull-request.ts";
import type { BranchChecks } from "../../../ports/branch-checks.ts";
import { ForgeUnavailable } from "../../../ports/forge.ts";
import type { ClientOptions } from "../../github/client.ts";
import { GitHubRefusal } from "../../github/failures.ts";
import { checkName, newestByKey, overlap, plainUrl } from "./checks.ts";
import { isInconclusive } from "./conclusions.ts";
import { readFailedChecks, readHistory } from "./failures.ts";
import { CheckRunFields, hasFailed } from "./jobs.ts";
import { allPages, GitHubRepository, PAGE, reached } from "./repository.ts";
import { rerunJobs } from "./rerun.ts";
import { listStatuses } from "./statuses.ts";

/** Pages of a list; each has a hundred. */
const MOST_PAGES = 20;

/** A branch of a repository of GitHub, and which of its checks count. */
export interface BranchChecksOptions extends Omit<ClientOptions, "rights"> {
  /** `owner/name`. */
  readonly repo: string;
  readonly branch: string;
  /** The name or the file of the one workflow whose checks count; undefined: all checks. */
  readonly workflow?: string | undefined;
  /** The run of a workflow that counts for nothing: the one that waits for the others. */
  readonly ignoredRun?: number | undefined;
}

/** The app of GitHub's own workflows. */
const ACTIONS = "github-actions";

const Branch = z.object({ commit: z.object({ sha: z.string() }) });
const CheckRun = CheckRunFields.extend({
  check_suite: z.object({ id: z.number() }).nullable(),
  started_at: z.string().nullish(),
  completed_at: z.string().nullish(),
});
type CheckRun = z.infer<typeof CheckRun>;
const Runs = z.object({
  workflow_runs: z.array(
    z.object({
      id: z.number(),
      name: z.string().nullish(),
      path: z.string(),
      check_suite_id: z.number().optional(),
      status: z.string().nullable(),
    }),
  ),
});
type WorkflowRun = z.infer<typeof Runs>["workflow_runs"][number];

/** The checks of a branch at GitHub. Asks it nothing yet. */
export function createBranchChecks({ repo, branch, workflow, ignoredRun, ...access }: BranchChecksOptions): BranchChecks {
  const repository = new GitHubRepository(repo, access);
  const reading = { branch, workflow, ignoredRun };
  return {
    name: repository.fullName,
    pauseMs: (waited) => repository.pauseMs(waited),
    read: (signal) => reached(readBranch(repository.withSignal(signal), reading)),
    failures: (head, names, signal) => reached(readFailedChecks(repository.withSignal(signal), head, names)),
    history: (commit, names, signal) => reached(readHistory(repository.withSignal(signal), commit, names)),
    rerun: (head, names, signal) => reached(rerunJobs(repository.withSignal(signal), head, names)),
  };
}

type Wanted = Pick<BranchChecksOptions, "branch" | "workflow" | "ignoredRun">;

async function readBranch(repository: GitHubRepository, wanted: Wanted): Promise<BranchReading> {
  // Each reading of the one branch is a round of the budget.
  repository.beginReading(0);
  const tip = await readBranchTip(repository, wanted.branch);
  return { tip, ...(tip === undefined ? { checks: [] } : await readBranchChecks(repository, tip, wanted)) };
}

async function readBranchTip(repository: GitHubRepository, branch: string): Promise<string | undefined> {
  try {
    const { commit } = await repository.read("read the branch", Branch, (rest, name) =>
      rest.repos.getBranch({ ...name, branch }),
    );
    return commit.sha;
  } catch (error) {
    if (error instanceof GitHubRefusal && error.status === 404) return undefined;
    throw error;
  }
}

async function readBranchChecks(repository: GitHubRepository, head: string, wanted: Wanted): Promise<Omit<BranchReading, "tip">> {
  const all = await checkRuns(repository, head);
  const counts = await countingSuites(repository, head, wanted);
  const counting = all.filter(({ check_suite }) => counts(check_suite?.id));
  const latest = newestByKey(counting, checkRunKey, ({ id }) => id);
  const newest = counting.filter((run) => latest.some((later) => later === run || isSibling(run, later)));
  const statuses = wanted.workflow === undefined ? await listStatuses(repository, head) : [];
  const checks = [...newest.map(ofRun), ...statuses.map(ofStatus)];
  const suites = new Set(newest.flatMap(({ app, check_suite }) => (app?.slug === ACTIONS ? [check_suite?.id] : [])));
  if (suites.size > 0 && checks.every(({ state }) => state === "passed")) {
    const runs = await workflowRuns(repository, head);
    const isRunning = runs.some(({ check_suite_id, status }) => suites.has(check_suite_id) && status !== "completed");
    // One that has ended since may have had more jobs than those that were read before.
    const isMore = !isRunning && (await checkRuns(repository, head)).length > all.length;
    return { checks, isWorkflowRunning: isRunning || isMore || undefined };
  }
  if (checks.length === 0 || suites.size > 0) return { checks };
  const times = [...newest.map(({ started_at }) => started_at), ...statuses.map(({ created_at }) => created_at)];
  const known = times.map((time) => Date.parse(time ?? "")).filter((time) => !Number.isNaN(time));
  return { checks, withoutWorkflowSince: Math.min(...known) };
}

function checkRunKey({ name, app, check_suite }: CheckRun): string {
  return `${app?.slug} ${check_suite?.id} ${name}`;
}

/** True for another job of the same name in the same run of a workflow, such as one of a matrix. */
function isSibling(run: CheckRun, later: CheckRun): boolean {
  return checkRunKey(run) === checkRunKey(later) && overlap(run.completed_at, later.started_at);
}

/** The newest runs of checks of a commit. */
async function checkRuns(repository: GitHubRepository, head: string): Promise<readonly CheckRun[]> {
  const schema = z.object({ check_runs: z.array(CheckRun) });
  const all = await allPages(MOST_PAGES, async (page) => {
    const { check_runs } = await repository.read("list its checks", schema, (rest, name) =>
      rest.checks.listForRef({ ...name, ref: head, filter: "latest", per_page: PAGE, page }),
    );
    return check_runs;
  });
  if (all.length >= MOST_PAGES * PAGE) throw new ForgeUnavailable(`${head} has ${MOST_PAGES * PAGE} checks or more`);
  return all;
}

/** Tells whether the checks of a suite count. A suite of GitHub Actions is one run of a workflow. */
async function countingSuites(
  repository: GitHubRepository,
  head: string,
  { workflow, ignoredRun }: Wanted,
): Promise<(suite: number | undefined) => boolean> {
  if (workflow === undefined && ignoredRun === undefined) return () => true;
  const runs = await workflowRuns(repository, head);
  const suiteIds = (is: (run: WorkflowRun) => boolean) => new Set(runs.filter(is).map(({ check_suite_id }) => check_suite_id));
  const own = suiteIds(({ id }) => id === ignoredRun);
  if (workflow === undefined) return (suite) => !own.has(suite);
  const named = suiteIds((run) => isMeant(run, workflow));
  return (suite) => suite !== undefined && named.has(suite) && !own.has(suite);
}

function workflowRuns(repository: GitHubRepository, head: string): Promise<readonly WorkflowRun[]> {
  return allPages(MOST_PAGES, async (page) => {
    const { workflow_runs } = await repository.read("list its workflow runs", Runs, (rest, name) =>
      rest.actions.listWorkflowRunsForRepo({ ...name, head_sha: head, per_page: PAGE, page }),
    );
    return workflow_runs;
  });
}

function ofRun({ name, status, conclusion, details_url }: CheckRun): RemoteCheck {
  const isOver = status === "completed" && conclusion !== null;
  const open = status === "in_progress" ? "running" : "waiting";
  const state = !isOver ? open : hasFailed({ status, conclusion }) ? "failed" : "passed";
  return {
    ...{ name: checkName(name), state, isRequired: false },
    url: details_url !== null ? plainUrl(details_url) : undefined,
    isInconclusive: (isOver && isInconclusive(conclusion)) || undefined,
  };
}

const STATUS: Readonly<Record<string, RemoteCheck["state"]>> = { success: "passed", pending: "waiting" };

/** A status of the older kind, set by a service outside of GitHub Actions. */
function ofStatus({ context, state, target_url }: Awaited<ReturnType<typeof listStatuses>>[number]): RemoteCheck {
  return {
    ...{ name: checkName(context), state: STATUS[state] ?? "failed", isRequired: false },
    url: target_url !== null ? plainUrl(target_url) : undefined,
  };
}
