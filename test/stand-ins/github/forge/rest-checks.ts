import type { RestAnswer } from "../rest.ts";
import { userBody } from "../rest-bodies.ts";
import { newId } from "../state.ts";
import { minimalRepositoryBody } from "./bodies.ts";
import {
  annotationBody,
  artifactBody,
  checkRunBody,
  jobBody,
  runBody,
  statusBody,
  workflowBody,
  workflowPath,
} from "./check-bodies.ts";
import { latestJobs, latestStatuses, runState } from "./checks.ts";
import { commitOf } from "./git.ts";
import type { Job, SeedWorkflow, Status, WorkflowRun } from "./model.ts";
import { Refusal } from "./refusal.ts";
import { byNumber, DOCS, type ForgeRequest, listAnswer, pageOf, type Routes } from "./rest-request.ts";
import { zipOf } from "./zip.ts";

/** Check runs, statuses, and the runs, jobs, logs and artifacts of Actions. */
export const checkRoutes: Routes = {
  "get /commits/{ref}/check-runs": listCheckRuns,
  "get /commits/{ref}/status": combinedStatus,
  "post /statuses/{sha}": setStatus,
  "get /check-runs/{check_run_id}": (request) => ({
    status: 200,
    body: checkRunBody(request, request.found, jobOf(request, "check_run_id")),
  }),
  "get /check-runs/{check_run_id}/annotations": (request) => {
    const job = jobOf(request, "check_run_id");
    return listAnswer(request, job.annotations, (each) => annotationBody(request, request.found, job, each));
  },
  "get /actions/workflows": (request) => {
    const { found } = request;
    const { jobs, runs, workflows } = found.forge;
    const names = new Set([...jobs.map(({ workflow = "CI" }) => workflow), ...runs.map(({ workflow }) => workflow)]);
    const all = [...[...names].map((name): SeedWorkflow => ({ name, path: workflowPath(name) })), ...workflows];
    return counted(request, "workflows", all, (each) => workflowBody(request, found, { state: "active", ...each }));
  },
  "get /actions/runs": (request) => {
    const { found, query } = request;
    const wanted = (name: string, value: string) => query.get(name) === null || query.get(name) === value;
    const runs = found.forge.runs.filter(
      (run) => wanted("head_sha", run.sha) && wanted("branch", run.branch) && wanted("event", run.event),
    );
    return counted(request, "workflow_runs", runs.toReversed(), (run) => runBody(request, found, run));
  },
  "get /actions/runs/{run_id}": (request) => ({ status: 200, body: runBody(request, request.found, runOf(request)) }),
  "get /actions/runs/{run_id}/jobs": (request) => {
    const { found, query } = request;
    const { id } = runOf(request);
    const isOfRun = ({ runId }: Job) => runId === id;
    const jobs = query.get("filter") === "all" ? found.forge.ciJobs.filter(isOfRun) : latestJobs(found.forge, isOfRun);
    return counted(request, "jobs", jobs, (job) => jobBody(request, found, job));
  },
  "get /actions/runs/{run_id}/artifacts": (request) => {
    const { found, query } = request;
    const { id } = runOf(request);
    const name = query.get("name");
    const artifacts = found.forge.artifacts.filter((each) => each.runId === id && (name === null || each.name === name));
    return counted(request, "artifacts", artifacts, (each) => artifactBody(request, found, each));
  },
  "post /actions/runs/{run_id}/rerun-failed-jobs": (request) => {
    const run = runOf(request);
    const failed = latestJobs(request.found.forge, ({ runId }) => runId === run.id).filter(({ conclusion }) =>
      hasFailed(conclusion),
    );
    return rerun(request, run, failed);
  },
  "get /actions/jobs/{job_id}": (request) => ({ status: 200, body: jobBody(request, request.found, jobOf(request, "job_id")) }),
  "get /actions/jobs/{job_id}/logs": (request) => {
    const job = jobOf(request, "job_id");
    const log = request.forge.ci.logs.get(job.id);
    // A job that has not ended, or whose runner was lost, has no log.
    if (job.status !== "completed" || log === undefined || log === "") throw new Refusal(404, "Not Found");
    return found302(request.forge.downloads.offer("text/plain; charset=utf-8", Buffer.from(log)));
  },
  "post /actions/jobs/{job_id}/rerun": (request) => {
    const job = jobOf(request, "job_id");
    const run = byNumber(request.found.forge.runs, ({ id }) => id, String(job.runId));
    return rerun(request, run, [job]);
  },
  "get /actions/artifacts/{artifact_id}/{archive_format}": (request) => {
    const { parameters } = request.operation;
    const artifact = byNumber(request.found.forge.artifacts, ({ id }) => id, parameters["artifact_id"]);
    if (parameters["archive_format"] !== "zip") throw new Refusal(404, "Not Found");
    const files = request.forge.ci.files.get(artifact.id) ?? {};
    return found302(request.forge.downloads.offer("application/zip", zipOf(files)));
  },
};

