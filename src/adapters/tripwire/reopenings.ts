import { randomInt } from "node:crypto";
import type { TicketId } from "../../domain/values/ids.ts";
import { shuffled } from "./random.ts";

/** How many tickets are opened each alone at most, by an oracle with evidence and by one with exit codes alone. */
const ALONE = { evident: 12, plain: 24 };
/** In how many groups more of them are opened. */
const GROUPS = 6;
/** How many tickets those trackers hold together, about: a folder of tickets costs a file for each. */
const MAX_TICKETS = 1_200;

/**
 * Which tickets to open in copies of a batch that is settled otherwise, so that an oracle that lies about a single one is met.
 * Up to 12 tickets: each alone. More: in six groups, each ticket in one; evidence names the tickets, so a judgement is
 * right only where it is about each of the group. Where exit codes are all there is, a group shows nothing that its other
 * tickets do not show: each alone up to 24, and 24 of more by chance, others each time.
 *
 * What remains: in more than 12 tickets, a lie about one of them that holds only as long as no other is open (with evidence),
 * and a lie about one in more than 24 that chance did not pick (without). Of the real tracker neither is believed in the end:
 * see `stillOpen`.
 */
export function reopenings(ids: readonly TicketId[], plain: boolean): readonly (readonly TicketId[])[] {
  const wanted = plain ? ALONE.plain : ids.length > ALONE.evident ? GROUPS : ids.length;
  const most = Math.max(1, Math.min(ids.length, wanted, Math.floor(MAX_TICKETS / ids.length)));
  const order = shuffled(ids);
  if (plain) return order.slice(0, most).map((id) => [id]);
  const group = new Map(order.map((id, at) => [id, at < most ? at : randomInt(most)]));
  return Array.from({ length: most }, (_, at) => ids.filter((id) => group.get(id) === at));
}
