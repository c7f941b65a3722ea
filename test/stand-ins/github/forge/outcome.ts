import type { Annotation, Conclusion, SeedJob } from "./model.ts";
import type { JobResult } from "./run-job.ts";

/** The end of a job: what its check, its log and its artifacts say. */
export interface Outcome {
  readonly conclusion: Conclusion;
  readonly log: readonly string[];
  readonly annotations: readonly Annotation[];
  readonly reports: Readonly<Record<string, Buffer>>;
}

const INFRASTRUCTURE: Readonly<Record<string, { readonly conclusion: Conclusion; readonly message: string }>> = {
  "runner lost": {
    conclusion: "failure",
    message:
      "The hosted runner lost communication with the server. Anything in your workflow that terminates the runner process, starves it for CPU/Memory, or blocks its network access can cause this error.",
  },
  "shutdown signal": {
    conclusion: "failure",
    message:
      "The runner has received a shutdown signal. This can happen when the runner service is stopped, or a manually started runner is canceled.",
  },
  timed_out: {
    conclusion: "timed_out",
    message: "The job was not acquired by Runner of type hosted even after multiple attempts",
  },
  cancelled: { conclusion: "cancelled", message: "The operation was canceled." },
};

function failure(message: string): Annotation {
  return { path: ".github", line: 1, endLine: 1, level: "failure", title: null, message };
}

/** The runner gave up: GitHub has no log of such a job. */
export function lost(how: string): Outcome {
  const { conclusion = "failure", message = how } = INFRASTRUCTURE[how] ?? {};
  return { conclusion, log: [], annotations: [failure(message)], reports: {} };
}

/** What the end of the command says. */
export function concluded({ name, command, flaky, timeoutMs }: SeedJob, attempt: number, result: JobResult): Outcome {
  const { exitCode, isTimedOut, annotations, reports } = result;
  const log = [`##[group]Run ${command.join(" ")}`, "##[endgroup]", ...result.log];
  if (isTimedOut) {
    const message = `The job running on runner GitHub Actions 1 has exceeded the maximum execution time of ${timeoutMs ?? 60_000} milliseconds.`;
    return {
      conclusion: "cancelled",
      log: [...log, `##[error]${message}`],
      annotations: [...annotations, failure(message)],
      reports,
    };
  }
  if (exitCode === 0 && (flaky === undefined || attempt > 1)) return { conclusion: "success", log, annotations, reports };
  if (exitCode === 0) log.push(`${name}: a flaky step failed`);
  const message = `Process completed with exit code ${exitCode === 0 ? 1 : (exitCode ?? 137)}.`;
  return {
    conclusion: "failure",
    log: [...log, `##[error]${message}`],
    annotations: [...annotations, failure(message)],
    reports,
  };
}
