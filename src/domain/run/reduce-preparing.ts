import { withTicket } from "../schedule/queue.ts";
import { vecAt } from "../values/vec.ts";
import { withBlocked } from "./blocked-fact.ts";
import type { RunEvent } from "./event.ts";
import { indexOf, type RunState } from "./state.ts";

/** Events of the programs that prepare an attempt, and of their connections. */
export type PreparingEvent = Extract<RunEvent, { type: "prepare-started" | "connection-blocked" }>;

/** Folds the start of a prepare command, and a blocked connection of any program of an attempt. */
export function reducePreparing(state: RunState, event: PreparingEvent): RunState {
  const index = indexOf(state, event.ticket);
  const ticket = vecAt(state.tickets, index);
  const { attempt } = ticket;
  if (attempt === undefined || attempt.fence !== event.fence) throw new RangeError(`no attempt with fence ${event.fence}`);
  if (event.type === "connection-blocked")
    return withTicket(state, index, { ...ticket, attempt: { ...attempt, blocked: withBlocked(attempt.blocked, event) } });
  const preparing = { command: event.command, startedAt: event.at };
  return withTicket(state, index, { ...ticket, attempt: { ...attempt, preparing, lastOutputAt: event.at } });
}
