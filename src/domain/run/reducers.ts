import type { AttemptRef } from "../values/ids.ts";
import { vecAt } from "../values/vec.ts";
import type { EventOf, RunEvent } from "./event.ts";
import { type RunState, ticketIndex } from "./state.ts";
import type { Attempt, TicketState } from "./ticket-state.ts";

/** The meaning of each event: the state after it. */
export type Reducers = { readonly [K in RunEvent["type"]]: (state: RunState, event: EventOf<K>) => RunState };

interface FoundAttempt {
  readonly index: number;
  readonly ticket: TicketState;
  readonly attempt: Attempt;
}

/** The attempt that an event is about. Facts of another fence never arrive here: `admit` drops them before the journal. */
export function findAttempt(state: RunState, { ticket: id, fence }: Pick<AttemptRef, "ticket" | "fence">): FoundAttempt {
  const index = ticketIndex(state, id);
  const ticket = vecAt(state.tickets, index);
  const { attempt } = ticket;
  if (attempt === undefined || attempt.fence !== fence) throw new RangeError(`no attempt with fence ${fence}`);
  return { index, ticket, attempt };
}
