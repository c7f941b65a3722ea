import { withTicket } from "../schedule/queue.ts";
import type { RunEvent } from "./event.ts";
import { countGuard, type GuardFact, NO_GUARD_COUNTS, withGuard } from "./guard-fact.ts";
import { findAttempt } from "./reducers.ts";
import type { RunState } from "./state.ts";

/** Records what the guard of an attempt told, and counts it. Nothing is decided by it. */
export function reduceGuard(state: RunState, event: Extract<RunEvent, GuardFact>): RunState {
  const { index, ticket, attempt } = findAttempt(state, event);
  return {
    ...withTicket(state, index, { ...ticket, attempt: { ...attempt, ...withGuard(attempt, event) } }),
    guard: countGuard(state.guard ?? NO_GUARD_COUNTS, event),
  };
}
