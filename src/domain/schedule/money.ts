import type { Batch } from "../batch/schema.ts";
import type { RunState } from "../run/state.ts";
import type { Attempt, TicketState } from "../run/ticket-state.ts";
import { specOf } from "./plan.ts";
import { usdFor } from "./stop-conditions.ts";

/**
 * Dollars set aside before an attempt starts: its maximum cost. A command agent costs what the batch says, or nothing; a vendor's
 * program may cost all that one attempt may. If less is left, the attempt does not start.
 */
export function reserveOf({ agent, limits }: Pick<Batch, "agent" | "limits">): number {
  return agent.kind === "command" ? (agent.usdPerAttempt ?? 0) : limits.usdPerAttempt;
}

export type Cap = "usdPerAttempt" | "usdPerTicket" | "usdPerRun" | "usdPerDay";

/**
 * The cap that one more attempt of this ticket could break, or undefined. Money set aside for running attempts counts as spent,
 * so several starts in one pass never break a cap together; `alsoReserved` is for those.
 */
export function attemptCap(state: RunState, ticket: TicketState, alsoReserved = 0): Cap | undefined {
  const next = reserveOf(state.batch);
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
  if (ticket.costUsd + setAside(ticket.attempt) + next > usdFor(state.batch, specOf(state.plan, ticket.id), ticket))
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
