import { z } from "zod";
import { checkName, newestByKey } from "./checks.ts";
import { isPassed } from "./conclusions.ts";
import { allPages, type GitHubRepository, PAGE } from "./repository.ts";

/** Pages of a list; each has a hundred. */
const MOST_PAGES = 10;
/** Runs of workflows of one commit that are looked at. */
const MOST_RUNS = 30;

/** The fields of a check run that each of its readers needs, as GitHub's REST API has them. */
export const CheckRunFields = z.object({
  id: z.number(),
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullable(),
  details_url: z.string().nullable(),
  app: z.object({ slug: z.string().optional() }).nullable(),
});

const CheckRun = CheckRunFields.extend({
  output: z.object({ title: z.string().nullable(), summary: z.string().nullable(), text: z.string().nullable() }),
});
/** A check run with its output. */
export type CheckRun = z.infer<typeof CheckRun>;

const Job = z.object({
  id: z.number(),
  run_id: z.number(),
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullable(),
  check_run_url: z.string(),
});
/** A job of GitHub Actions. */
export type Job = z.infer<typeof Job>;

/** True if it is over and has not passed. */
export function hasFailed({ status, conclusion }: Pick<Job, "status" | "conclusion">): boolean {
  return status === "completed" && conclusion !== null && !isPassed(conclusion);
}

/** The check runs of a commit with these names, those before they were started again too. */
export async function listAllCheckRuns(
  repository: GitHubRepository,
  head: string,
  names: ReadonlySet<string>,
  filter: "all" | "latest" = "all",
): Promise<readonly CheckRun[]> {
  const schema = z.object({ check_runs: z.array(CheckRun) });
  const all = await allPages(MOST_PAGES, async (page) => {
    const { check_runs } = await repository.read("list its checks", schema, (rest, name) =>
      rest.checks.listForRef({ ...name, ref: head, filter, per_page: PAGE, page }),
    );
    return check_runs;
  });
  return all.filter(({ name }) => names.has(checkName(name)));
}

/** The newest check runs of a commit with these names. */
export async function listNewestCheckRuns(
  repository: GitHubRepository,
  head: string,
  names: ReadonlySet<string>,
): Promise<readonly CheckRun[]> {
  return newestByKey(
    await listAllCheckRuns(repository, head, names, "latest"),
    ({ name, app }) => `${app?.slug} ${name}`,
    ({ id }) => id,
  );
}

/** The jobs of a commit's workflow runs, by the ids of their check runs; "all": also those of earlier attempts. */
export async function listJobs(
  repository: GitHubRepository,
  head: string,
  filter: "all" | "latest" = "latest",
): Promise<ReadonlyMap<number, Job>> {
  const Runs = z.object({ workflow_runs: z.array(z.object({ id: z.number() })) });
  const Jobs = z.object({ jobs: z.array(Job) });
  const { workflow_runs } = await repository.read("list its workflow runs", Runs, (rest, name) =>
    rest.actions.listWorkflowRunsForRepo({ ...name, head_sha: head, per_page: MOST_RUNS }),
  );
  const ofRuns = workflow_runs.map(({ id: run_id }) =>
    allPages(MOST_PAGES, async (page) => {
      const { jobs } = await repository.read("list its jobs", Jobs, (rest, name) =>
        rest.actions.listJobsForWorkflowRun({ ...name, run_id, filter, per_page: PAGE, page }),
      );
      return jobs;
    }),
  );
  const jobs = (await Promise.all(ofRuns)).flat();
  return new Map(jobs.map((job) => [Number(/\/(\d+)$/.exec(job.check_run_url)?.[1] ?? job.id), job]));
}
