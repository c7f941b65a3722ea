import type { Evidence } from "../run/attempt-fact.ts";
import { type RunState, ticketById } from "../run/state.ts";
import type { PastAttempt, TicketState } from "../run/ticket-state.ts";
import { vecItems } from "../values/vec.ts";

/** Failures that the run met and fixed without a person, by cause (S5.31). */
export interface FixAndProceed {
  /** Steps that passed on their one retry after a transient. */
  readonly transient: number;
  /** Attempts that a reviewer refused. */
  readonly reviewFinding: number;
  /** Attempts that a gate or a check refused. */
  readonly failedCheck: number;
  /** Landed changes that did not pass their live check, and were fixed by another attempt. */
  readonly liveFix: number;
  /** Attempts that a forge sent back: a check failed there, or somebody wrote to the pull request. */
  readonly sentBack: number;
  /** Attempts whose change could not be merged with the base. */
  readonly conflict: number;
}

type AttemptCause = Exclude<keyof FixAndProceed, "transient">;

/** The cause that a failed part stands for. An agent that crashed or was silent has fixed nothing: another one began afresh. */
const CAUSES: Readonly<Partial<Record<Evidence["step"], AttemptCause>>> = {
  gates: "failedCheck",
  check: "failedCheck",
  review: "reviewFinding",
  adversary: "reviewFinding",
  merge: "conflict",
  verify: "liveFix",
};

/**
 * Counts the failures of tickets that shipped in the end. Those before a person's retry were not fixed without a person, and
 * neither were attempts that a person ended.
 */
export function countFixAndProceed(state: RunState): FixAndProceed {
  const counts: Record<keyof FixAndProceed, number> = {
    transient: state.transients.passed,
    reviewFinding: 0,
    failedCheck: 0,
    liveFix: 0,
    sentBack: 0,
    conflict: 0,
  };
  for (const ticket of vecItems(state.tickets)) {
    if (ticket.phase !== "done") continue;
    for (const past of fixedAttempts(ticket)) {
      const cause = attemptCause(past);
      if (cause !== undefined) counts[cause] += 1;
    }
  }
  counts.liveFix += fixedReopenings(state);
  return counts;
}

function attemptCause({ failedAt, sentBack }: PastAttempt): AttemptCause | undefined {
  if (sentBack) return "sentBack";
  return failedAt === undefined ? undefined : CAUSES[failedAt];
}

/** Failed verifications that reopened a shipped ticket, until another attempt fixed it. */
function fixedReopenings(state: RunState): number {
  return state.incidents.filter(({ kind, at, endedAt, step, ticket }) => {
    if (kind !== "reopened" || step !== "verify" || endedAt === undefined || ticket === undefined) return false;
    const { phase, history } = ticketById(state, ticket);
    return phase === "done" && history.some((past) => past.startedAt >= at && hasLanded(past));
  }).length;
}

/** Failed attempts that a later attempt fixed. A live check that later passes by itself was fixed by nobody. */
function fixedAttempts({ history, retriedAfter = 0 }: TicketState): readonly PastAttempt[] {
  const alone = history.slice(retriedAfter);
  return alone.filter(({ outcome }, i) => (outcome === "failed" || outcome === "landed") && alone.slice(i + 1).some(hasLanded));
}

function hasLanded({ outcome, failedAt }: PastAttempt): boolean {
  return outcome === "done" || (outcome === "landed" && failedAt !== undefined);
}

/** The number of fixes, all causes together. */
export function totalFixes(fixes: FixAndProceed): number {
  return Object.values(fixes).reduce((sum: number, n: number) => sum + n, 0);
}
