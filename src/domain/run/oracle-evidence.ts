import type { TicketId } from "../values/ids.ts";

/** The oracle's evidence on one ticket. `step` is left to a person, with `human-gated` only. */
export interface TicketEvidence {
  readonly id: TicketId;
  readonly state: "done" | "human-gated" | "open";
  readonly step?: string;
}

/**
 * The oracle's last evidence on each ticket, for people. It is no verdict, and nothing is decided by it. Times in milliseconds
 * since the epoch.
 */
export interface OracleEvidence {
  /** The start of the judgement. The oracle may not have seen later changes. */
  readonly askedAt: number;
  readonly judgedAt: number;
  readonly tickets: readonly TicketEvidence[];
  /** Number of tickets beyond the kept ones. */
  readonly more: number;
}
