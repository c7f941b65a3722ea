import { randomInt } from "node:crypto";
import type { TicketId } from "../../domain/values/ids.ts";
import { shuffled } from "./random.ts";

/** The number of tickets that are each reopened alone at most: for an oracle with evidence, and for one with exit codes only. */
const ALONE = { evident: 12, plain: 24 };
/** The number of groups in which more tickets are reopened. */
const GROUPS = 6;
/** The approximate number of tickets in all those trackers together: a folder of tickets costs one file each. */
const MAX_TICKETS = 1_200;

/**
 * The tickets to reopen in copies of an otherwise settled batch, to catch an oracle that lies about a single one. Up to 12
 * tickets: each alone. More: in six groups, each ticket in one; evidence names the tickets, so a judgement is right only if it
 * names each of the group. With exit codes only, a group shows nothing that its other tickets do not show: up to 24, each alone;
 * of more, 24 random ones, others each time.
 *
 * Two lies remain. In more than 12 tickets: a lie about one of them that holds only while no other is open (with evidence). In
 * more than 24: a lie about one that was not picked (without evidence). On the real tracker, neither is believed in the end: see
 * `stillOpen`.
 */
export function reopenings(ids: readonly TicketId[], plain: boolean): readonly (readonly TicketId[])[] {
  const wanted = plain ? ALONE.plain : ids.length > ALONE.evident ? GROUPS : ids.length;
  const most = Math.max(1, Math.min(ids.length, wanted, Math.floor(MAX_TICKETS / ids.length)));
  const order = shuffled(ids);
  if (plain) return order.slice(0, most).map((id) => [id]);
  const group = new Map(order.map((id, at) => [id, at < most ? at : randomInt(most)]));
  return Array.from({ length: most }, (_, at) => ids.filter((id) => group.get(id) === at));
}
