import type { Route } from "../batch/complexity-spec.ts";
import type { Batch } from "../batch/schema.ts";
import type { TicketState } from "../run/ticket-state.ts";

/** What the class of a ticket asks for, as far as it is known; empty without routing. */
export function ticketRoute(
  { complexity: routes }: Pick<Batch, "complexity">,
  { complexity }: Pick<TicketState, "complexity">,
): Route {
  return (complexity && routes?.[complexity.class]) ?? {};
}
