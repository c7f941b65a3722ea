import { type Asking, actor, connection, type PageArgs } from "../nodes.ts";
import { timeText } from "../state.ts";
import { jobPage, suiteOf } from "./check-bodies.ts";
import { latestJobs, latestStatuses, protectionOf, rollupState, runState } from "./checks.ts";
import { git } from "./git.ts";
import type { Found } from "./host.ts";
import type { Job, Status } from "./model.ts";

const ROLLUP = { passed: "SUCCESS", failed: "FAILURE", pending: "PENDING", missing: "EXPECTED" } as const;

/** A commit with its checks. */
export function commitNode(asking: Asking, found: Found, sha: string): object {
  const { repo, forge, folder } = found;
  const show = (format: string) => () => git(folder, ["show", "-s", `--format=${format}`, sha]);
  return {
    __typename: "Commit",
    id: `C_${sha}`,
    oid: sha,
    abbreviatedOid: sha.slice(0, 7),
    url: `${asking.web}/${repo.fullName}/commit/${sha}`,
    message: show("%B"),
    messageHeadline: show("%s"),
    committedDate: show("%cI"),
    // GitHub has null until the first check appears.
    statusCheckRollup() {
      const state = rollupState(forge, sha);
      if (state === "missing") return null;
      const jobs = latestJobs(forge, (job) => job.sha === sha).map((job) => checkRunNode(asking, found, job));
      const statuses = latestStatuses(forge, sha).map((status) => statusNode(asking, found, status));
      return {
        id: `SCR_${sha}`,
        state: ROLLUP[state],
        contexts: (args: PageArgs) => ({
          ...connection(
            [...[...jobs, ...statuses].entries()],
            ([at]) => at + 1,
            args,
            ([, node]) => node,
          ),
          checkRunCount: jobs.length,
          statusContextCount: statuses.length,
        }),
      };
    },
  };
}

interface RequiredArgs {
  readonly pullRequestNumber?: number;
  readonly pullRequestId?: string;
}

/** Whether the base of a pull request requires a check. */
function isRequiredBy({ repo, forge }: Found, context: string): (args: RequiredArgs) => boolean {
  return ({ pullRequestNumber, pullRequestId }) => {
    const pull = forge.pulls.find(
      ({ number }) =>
        number === pullRequestNumber ||
        (pullRequestId !== undefined &&
          repo.issues.some((issue) => issue.number === number && `PR_${issue.id}` === pullRequestId)),
    );
    if (pull === undefined) throw new Error("isRequired needs a pull request of this repository");
    return protectionOf(forge, pull.baseRef)?.contexts.includes(context) ?? false;
  };
}

function checkRunNode(asking: Asking, found: Found, job: Job): object {
  const run = found.forge.runs.find(({ id }) => id === job.runId);
  const page = jobPage(asking, found, job);
  return {
    __typename: "CheckRun",
    id: `CR_${job.id}`,
    databaseId: job.id,
    name: job.name,
    status: job.status.toUpperCase(),
    conclusion: job.conclusion?.toUpperCase() ?? null,
    url: page,
    detailsUrl: page,
    startedAt: job.startedAt === null ? null : timeText(job.startedAt),
    completedAt: job.completedAt === null ? null : timeText(job.completedAt),
    isRequired: isRequiredBy(found, job.name),
    checkSuite: () => ({
      id: `CS_${suiteOf(job.runId)}`,
      databaseId: suiteOf(job.runId),
      status: run === undefined ? "COMPLETED" : runState(found.forge, run).status.toUpperCase(),
      app: { id: "A_1", slug: "github-actions", name: "GitHub Actions" },
      workflowRun: {
        id: `WFR_${job.runId}`,
        databaseId: job.runId,
        runNumber: run?.number ?? 1,
        event: run?.event ?? "pull_request",
        url: `${asking.web}/${found.repo.fullName}/actions/runs/${job.runId}`,
        workflow: { id: `W_${run?.workflow}`, name: run?.workflow ?? "CI" },
      },
    }),
  };
}

function statusNode(asking: Asking, found: Found, status: Status): object {
  return {
    __typename: "StatusContext",
    id: `SC_${status.id}`,
    context: status.context,
    state: status.state.toUpperCase(),
    description: status.description,
    targetUrl: status.targetUrl,
    createdAt: timeText(status.createdAt),
    creator: () => actor(asking, status.creator),
    isRequired: isRequiredBy(found, status.context),
  };
}
