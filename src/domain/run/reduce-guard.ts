import { withTicket } from "../schedule/queue.ts";
import { vecAt } from "../values/vec.ts";
import type { RunEvent } from "./event.ts";
import { countGuard, type GuardFact, NO_GUARD_COUNTS, withGuard } from "./guard-fact.ts";
import { type RunState, ticketIndex } from "./state.ts";

/** Records what the guard of an attempt told, and counts it. Nothing is decided by it. */
export function reduceGuard(state: RunState, event: Extract<RunEvent, GuardFact>): RunState {
  const index = ticketIndex(state, event.ticket);
  const ticket = vecAt(state.tickets, index);
  const { attempt } = ticket;
  if (attempt === undefined || attempt.fence !== event.fence) throw new RangeError(`no attempt with fence ${event.fence}`);
  return {
    ...withTicket(state, index, { ...ticket, attempt: { ...attempt, ...withGuard(attempt, event) } }),
    guard: countGuard(state.guard ?? NO_GUARD_COUNTS, event),
  };
}
