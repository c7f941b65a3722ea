import type { Batch } from "./batch/schema.ts";
import type { RunState, TicketState } from "./state.ts";

/**
 * Dollars set aside before an attempt starts: the most it can cost. A command agent costs what the batch says, else nothing; a
 * vendor's program may cost all that one attempt may.
 */
export function reserveOf({ agent, limits }: Pick<Batch, "agent" | "limits">): number {
  return agent.kind === "command" ? (agent.usdPerAttempt ?? 0) : limits.usdPerAttempt;
}

export type Cap = "usdPerAttempt" | "usdPerTicket" | "usdPerRun" | "usdPerDay";

/**
 * The cap that one more attempt of this ticket could break, or undefined. Money set aside for attempts that run
 * counts as spent, so several starts in one pass never pass a cap together; `alsoReserved` is for those.
 */
export function capReached(state: RunState, ticket: TicketState, alsoReserved: number): Cap | undefined {
  const next = reserveOf(state.batch);
  if (next === 0) return undefined;
  const { limits }: Batch = state.batch;
  const run = state.spentUsd + state.reservedUsd + alsoReserved + next;
  if (next > limits.usdPerAttempt) return "usdPerAttempt";
  if (ticket.costUsd + next > limits.usdPerTicket) return "usdPerTicket";
  if (run > limits.usdPerRun) return "usdPerRun";
  if (state.spentTodayUsd + run > limits.usdPerDay) return "usdPerDay";
  return undefined;
}
