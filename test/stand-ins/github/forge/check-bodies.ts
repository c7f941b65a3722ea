import { userBody } from "../rest-bodies.ts";
import { timeText } from "../state.ts";
import { type At, minimalRepositoryBody, pullUrl, timeOrNull } from "./bodies.ts";
import { runState } from "./checks.ts";
import type { Found } from "./host.ts";
import type { Annotation, Artifact, Job, SeedWorkflow, Status, WorkflowRun } from "./model.ts";
import { isOpen } from "./pulls.ts";

/** The id of GitHub Actions as an app. */
const ACTIONS = 15_368;

/** A job as a check run: both have the same id. */
export function checkRunBody(at: At, found: Found, job: Job): object {
  const { repo } = found;
  const url = `${at.api}/repos/${repo.fullName}/check-runs/${job.id}`;
  return {
    id: job.id,
    node_id: `CR_${job.id}`,
    head_sha: job.sha,
    external_id: `job-${job.id}`,
    url,
    html_url: jobPage(at, found, job),
    details_url: jobPage(at, found, job),
    status: job.status,
    conclusion: job.conclusion,
    started_at: timeText(job.startedAt ?? job.createdAt),
    completed_at: timeOrNull(job.completedAt),
    output: {
      title: null,
      summary: null,
      text: null,
      annotations_count: job.annotations.length,
      annotations_url: `${url}/annotations`,
    },
    name: job.name,
    check_suite: { id: suiteOf(job.runId) },
    app: {
      id: ACTIONS,
      slug: "github-actions",
      node_id: "A_1",
      owner: userBody(at, "github"),
      name: "GitHub Actions",
      description: "Automate your workflow from idea to production",
      external_url: "https://help.github.com/en/actions",
      html_url: "https://github.com/apps/github-actions",
      created_at: timeText(0),
      updated_at: timeText(0),
      permissions: {},
      events: [],
    },
    pull_requests: pullsOf(at, found, job.sha),
  };
}

/** The page of a job. */
export function jobPage({ web }: Pick<At, "web">, { repo }: Found, { id, runId }: Job): string {
  return `${web}/${repo.fullName}/actions/runs/${runId}/job/${id}`;
}

/** The check suite of a run. */
export function suiteOf(runId: number): number {
  return runId + 1_000_000_000;
}

function pullsOf(at: At, found: Found, sha: string): readonly object[] {
  const { repo, forge } = found;
  const url = `${at.api}/repos/${repo.fullName}`;
  const short = { id: repo.id, url, name: repo.fullName.split("/")[1] ?? "" };
  return forge.pulls
    .filter((pull) => pull.fork === null && pull.headSha === sha && isOpen(found, pull))
    .map((pull) => ({
      id: repo.issues.find(({ number }) => number === pull.number)?.id ?? 0,
      number: pull.number,
      url: pullUrl(at, repo, pull),
      head: { ref: pull.headRef, sha: pull.headSha, repo: short },
      base: { ref: pull.baseRef, sha: pull.baseSha, repo: short },
    }));
}

export function annotationBody({ web }: At, { repo }: Found, { sha }: Job, annotation: Annotation): object {
  return {
    path: annotation.path,
    blob_href: `${web}/${repo.fullName}/blob/${sha}/${annotation.path}`,
    start_line: annotation.line,
    end_line: annotation.endLine,
    start_column: null,
    end_column: null,
    annotation_level: annotation.level,
    title: annotation.title ?? "",
    message: annotation.message,
    raw_details: null,
  };
}

