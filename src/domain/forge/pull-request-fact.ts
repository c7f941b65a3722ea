import type { Fence, RepoId, TicketId } from "../values/ids.ts";
import type { RemoteCheck } from "./pull-request.ts";

/** A check of a pull request as the run records it. */
export type SeenCheck = Pick<RemoteCheck, "name" | "state">;

/** What one reading of a pull request tells people. */
export interface SeenPullRequest {
  readonly checks: readonly SeenCheck[];
  /** What it waits for, in words; absent if for nothing. */
  readonly waits?: string;
}

interface AttemptRef {
  readonly ticket: TicketId;
  readonly fence: Fence;
}

/** Facts of an attempt's pull request. The intent stands before each effect at the forge. */
export type PullRequestFact =
  /** The commit is about to be pushed to the branch, which holds `previous` if the engine has pushed there before. */
  | ({
      readonly type: "pull-request-intended";
      readonly repo: RepoId;
      readonly branch: string;
      readonly head: string;
      readonly previous?: string;
    } & AttemptRef)
  | ({ readonly type: "pull-request-opened"; readonly number: number; readonly url: string } & AttemptRef)
  /** Reported when it differs from the last one. */
  | ({ readonly type: "pull-request-read" } & SeenPullRequest & AttemptRef)
  | ({ readonly type: "pull-request-merging"; readonly number: number; readonly head: string } & AttemptRef)
  /** An agent gets these words of bots and people. `people`: those that people wrote. */
  | ({ readonly type: "pull-request-words"; readonly ids: readonly string[]; readonly people: number } & AttemptRef)
  /** Checks that failed by something outside the change are started again, once for each commit. */
  | ({ readonly type: "pull-request-rerun"; readonly names: readonly string[] } & AttemptRef)
  /** Only a person can go on. */
  | ({ readonly type: "pull-request-gated"; readonly number: number; readonly step: string } & AttemptRef);

/** True for a fact about a pull request. */
export function isAboutPullRequest<T extends { readonly type: string }>(fact: T): fact is Extract<T, PullRequestFact> {
  return fact.type.startsWith("pull-request-");
}

/** A ticket's pull request, kept from one attempt to the next. */
export interface TicketPullRequest {
  readonly branch: string;
  /** The commit that was pushed last, or is about to be, and when. Milliseconds since the epoch. */
  readonly head: string;
  readonly pushedAt: number;
  /** The commit at the branch before that push; absent before the first one. */
  readonly previous?: string;
  /** The commit that the engine pushes it on top of; absent if it found the commit there. */
  readonly onto?: string;
  readonly number?: number;
  readonly url?: string;
  readonly seen?: SeenPullRequest;
  /** Checks of this commit that were started again. */
  readonly rerun?: readonly string[];
  /** Words that an agent has had, and the commit at which it had the last of them. */
  readonly answered: readonly string[];
  readonly answeredAt?: string;
}

/** True if the forge is known to have taken the push of `head`: the pull request was opened for it, or read after it. */
export function hasArrived({ seen, number, previous }: TicketPullRequest): boolean {
  return seen !== undefined || (number !== undefined && previous === undefined);
}

/** The commit that the branch is known to have held; undefined if it may not be there. */
function tipOf(known: TicketPullRequest): string | undefined {
  return hasArrived(known) ? known.head : known.previous;
}

/** Words that are remembered. */
const MOST_ANSWERED = 500;

/** The pull request after a fact about it. */
export function reducePullRequest(
  known: TicketPullRequest | undefined,
  event: PullRequestFact & { readonly at: number },
): TicketPullRequest | undefined {
  switch (event.type) {
    case "pull-request-intended": {
      const { branch, head, previous: onto, at } = event;
      if (known?.branch === branch && known.head === head) return known;
      const { seen: _, rerun: __, previous: ___, onto: ____, ...rest } = known ?? { answered: [] };
      const previous = known?.branch === branch ? tipOf(known) : undefined;
      const before = { ...(previous !== undefined && { previous }), ...(onto !== undefined && { onto }) };
      return { ...rest, branch, head, pushedAt: at, ...before };
    }
    case "pull-request-opened":
      return known && { ...known, number: event.number, url: event.url };
    case "pull-request-read": {
      const { checks, waits } = event;
      return known && { ...known, seen: { checks, ...(waits !== undefined && { waits }) } };
    }
    case "pull-request-words":
      return known && { ...known, answered: [...known.answered, ...event.ids].slice(-MOST_ANSWERED), answeredAt: known.head };
    case "pull-request-rerun":
      return known && { ...known, rerun: [...(known.rerun ?? []), ...event.names] };
    case "pull-request-merging":
    case "pull-request-gated":
      return known;
  }
}
