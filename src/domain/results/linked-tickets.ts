import type { RunState } from "../run/state.ts";
import type { TicketId } from "../values/ids.ts";
import type { Intervention } from "./intervention.ts";

/** Tickets that one intervention links. */
const MOST_TICKETS = 20;

/**
 * The tickets that an intervention became: those that joined the batch during the run, by a worker or a person, and that its
 * target or its note names. In the order of the batch.
 */
export function ticketsFrom(
  { plan, batch }: Pick<RunState, "plan" | "batch">,
  { target, note }: Intervention,
): readonly TicketId[] {
  const grown = plan.tickets.slice(batch.tickets.length).map(({ id }) => id);
  if (grown.length === 0) return [];
  const words = note.split(/[^A-Za-z0-9._-]+/).flatMap((word) => [word, word.replace(/(?<!\.)\.+$/, "")]);
  const named = new Set<string>([target, ...words]);
  return grown.filter((id) => named.has(id)).slice(0, MOST_TICKETS);
}
