import { LostAnswer } from "../../github/failures.ts";
import { checkName } from "./checks.ts";
import { checkRunsOf, hasFailed, type Job, jobsOf } from "./jobs.ts";
import { Anything, type GitHubRepository } from "./repository.ts";

/**
 * Starts failed jobs of GitHub Actions again, by the names of their checks. Checks of other apps, and statuses, cannot be started from
 * outside; they are left alone, as is what runs already. A run takes one request to start again, so if several jobs of it are wanted, it
 * starts all that failed in it. Gives the names of the wanted ones that it has started.
 */
export async function rerunJobs(
  repository: GitHubRepository,
  head: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const failed = await failedJobs(repository, head, names);
  for (const [run_id, jobs] of Map.groupBy(failed, (job) => job.run_id)) {
    const [first, ...others] = jobs;
    try {
      await repository.write("start the job again", Anything, (rest, name) =>
        first !== undefined && others.length === 0
          ? rest.actions.reRunJobForWorkflowRun({ ...name, job_id: first.id })
          : rest.actions.reRunWorkflowFailedJobs({ ...name, run_id }),
      );
    } catch (error) {
      if (!(error instanceof LostAnswer)) throw error;
      const left = await failedJobs(repository, head, names);
      if (left.some((job) => job.run_id === run_id)) throw error;
    }
  }
  return failed.map(({ name }) => checkName(name));
}

async function failedJobs(repository: GitHubRepository, head: string, names: readonly string[]): Promise<readonly Job[]> {
  const runs = await checkRunsOf(repository, head, new Set(names));
  const jobs = await jobsOf(repository, head);
  return runs.flatMap(({ id }) => jobs.get(id) ?? []).filter(hasFailed);
}
