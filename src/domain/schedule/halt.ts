import type { AgentStopKind } from "../run/attempt-fact.ts";

/** The owner of a model: the agents, or the reviewer. */
export type Party = "agent" | "reviewer";

/** No agent starts until then, in milliseconds since the epoch. */
export interface Backoff {
  readonly until: number;
  readonly reason: string;
}

/** By party: the time since which its API has turned everybody away, and the number of times in a row. */
export type RateLimits = Readonly<Partial<Record<Party, { readonly since: number; readonly times: number }>>>;

/** The reason why no agent starts any more. */
export interface Halt {
  /** The kind of the stop; or the spending of other sessions is unknown, or an outage was given up. */
  readonly kind: AgentStopKind | "spend-unknown" | "outage";
  readonly says: string;
  /** Set if it passes, but too late: the time after which to try again. */
  readonly until?: number;
  /** The party whose model it concerns; absent for the agents', and if it concerns none. */
  readonly party?: "reviewer";
}
