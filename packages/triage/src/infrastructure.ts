import type { Draft } from "./draft.ts";
import type { Finding } from "./finding.ts";

/** Words of a machine or a service that failed, not of the change. */
export interface InfrastructureClass {
  readonly name: string;
  /** Begins at the start of a line. All repeats are bounded. */
  readonly pattern: RegExp;
  /** The reason why it is no failure of the change. */
  readonly why: string;
  /** A line that matches. */
  readonly example: string;
}

/** Prefixes that runners and package managers put before their own words. */
const PREFIX = "^(?:##\\[error\\]|::error::|Error: |ERROR: |error: |npm (?:error|ERR!) ){0,3}";

function begins(pattern: string): RegExp {
  return new RegExp(`${PREFIX}(?:${pattern})`);
}

/**
 * The classes. Each line is anchored, and as narrow as the program's own words. Still, the code under judgement writes the same
 * log and can print any of them: so a class earns the job one re-run by name, never a pass (see `jobsToRerun`).
 */
export const INFRASTRUCTURE: readonly InfrastructureClass[] = [
  {
    name: "runner-lost",
    pattern: begins(
      "The (?:hosted|self-hosted) runner (?:lost communication with the server|encountered an error while running your job)",
    ),
    why: "GitHub lost the machine",
    example:
      "##[error]The hosted runner lost communication with the server. Anything in your workflow that terminates the runner process…",
  },
  {
    name: "runner-shutdown",
    pattern: begins("The runner has received a shutdown signal"),
    why: "the machine was taken away: preempted, scaled down or deallocated",
    example:
      "##[error]The runner has received a shutdown signal. This can happen when the runner service is stopped, or a manually started…",
  },
  {
    name: "job-cancelled",
    pattern: begins(
      "The operation was canceled\\.?$|The job was not acquired by Runner of type \\w{1,40} even after multiple attempts",
    ),
    why: "somebody or a time limit cancelled the job, or no machine took it: nothing was judged",
    example: "##[error]The operation was canceled.",
  },
  {
    name: "job-timeout",
    pattern: begins("The job running on runner .{1,200} has exceeded the maximum execution time of \\d{1,6} minutes"),
    why: "the job reached its time limit, perhaps on a slow machine",
    example: "##[error]The job running on runner GitHub Actions 12 has exceeded the maximum execution time of 360 minutes.",
  },
  {
    name: "npm-registry",
    pattern:
      /^npm (?:error|ERR!) (?:code|errno) (?:ECONNRESET|ETIMEDOUT|EAI_AGAIN|ECONNREFUSED|ENOTFOUND|ERR_SOCKET_TIMEOUT|E50[0234]|E429)$/,
    why: "npm could not reach its registry",
    example: "npm error code ETIMEDOUT",
  },
  {
    name: "pip-registry",
    pattern: begins(
      "(?:pip\\._vendor\\.)?urllib3\\.exceptions\\.(?:ReadTimeoutError|ProtocolError|NewConnectionError): |HTTP error (?:429|50[0234]) while getting |Could not install packages due to an OSError: HTTPS?ConnectionPool\\(",
    ),
    why: "pip could not reach its index",
    example: "ERROR: HTTP error 503 while getting https://files.example.com/packages/a.whl",
  },
  {
    name: "cargo-registry",
    pattern:
      /^(?:warning: spurious network error \(\d{1,3} tries remaining\)|error: failed to download (?:from `|`)|error: download of \S{1,300} failed$)/,
    why: "cargo could not reach its registry",
    example: "error: download of config.json failed",
  },
  {
    name: "go-proxy",
    pattern:
      /^go: .{1,400}(?:: (?:read|dial) tcp .{1,200}: (?:i\/o timeout|connection reset by peer|connect: connection refused)|: TLS handshake timeout|: reading \S{1,300}: (?:429|50[0234]) .{1,100})$/,
    why: "go could not reach its module proxy",
    example: "go: example.com/mod@v1.2.3: reading https://proxy.example.com/mod/@v/v1.2.3.zip: 502 Bad Gateway",
  },
  {
    name: "disk-full",
    pattern: begins(
      "(?:no space left on device|ENOSPC: no space left on device|You are running out of disk space|(?:fatal: )?(?:write error|cannot create \\S{1,300}|.{1,200}): No space left on device$)|System\\.IO\\.IOException: No space left on device",
    ),
    why: "the machine's disk is full",
    example: "tar: dist/app.js: Cannot write: No space left on device",
  },
  {
    name: "rate-limit",
    pattern: begins(
      "(?:HttpError: )?(?:API rate limit exceeded(?: for .{1,200})?\\.?|You have exceeded a secondary rate limit\\b.{0,300}|.{0,200}\\brate limit exceeded(?: for installation ID \\d{1,12})?\\.?$)",
    ),
    why: "a service's quota is used up",
    example: "Error: API rate limit exceeded for installation ID 12345.",
  },
  {
    name: "spending-limit",
    pattern: begins(
      "The job was not started because (?:recent account payments have failed|your account is locked|.{0,120}spending limit)",
    ),
    why: "the account's quota of minutes is used up",
    example:
      "##[error]The job was not started because recent account payments have failed or your spending limit needs to be increased.",
  },
  {
    name: "docker-pull-limit",
    pattern: begins(
      '(?:Error response from daemon: )?(?:toomanyrequests: |received unexpected HTTP status: 50[0234]|Get "https://\\S{1,300}": (?:net/http: TLS handshake timeout|net/http: request canceled|context deadline exceeded|dial tcp .{1,200}))',
    ),
    why: "the image registry refused or did not answer",
    example: "Error response from daemon: toomanyrequests: You have reached your pull rate limit.",
  },
  {
    name: "action-download",
    pattern: begins(
      "(?:Failed to download action '|An action could not be found at the URI '|Unable to download (?:the )?artifact\\b|Failed to restore cache entry\\. Exiting as fail-on-cache-miss)",
    ),
    why: "GitHub could not give the job an action, an artifact or a cache",
    example:
      "##[error]Failed to download action 'https://api.example.com/repos/a/b/tarball/v1'. Error: Response status code: 503",
  },
];

/** The first line of a log for each class that it shows. */
export function parseInfrastructure(lines: readonly string[]): readonly Draft[] {
  const found = new Map<string, Draft>();
  for (const line of lines) {
    const hit = INFRASTRUCTURE.find(({ name, pattern }) => !found.has(name) && pattern.test(line));
    if (hit !== undefined) found.set(hit.name, infrastructureDraft(hit, line));
  }
  return [...found.values()];
}

/** The finding of a line by itself, if it is one of a class. */
export function matchInfrastructure(line: string): InfrastructureClass | undefined {
  return INFRASTRUCTURE.find(({ pattern }) => pattern.test(line));
}

function infrastructureDraft({ name, why }: InfrastructureClass, line: string): Draft {
  return {
    tool: name,
    severity: "medium",
    category: "infrastructure",
    message: line.replace(/^(?:##\[error\]|::error::)/, ""),
    hints: [why],
  };
}

/**
 * The jobs to run again by name: those with a finding of `infrastructure` that have not been run again before, sorted. A job is run
 * again once, whatever its second log says: tests can print these words, so a second time proves nothing. The result of the
 * second run alone decides.
 */
export function jobsToRerun(
  findings: readonly Pick<Finding, "category" | "job">[],
  alreadyRerun: ReadonlySet<string>,
): readonly string[] {
  const jobs = findings.filter(({ category }) => category === "infrastructure").map(({ job }) => job);
  return [...new Set(jobs)].filter((job) => !alreadyRerun.has(job)).toSorted();
}
