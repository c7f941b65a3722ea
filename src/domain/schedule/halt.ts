import type { AgentStopKind } from "../run/event.ts";

/** Whose model: the agents', or the second one. */
export type Party = "agent" | "reviewer";

/** No agent starts until then, in milliseconds since the epoch. */
export interface Backoff {
  readonly until: number;
  readonly reason: string;
}

/** Since when a party's API has turned everybody away without one coming to its own end, and how many times in a row. */
export type RateLimits = Readonly<Partial<Record<Party, { readonly since: number; readonly times: number }>>>;

/** Why no agent starts any more. */
export interface Halt {
  /** What stopped somebody, or that nobody can tell what others have spent today. */
  readonly kind: AgentStopKind | "spend-unknown";
  readonly says: string;
  /** Where it passes, but too late: from when on to try again. */
  readonly until?: number;
  /** Whose model it is about; absent for the agents', and where it is about none. */
  readonly party?: "reviewer";
}
