import type { TicketId } from "../domain/ids.ts";
import type { RunState } from "../domain/state.ts";
import { vecItems } from "../domain/vec.ts";

/** Who stands where, by id. An array that has not changed keeps its identity from one flush to the next. */
export interface Lists {
  /** One entry per worker slot. */
  readonly slots: readonly (TicketId | null)[];
  /** Human-gated, in batch order. */
  readonly needsYou: readonly TicketId[];
  readonly stalled: readonly TicketId[];
  /** The ready ones first, best first; then the others in batch order. */
  readonly waiting: readonly TicketId[];
  /** The one finished last comes first. */
  readonly done: readonly TicketId[];
}

export const NO_LISTS: Lists = { slots: [], needsYou: [], stalled: [], waiting: [], done: [] };

/** Sorts the tickets of a run into lists, keeping what equals `previous`. */
export function listsOf(run: RunState, previous: Lists): Lists {
  const needsYou: TicketId[] = [];
  const stalled: TicketId[] = [];
  const done: { id: TicketId; endedAt: number }[] = [];
  const ready = new Set(run.ready);
  const waiting = run.ready.flatMap((index) => run.plan.tickets[index]?.id ?? []);
  let index = 0;
  for (const ticket of vecItems(run.tickets)) {
    if (ticket.phase === "human-gated") needsYou.push(ticket.id);
    else if (ticket.phase === "stalled") stalled.push(ticket.id);
    else if (ticket.phase === "done") done.push({ id: ticket.id, endedAt: ticket.endedAt ?? 0 });
    else if (ticket.phase === "waiting" && !ready.has(index)) waiting.push(ticket.id);
    index += 1;
  }
  const slots = run.slots.map((i) => (i === null ? null : (run.plan.tickets[i]?.id ?? null)));
  return {
    slots: same(previous.slots, slots),
    needsYou: same(previous.needsYou, needsYou),
    stalled: same(previous.stalled, stalled),
    waiting: same(previous.waiting, waiting),
    done: same(
      previous.done,
      done.toSorted((a, b) => b.endedAt - a.endedAt).map((d) => d.id),
    ),
  };
}

function same<T>(previous: readonly T[], next: readonly T[]): readonly T[] {
  return previous.length === next.length && previous.every((item, i) => item === next[i]) ? previous : next;
}

/** Tickets in the order in which the selection walks over them. */
export function selectable(lists: Lists): readonly TicketId[] {
  const active = lists.slots.filter((id) => id !== null);
  return [...active, ...lists.needsYou, ...lists.stalled, ...lists.waiting, ...lists.done];
}
