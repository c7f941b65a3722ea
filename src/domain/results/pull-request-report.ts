import type { PullRequestState } from "../forge/pull-request.ts";
import { pushTime } from "../forge/push-time.ts";
import type { RunState } from "../run/state.ts";
import type { TicketState } from "../run/ticket-state.ts";
import { vecItems } from "../values/vec.ts";

/** A ticket's pull request, as it was read last. Times are ISO 8601; what is not known is null. */
export interface PullRequestReport {
  readonly ticket: string;
  readonly number: number;
  readonly url: string;
  readonly branch: string;
  readonly head: string;
  readonly base: string | null;
  /** When loopdash pushed the head; null if it found that commit at the branch. */
  readonly pushedAt: string | null;
  /** When the last difference was read; null if it was not read since the push, and then there are no checks. */
  readonly readAt: string | null;
  readonly checks: readonly {
    readonly name: string;
    readonly state: "waiting" | "running" | "passed" | "failed";
    readonly required: boolean | null;
    readonly url: string | null;
  }[];
  /** Required checks that are not registered. */
  readonly missing: readonly string[];
  readonly queuePosition: number | null;
  readonly review: PullRequestState["review"] | null;
  readonly waits: string | null;
  /** People of whom a review was requested by loopdash. */
  readonly reviewers: readonly string[];
}

/** The pull requests of a run's tickets that have been opened. */
export function pullRequestReports(state: RunState): readonly PullRequestReport[] {
  return [...vecItems(state.tickets)].flatMap((ticket) => reportPullRequest(state, ticket));
}

function reportPullRequest(state: RunState, ticket: TicketState): readonly PullRequestReport[] {
  const { id, pullRequest } = ticket;
  const { number, url } = pullRequest ?? {};
  if (pullRequest === undefined || number === undefined || url === undefined) return [];
  const pushedAt = pushTime(state, ticket);
  const { branch, head, readAt, seen, reviewers = [] } = pullRequest;
  return [
    {
      ticket: id,
      number,
      url,
      branch,
      head,
      base: seen?.base ?? null,
      pushedAt: pushedAt === undefined ? null : new Date(pushedAt).toISOString(),
      readAt: readAt === undefined ? null : new Date(readAt).toISOString(),
      checks: (seen?.checks ?? []).map((check) => ({
        name: check.name,
        state: check.state,
        required: check.isRequired ?? null,
        url: check.url ?? null,
      })),
      missing: seen?.missing ?? [],
      queuePosition: seen?.queuePosition ?? null,
      review: seen?.review ?? null,
      waits: seen?.waits ?? null,
      reviewers,
    },
  ];
}
