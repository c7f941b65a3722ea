import type { Party, ReviewerParty } from "../batch/party.ts";
import type { AgentStopKind } from "../run/attempt-fact.ts";
import type { TicketId } from "../values/ids.ts";

/** No agent starts until then, in milliseconds since the epoch. */
export interface Backoff {
  readonly until: number;
  readonly reason: string;
}

/** An account whose API turns everybody away. Times in milliseconds since the epoch. */
export interface RateLimit {
  readonly since: number;
  /** Times in a row. */
  readonly times: number;
  /** It is not used until then. */
  readonly until: number;
  /** Set during an outage of its API. `since`: the first failure after its last answer. */
  readonly away?: { readonly since: number; readonly says: string };
}

/** The rate limited accounts of each party, by their number in the batch; the first is 0. */
export type RateLimits = Readonly<Partial<Record<Party, Readonly<Record<number, RateLimit>>>>>;

/** Agents in a row that failed alike and changed nothing. */
export interface AgentFault {
  /** The sign of the failure (see `identityOf`). */
  readonly identity: string;
  /** The ticket of each. */
  readonly failed: readonly TicketId[];
}

/** The reason why no agent starts any more. */
export interface Halt {
  /** The kind of the stop; or agents fail alike, the spending of other sessions is unknown, or an outage was given up. */
  readonly kind: AgentStopKind | "agent-fault" | "spend-unknown" | "outage";
  readonly says: string;
  /** Set if it passes, but too late: the time after which to try again. */
  readonly until?: number;
  /** What to do, if it depends on the account. */
  readonly todo?: string;
  /** The party whose model it concerns; absent for the agents', and if it concerns none. */
  readonly party?: ReviewerParty;
}
