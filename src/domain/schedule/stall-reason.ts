import type { RunState } from "../run/state.ts";
import { plural } from "../values/text.ts";
import { vecAt } from "../values/vec.ts";
import { trippedBreaker } from "./breaker.ts";
import { attemptsAt } from "./stop-conditions.ts";

/** Why no further attempt is made at the ticket at `index`, in a sentence. */
export function stallReason(state: RunState, index: number): string {
  const ticket = vecAt(state.tickets, index);
  const left = attemptsAt(state, index) - ticket.failures;
  const breaker = left > 0 ? trippedBreaker(ticket, state.plan.tickets[index]) : undefined;
  const last = ticket.evidence.at(-1);
  if (last?.cause === "unruled") return `${last.summary}; the step that it would leave to you: ${last.humanStep ?? ""}`;
  if (breaker !== undefined) {
    const isReadOnly = ticket.signs?.hopeless === "report-only";
    return `${breaker}; ${isReadOnly ? "no attempt is made to repair it" : `${plural(left, "attempt")} left`}`;
  }
  return `${last?.summary ?? "no reason given"} · ${plural(ticket.failures, "attempt")} failed`;
}