/** The steps that the log shows: getting the tree, and the command. */
export function jobBody(at: At, found: Found, job: Job): object {
  const { repo, forge } = found;
  const run = forge.runs.find(({ id }) => id === job.runId);
  const api = `${at.api}/repos/${repo.fullName}`;
  const started = timeText(job.startedAt ?? job.createdAt);
  const step = (number: number, name: string) => ({
    name,
    number,
    status: job.status,
    conclusion: number === 1 && job.conclusion !== null ? "success" : job.conclusion,
    started_at: started,
    completed_at: timeOrNull(job.completedAt),
  });
  return {
    id: job.id,
    run_id: job.runId,
    run_url: `${api}/actions/runs/${job.runId}`,
    run_attempt: job.attempt,
    node_id: `CR_${job.id}`,
    head_sha: job.sha,
    head_branch: run?.branch ?? null,
    url: `${api}/actions/jobs/${job.id}`,
    html_url: jobPage(at, found, job),
    status: job.status,
    conclusion: job.conclusion,
    created_at: timeText(job.createdAt),
    started_at: started,
    completed_at: timeOrNull(job.completedAt),
    name: job.name,
    steps: job.startedAt === null ? [] : [step(1, "Set up job"), step(2, "Run the command")],
    check_run_url: `${api}/check-runs/${job.id}`,
    labels: ["ubuntu-latest"],
    runner_id: job.startedAt === null ? null : 1,
    runner_name: job.startedAt === null ? null : "GitHub Actions 1",
    runner_group_id: job.startedAt === null ? null : 1,
    runner_group_name: job.startedAt === null ? null : "GitHub Actions",
    workflow_name: run?.workflow ?? null,
  };
}

export function runBody(at: At, found: Found, run: WorkflowRun): object {
  const { repo, forge } = found;
  const api = `${at.api}/repos/${repo.fullName}`;
  const url = `${api}/actions/runs/${run.id}`;
  const workflowId = workflowIdOf(run.workflow);
  const { status, conclusion } = runState(forge, run);
  const repository = minimalRepositoryBody(at, repo);
  const actor = userBody(at, repo.fullName.split("/")[0] ?? "");
  return {
    id: run.id,
    name: run.workflow,
    node_id: `WFR_${run.id}`,
    check_suite_id: suiteOf(run.id),
    check_suite_node_id: `CS_${suiteOf(run.id)}`,
    head_branch: run.branch,
    head_sha: run.sha,
    path: workflowPath(run.workflow),
    run_number: run.number,
    run_attempt: run.attempt,
    event: run.event,
    status,
    conclusion,
    workflow_id: workflowId,
    workflow_url: `${api}/actions/workflows/${workflowId}`,
    url,
    html_url: `${at.web}/${repo.fullName}/actions/runs/${run.id}`,
    pull_requests: pullsOf(at, found, run.sha),
    created_at: timeText(run.createdAt),
    updated_at: timeText(run.updatedAt),
    run_started_at: timeText(run.createdAt),
    actor,
    triggering_actor: actor,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${api}/check-suites/${suiteOf(run.id)}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    head_commit: null,
    repository,
    head_repository: repository,
    display_title: run.branch,
  };
}

function workflowIdOf(name: string): number {
  return [...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 1_000_000;
}

/** The file of a workflow: a job of a tree's own file names its workflow by that. */
export function workflowPath(name: string): string {
  return name.startsWith(".github/") ? name : `.github/workflows/${name.toLowerCase()}.yml`;
}

export function workflowBody(at: At, { repo }: Found, { name, path, state }: SeedWorkflow & { state: string }): object {
  const url = `${at.api}/repos/${repo.fullName}/actions/workflows/${workflowIdOf(name)}`;
  return {
    id: workflowIdOf(name),
    node_id: `W_${workflowIdOf(name)}`,
    ...{ name, path, state, url },
    created_at: timeText(0),
    updated_at: timeText(0),
    html_url: `${at.web}/${repo.fullName}/blob/main/${path}`,
    badge_url: `${at.web}/${repo.fullName}/workflows/${encodeURIComponent(name)}/badge.svg`,
  };
}

/** Artifacts are kept for 90 days. */
const KEPT_MS = 90 * 24 * 3_600_000;

export function artifactBody({ api }: At, { repo }: Found, artifact: Artifact): object {
  const url = `${api}/repos/${repo.fullName}/actions/artifacts/${artifact.id}`;
  return {
    id: artifact.id,
    node_id: `ART_${artifact.id}`,
    name: artifact.name,
    size_in_bytes: artifact.size,
    url,
    archive_download_url: `${url}/zip`,
    expired: false,
    created_at: timeText(artifact.createdAt),
    updated_at: timeText(artifact.createdAt),
    expires_at: timeText(artifact.createdAt + KEPT_MS),
  };
}

export function statusBody(at: At, { repo }: Found, status: Status): object {
  return {
    id: status.id,
    node_id: `SC_${status.id}`,
    url: `${at.api}/repos/${repo.fullName}/statuses/${status.sha}`,
    avatar_url: null,
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: timeText(status.createdAt),
    updated_at: timeText(status.createdAt),
  };
}
