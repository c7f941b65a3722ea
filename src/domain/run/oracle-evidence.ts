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

/**
 * The evidence of one judgement as the journal keeps it: only what differs from the judgement before it, so that a long run stays
 * small. All of them together give the evidence of each.
 */
export interface EvidenceChange {
  /** True if the tickets are all that the oracle spoke of, whatever it said before. */
  readonly isWhole: boolean;
  readonly tickets: readonly TicketEvidence[];
  /** Number of tickets beyond the kept ones. */
  readonly more: number;
}

/** Tickets of one judgement that the journal keeps; the others are counted. */
const MOST_TICKETS = 2_000;

/** The change from the evidence before, if that is known. */
export function evidenceChange(before: readonly TicketEvidence[] | undefined, now: readonly TicketEvidence[]): EvidenceChange {
  const known = new Map(before?.map((each) => [each.id, each]));
  const tickets = now.filter(({ id, state, step }) => {
    const then = known.get(id);
    return then === undefined || then.state !== state || then.step !== step;
  });
  return {
    isWhole: before === undefined,
    tickets: tickets.slice(0, MOST_TICKETS),
    more: Math.max(0, tickets.length - MOST_TICKETS),
  };
}
