import type { Party, ReviewerParty } from "../batch/party.ts";
import type { AgentStopKind } from "../run/attempt-fact.ts";
import type { Fence, TicketId } from "../values/ids.ts";

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

/** The end of an attempt. `identity` names its failure. `isUnchanged`: its agent failed by itself and left no change. */
export interface HaltedAttempt {
  readonly ticket: TicketId;
  readonly identity?: string;
  readonly isUnchanged?: true;
}

/** A fault that attempts of several tickets share. No agent starts but one that tries again, from time to time. */
export interface SharedFault {
  readonly identity: string;
  /** The failure in words, and the remedy. */
  readonly says: string;
  readonly todo: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Attempts that tried again and failed alike, and the one that does now. */
  readonly probes: number;
  readonly probe?: Fence;
}

/** The reason why no agent starts any more. */
export interface Halt {
  /** The kind of the stop; or attempts fail alike, the spending of other sessions is unknown, or an outage was given up. */
  readonly kind: AgentStopKind | "shared-fault" | "spend-unknown" | "outage";
  readonly says: string;
  /** Set if it passes, but too late: the time after which to try again. */
  readonly until?: number;
  /** What to do, if it depends on the account. */
  readonly todo?: string;
  /** The party whose model it concerns; absent for the agents', and if it concerns none. */
  readonly party?: ReviewerParty;
}
