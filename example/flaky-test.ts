import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { JobRun } from "../test/stand-ins/github/forge/ci.ts";
import type { ForgeRepo, WorkflowRun } from "../test/stand-ins/github/forge/model.ts";
import type { GitHubStandIn } from "../test/stand-ins/github/server.ts";
import { ticketOf } from "./forge-people.ts";

/** The job whose tests measure time, and the ticket whose pull request meets a busy machine. */
const FLAKY = { repo: "example/shop", job: "tests", ticket: "SHOP-7" } as const;

const BUSY = { NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, "forge", "busy-machine.mjs")).href}` };

/**
 * Makes the shop's test that measures time flaky: the machines are busy that run it first, on each commit of main and on the pull request
 * of SHOP-7, until it has run again there. When it is red on main, a person starts it again, so that the base has both outcomes of it on
 * record. `known` resolves once it has, so that SHOP-7's check is not shown before.
 */
export function playFlakyTest(standIn: GitHubStandIn): { readonly known: (run: JobRun) => Promise<unknown> } {
  const { forge } = standIn;
  const found = (): ForgeRepo | undefined => standIn.state.repos.find(({ fullName }) => fullName === FLAKY.repo)?.forge;
  const runs = (): readonly WorkflowRun[] => found()?.runs ?? [];
  const isOver = (): boolean => runs().some(({ branch, attempt }) => ticketOf(branch) === FLAKY.ticket && attempt > 1);
  const isHit = ({ repo, job, sha, attempt }: JobRun): boolean =>
    repo === FLAKY.repo &&
    job === FLAKY.job &&
    attempt === 1 &&
    !isOver() &&
    runs().some((run) => run.sha === sha && (run.event === "push" || ticketOf(run.branch) === FLAKY.ticket));
  forge.machine = (run) => (isHit(run) ? BUSY : {});

  const failedOnMain = (): string | undefined =>
    runs().find(({ id, event, attempt }) => {
      const jobs = found()?.ciJobs.filter((job) => job.runId === id && job.attempt === attempt) ?? [];
      return event === "push" && attempt === 1 && jobs.some(({ conclusion }) => conclusion === "failure");
    })?.sha;
  const startAgain = async (): Promise<void> => {
    for (;;) {
      await forge.until(() => failedOnMain() !== undefined);
      await forge.person("ann").rerunFailed(FLAKY.repo, failedOnMain() ?? "");
    }
  };
  startAgain().catch(forge.host.mistake);

  const hasHistory = (): boolean =>
    runs()
      .filter(({ event }) => event === "push")
      .every((run) => found()?.ciJobs.some(({ runId, conclusion }) => runId === run.id && conclusion === "success"));
  return { known: async (run) => isHit(run) && run.event !== "push" && (await forge.until(hasHistory)) };
}
