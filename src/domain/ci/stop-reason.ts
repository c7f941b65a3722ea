import type { EvidenceCause } from "../run/attempt-fact.ts";
import type { RunState } from "../run/state.ts";
import type { TicketState } from "../run/ticket-state.ts";
import { SAME_FAILURES, UNCHANGED } from "../schedule/breaker.ts";
import { attemptCap } from "../schedule/money.ts";
import { isOutOfTime } from "../schedule/run-time.ts";
import { vecAt } from "../values/vec.ts";
import { isBranchRun } from "./ci-run.ts";

/** The reason for the end of a loop over the checks of a branch. */
export type CiStopReason =
  | "green"
  | "max_iterations"
  | "max_minutes"
  | "no_change"
  | "same_failure"
  | "flaky"
  | "infrastructure"
  | "blocked_path"
  | "budget"
  | "interrupted";

const OF_CAUSE: Readonly<Record<EvidenceCause, CiStopReason>> = {
  "blocked-path": "blocked_path",
  flaky: "flaky",
  infrastructure: "infrastructure",
  "report-only": "no_change",
  unruled: "infrastructure",
};

/**
 * The reason for the end of the loop of a run's only ticket. `green` is the oracle's word about a ticket that is done, never one that is left to a
 * person. A run without an end (its engine is gone) is `interrupted`. Anything that is neither a bound of the batch nor a sign of the work
 * kept the loop from its work, and counts as `infrastructure`: no agent could start, the forge or the oracle could not be asked.
 */
export function ciStopReason(state: RunState): CiStopReason {
  const ticket = vecAt(state.tickets, 0);
  const { end } = state;
  if (end?.kind === "oracle-done" && ticket.phase === "done") return "green";
  if (end === undefined || end.kind === "interrupted") return "interrupted";
  if (end.kind !== "not-done") return "infrastructure";
  return findStopReason(state, ticket, end.at);
}

/**
 * The reason for the stop of a run that ends now without being done, if all that it does is to work on the checks of one branch: its
 * people read this in the reason of its end. Undefined for any other run.
 */
export function ciStopsFor(state: RunState, now: number): CiStopReason | undefined {
  return isBranchRun(state) ? findStopReason(state, vecAt(state.tickets, 0), now) : undefined;
}

function findStopReason(state: RunState, ticket: TicketState, at: number): CiStopReason {
  const { signs, evidence, failures } = ticket;
  if (ticket.phase === "stalled") {
    const cause = evidence.at(-1)?.cause;
    if (cause !== undefined) return OF_CAUSE[cause];
    if ((signs?.unchanged ?? 0) >= UNCHANGED) return "no_change";
    if ((signs?.failure?.times ?? 0) >= SAME_FAILURES) return "same_failure";
    if (failures >= state.batch.limits.attempts) return "max_iterations";
  }
  if (isOutOfTime(state, at)) return "max_minutes";
  return attemptCap(state, ticket) === undefined ? "infrastructure" : "budget";
}
