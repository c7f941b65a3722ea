import { firstFewLine } from "../../../domain/values/text.ts";
import { JobsStillRun, RerunRefused } from "../../../ports/forge.ts";
import { GitHubRefusal, LostAnswer } from "../../github/failures.ts";
import { checkName } from "./checks.ts";
import { hasFailed, type Job, listJobs, listNewestCheckRuns } from "./jobs.ts";
import { Anything, type GitHubRepository } from "./repository.ts";

/**
 * Starts failed jobs of GitHub Actions again, by the names of their checks. Checks of other apps, and statuses, cannot be started from
 * outside; they are left alone, as is what runs already. A run takes one request to start again, so if several jobs of it are wanted, it
 * starts all that failed in it. Gives the names of the wanted ones that it has started. Throws a JobsStillRun if a run of them is not over:
 * GitHub refuses these with 403, as it does what the token may not do, which is a RerunRefused.
 */
export async function rerunJobs(
  repository: GitHubRepository,
  head: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const failed = await failedJobs(repository, head, names);
  const putOff: (readonly string[])[] = [];
  for (const [run, jobs] of Map.groupBy(failed, (job) => job.run_id)) {
    try {
      await start(repository, run, jobs);
    } catch (error) {
      if (error instanceof GitHubRefusal) putOff.push(await reasonToWait(repository, { head, run, refusal: error }));
      else if (!(error instanceof LostAnswer)) throw error;
      else if ((await failedJobs(repository, head, names)).some((job) => job.run_id === run)) throw error;
    }
  }
  const open = putOff.flat();
  if (putOff.length > 0) throw new JobsStillRun(`GitHub re-runs failed jobs when ${ended(open)}`, open);
  return failed.map(({ name }) => checkName(name));
}

function start(repository: GitHubRepository, run_id: number, [first, ...others]: readonly Job[]): Promise<unknown> {
  return repository.write("start the job again", Anything, (rest, name) =>
    first !== undefined && others.length === 0
      ? rest.actions.reRunJobForWorkflowRun({ ...name, job_id: first.id })
      : rest.actions.reRunWorkflowFailedJobs({ ...name, run_id }),
  );
}

/** The names of the jobs for which GitHub refuses to start others of their run again, as far as they are known. Throws a RerunRefused if it is about anything else. */
async function reasonToWait(
  repository: GitHubRepository,
  { head, run, refusal }: { readonly head: string; readonly run: number; readonly refusal: GitHubRefusal },
): Promise<readonly string[]> {
  if (refusal.status !== 403) throw new RerunRefused(refusal.message);
  const jobs = [...(await listJobs(repository, head)).values()];
  const open = jobs.filter(({ run_id, status }) => run_id === run && status !== "completed");
  if (open.length === 0 && !/\balready running\b/i.test(refusal.message)) throw new RerunRefused(refusal.message);
  return open.map(({ name }) => checkName(name));
}

function ended(open: readonly string[]): string {
  if (open.length === 0) return "the others of their workflow run have ended";
  return `${firstFewLine([...open], 4)} ${open.length === 1 ? "has" : "have"} ended`;
}

async function failedJobs(repository: GitHubRepository, head: string, names: readonly string[]): Promise<readonly Job[]> {
  const runs = await listNewestCheckRuns(repository, head, new Set(names));
  const jobs = await listJobs(repository, head);
  return runs.flatMap(({ id }) => jobs.get(id) ?? []).filter(hasFailed);
}
