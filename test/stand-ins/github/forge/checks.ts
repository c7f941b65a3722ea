import type { ForgeRepo, Job, Protection, Status, WorkflowRun } from "./model.ts";

/** The newest attempt of each job of a commit, in the order of their first appearance. */
export function latestJobs({ ciJobs }: ForgeRepo, wanted: (job: Job) => boolean): readonly Job[] {
  const byName = Map.groupBy(ciJobs.filter(wanted), ({ runId, name }) => `${runId} ${name}`);
  return [...byName.values()].flatMap((jobs) => jobs.filter(({ attempt }) => attempt === jobs.at(-1)?.attempt));
}

/** The newest status of each context of a commit. */
export function latestStatuses({ statuses }: ForgeRepo, sha: string): readonly Status[] {
  const byContext = new Map<string, Status>();
  for (const status of statuses) if (status.sha === sha) byContext.set(status.context, status);
  return [...byContext.values()];
}

export type ContextState = "passed" | "failed" | "pending" | "missing";

/** How a required check stands on a commit. */
export function contextState(forge: ForgeRepo, sha: string, context: string): ContextState {
  const jobs = latestJobs(forge, (job) => job.sha === sha && job.name === context).map(jobState);
  const statuses = latestStatuses(forge, sha).filter((status) => status.context === context);
  const all = [...jobs, ...statuses.map(statusState)];
  if (all.length === 0) return "missing";
  return all.includes("failed") ? "failed" : all.includes("pending") ? "pending" : "passed";
}

/** How all checks of a commit stand together. */
export function rollupState(forge: ForgeRepo, sha: string): ContextState {
  const all = [...latestJobs(forge, (job) => job.sha === sha).map(jobState), ...latestStatuses(forge, sha).map(statusState)];
  if (all.length === 0) return "missing";
  return all.includes("failed") ? "failed" : all.includes("pending") ? "pending" : "passed";
}

function jobState({ status, conclusion }: Job): ContextState {
  if (status !== "completed") return "pending";
  return conclusion === "success" || conclusion === "neutral" || conclusion === "skipped" ? "passed" : "failed";
}

function statusState({ state }: Status): ContextState {
  return state === "success" ? "passed" : state === "pending" ? "pending" : "failed";
}

/** A run's status and conclusion follow from its jobs. */
export function runState(forge: ForgeRepo, { id, awaited }: WorkflowRun): Pick<Job, "status" | "conclusion"> {
  const jobs = latestJobs(forge, (job) => job.runId === id);
  if (awaited.length > 0 || jobs.some(({ status }) => status !== "completed")) {
    const isQueued = jobs.every(({ status }) => status === "queued");
    return { status: isQueued ? "queued" : "in_progress", conclusion: null };
  }
  const conclusions = new Set(jobs.map(({ conclusion }) => conclusion));
  const worst = (["failure", "timed_out", "cancelled", "action_required"] as const).find((each) => conclusions.has(each));
  return { status: "completed", conclusion: worst ?? "success" };
}

/** What a branch demands; undefined if it is not protected. */
export function protectionOf(forge: ForgeRepo, branch: string): Protection | undefined {
  return forge.protection[branch];
}