function found302(location: string): RestAnswer {
  return { status: 302, headers: { location } };
}

function jobOf({ found, operation }: ForgeRequest, parameter: string): Job {
  return byNumber(found.forge.ciJobs, ({ id }) => id, operation.parameters[parameter]);
}

function runOf({ found, operation }: ForgeRequest): WorkflowRun {
  return byNumber(found.forge.runs, ({ id }) => id, operation.parameters["run_id"]);
}

function hasFailed(conclusion: Job["conclusion"]): boolean {
  return conclusion === "failure" || conclusion === "cancelled" || conclusion === "timed_out";
}

/** A list that is wrapped with its length. */
function counted<T>(request: ForgeRequest, key: string, all: readonly T[], bodyOf: (item: T) => object): RestAnswer {
  const { items, ...more } = pageOf(request, all);
  return { status: 200, body: { total_count: all.length, [key]: items.map(bodyOf) }, ...more };
}

/** The commit that a reference names: a SHA, a branch, or `heads/branch`. */
async function shaOf({ found, operation }: ForgeRequest, parameter: string): Promise<string> {
  const ref = operation.parameters[parameter] ?? "";
  const sha = await commitOf(found.folder, /^[0-9a-f]{40}$/.test(ref) ? ref : `refs/heads/${ref.replace(/^heads\//, "")}`);
  if (sha === undefined) throw new Refusal(422, `No commit found for SHA: ${ref}`);
  return sha;
}

async function listCheckRuns(request: ForgeRequest): Promise<RestAnswer> {
  const { found, query } = request;
  const sha = await shaOf(request, "ref");
  const name = query.get("check_name");
  const status = query.get("status");
  const isWanted = (job: Job) => job.sha === sha && (name === null || job.name === name);
  const all = query.get("filter") === "all" ? found.forge.ciJobs.filter(isWanted) : latestJobs(found.forge, isWanted);
  const jobs = all.filter((job) => status === null || job.status === status);
  return counted(request, "check_runs", jobs, (job) => checkRunBody(request, found, job));
}

async function combinedStatus(request: ForgeRequest): Promise<RestAnswer> {
  const { found, api } = request;
  const sha = await shaOf(request, "ref");
  const statuses = latestStatuses(found.forge, sha);
  const states = statuses.map(({ state }) => state);
  const state =
    states.includes("failure") || states.includes("error")
      ? "failure"
      : states.length === 0 || states.includes("pending")
        ? "pending"
        : "success";
  const url = `${api}/repos/${found.repo.fullName}/commits/${sha}`;
  const { items, ...more } = pageOf(request, statuses);
  const body = {
    state,
    sha,
    total_count: statuses.length,
    statuses: items.map((each) => statusBody(request, found, each)),
    repository: minimalRepositoryBody(request, found.repo),
    commit_url: url,
    url: `${url}/status`,
  };
  return { status: 200, body, ...more };
}

async function setStatus(request: ForgeRequest): Promise<RestAnswer> {
  const { found, body, viewer, state, now } = request;
  const sha = await shaOf(request, "sha");
  const text = (name: string) => (typeof body[name] === "string" ? body[name] : null);
  const status: Status = {
    id: newId(state),
    sha,
    context: text("context") ?? "default",
    state: body["state"] as Status["state"],
    description: text("description"),
    targetUrl: text("target_url"),
    creator: viewer,
    createdAt: now,
  };
  found.forge.statuses.push(status);
  return { status: 201, body: { ...statusBody(request, found, status), creator: userBody(request, viewer) }, isWrite: true };
}

function rerun({ forge, found }: ForgeRequest, run: WorkflowRun, jobs: readonly Job[]): RestAnswer {
  const isOver = runState(found.forge, run).status === "completed";
  if (!isOver) {
    const message = "The workflow run containing this job is already running";
    return { status: 403, body: { message, documentation_url: DOCS, status: "403" } };
  }
  if (jobs.length === 0) throw new Refusal(403, "This workflow run has no failed jobs");
  forge.ci.rerun(
    found.repo.fullName,
    run,
    jobs.map(({ name }) => name),
  );
  return { status: 201, body: {}, isWrite: true };
}
