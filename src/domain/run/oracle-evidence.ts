import type { TicketId } from "../values/ids.ts";

/** What the oracle said of one ticket. `step` is what is left to a person, with `human-gated` only. */
export interface TicketEvidence {
  readonly id: TicketId;
  readonly state: "done" | "human-gated" | "open";
  readonly step?: string;
}

/**
 * What the oracle said of each ticket when it last judged, as it is shown to people. It is no verdict and nothing is decided by it.
 * Times in milliseconds since the epoch.
 */
export interface OracleEvidence {
  /** When the judgement began: what changed since then it may not have seen. */
  readonly askedAt: number;
  readonly judgedAt: number;
  readonly tickets: readonly TicketEvidence[];
  /** Tickets beyond those that were kept. */
  readonly more: number;
}
