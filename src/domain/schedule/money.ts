import type { Batch } from "../batch/schema.ts";
import { activeTickets, type RunState } from "../run/state.ts";
import type { Attempt, TicketState } from "../run/ticket-state.ts";
import { plannedTicket } from "./plan.ts";
import { usdFor } from "./stop-conditions.ts";

/**
 * Dollars set aside before an attempt starts: its maximum cost. A command agent costs what the batch says, or nothing; a vendor's
 * program may cost all that one attempt may. If less is left, the attempt does not start.
 */
export function attemptReserveUsd({ agent, limits }: Pick<Batch, "agent" | "limits">): number {
  return agent.kind === "command" ? (agent.usdPerAttempt ?? 0) : limits.usdPerAttempt;
}

export type Cap = "usdPerAttempt" | "usdPerTicket" | "usdPerRun" | "usdPerDay";

/**
 * The cap that one more attempt of this ticket could break, or undefined. Money set aside for running attempts counts as spent,
 * so several starts in one pass never break a cap together; `alsoReserved` is for those.
 */
export function attemptCap(state: RunState, ticket: TicketState, alsoReserved = 0): Cap | undefined {
  const next = attemptReserveUsd(state.batch);
  if (next > state.batch.limits.usdPerAttempt) return "usdPerAttempt";
  // A command agent that is free by the batch may have told what it costs.
  return next === 0 && state.spentUsd === 0 ? undefined : capReached(state, ticket, next, alsoReserved);
}

/**
 * The cap that a question to the reviewer could break, or undefined. `usd` is its maximum cost. The money of a ticket and of the
 * run covers agents and questions together.
 */
export function questionCap(state: RunState, ticket: TicketState, usd: number): Cap | undefined {
  return usd === 0 ? undefined : capReached(state, ticket, usd, 0);
}

function capReached(state: RunState, ticket: TicketState, next: number, alsoReserved: number): Cap | undefined {
  const { limits } = state.batch;
  const run = state.spentUsd + state.reservedUsd + alsoReserved + next;
  if (ticket.costUsd + setAside(ticket.attempt) + next > usdFor(state.batch, plannedTicket(state.plan, ticket.id), ticket))
    return "usdPerTicket";
  if (run > limits.usdPerRun) return "usdPerRun";
  if (state.spentTodayUsd + run > limits.usdPerDay) return "usdPerDay";
  return undefined;
}

/** Dollars that are still set aside for an attempt: for an agent that has not ended, and a question without an answer. */
export function setAside(attempt: Attempt | undefined): number {
  if (attempt === undefined) return 0;
  return (attempt.agent?.endedAt === undefined ? attempt.reservedUsd : 0) + (attempt.asked?.reservedUsd ?? 0);
}

/** Dollars that the agent at work has spent so far. Its end books its whole cost. */
export function spentAtWork(attempt: Attempt | undefined): number {
  return attempt?.agent === undefined || attempt.agent.endedAt !== undefined ? 0 : (attempt.spentUsd ?? 0);
}

/**
 * Dollars that a run has spent, and those that it still holds for what is under way, counting what agents at work have spent so
 * far. For people alone: caps count all that is set aside.
 */
export function moneyNow(state: RunState): { readonly spentUsd: number; readonly heldUsd: number } {
  let [spentUsd, heldUsd] = [state.spentUsd, state.reservedUsd];
  for (const { attempt } of activeTickets(state)) {
    const usd = spentAtWork(attempt);
    spentUsd += usd;
    heldUsd -= Math.min(usd, attempt?.reservedUsd ?? 0);
  }
  return { spentUsd, heldUsd };
}

/** Dollars of a ticket, with what its agent at work has spent so far. */
export function ticketUsd({ attempt, costUsd }: Pick<TicketState, "attempt" | "costUsd">): number {
  return costUsd + spentAtWork(attempt);
}
