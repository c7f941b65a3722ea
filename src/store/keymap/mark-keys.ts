import type { TicketState } from "../../domain/run/ticket-state.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { type Binding, type DashboardState, ticketIn } from "../dashboard-state.ts";
import { stalledTickets, ticketOrder } from "../lists.ts";
import { askedTickets, type Modal, type OnTickets } from "../ui.ts";
import type { Effect } from "./binding.ts";
import { CLOSE, command, hint, open, selectedIn, selectFirst, TICKET_VIEWS, ui } from "./effects.ts";
import { liveWord } from "./live.ts";

/** The marked tickets, which keys of the overview act on in place of the selected one. Other views show no marks. */
export function markedIn({ ui: { marked, view } }: Pick<DashboardState, "ui">): readonly TicketId[] {
  return view === "overview" ? marked : [];
}

const mark = (tickets: readonly TicketId[]): readonly Effect[] => ui({ type: "mark", tickets });

export const UNMARK: readonly Effect[] = mark([]);

/**
 * Asks once for those marked tickets that `can` be meant; `none`: what is said if none can. Undefined if no ticket is marked: the
 * selected one is meant.
 */
export function askForMarked(
  state: DashboardState,
  { can, none }: { readonly can: (ticket: TicketState) => boolean; readonly none: string },
  ask: (tickets: OnTickets) => Modal,
): readonly Effect[] | undefined {
  const marked = markedIn(state);
  if (marked.length === 0) return undefined;
  const [ticket, ...also] = marked.filter((id) => {
    const each = ticketIn(state, id);
    return each !== undefined && can(each);
  });
  return ticket === undefined ? hint(state, none) : open(ask({ ticket, also }));
}

/** A command for each ticket of a question, which is closed then. A question about marked tickets unmarks them. */
export function forEachAsked(asked: OnTickets, act: (id: TicketId) => Parameters<typeof command>[0]): readonly Effect[] {
  return [...askedTickets(asked).flatMap((id) => command(act(id))), ...closeAsked(asked)];
}

/** Closes a question, and unmarks its tickets if there were several. */
export function closeAsked({ also }: OnTickets): readonly Effect[] {
  return also === undefined ? CLOSE : [...UNMARK, ...CLOSE];
}

/** A footer word for keys that act on the selected ticket, unless it cannot have that, or on those that are marked: `kill 3`. */
export const ticketWord = (text: string, can: (ticket: TicketState) => boolean) =>
  liveWord((state) => {
    const id = selectedIn(state);
    const ticket = id === undefined ? undefined : ticketIn(state, id);
    const isOffered = markedIn(state).length > 0 || (ticket !== undefined && can(ticket));
    return TICKET_VIEWS.has(state.ui.view) && isOffered ? text + markedCount(state) : "";
  });

function markedCount(state: DashboardState): string {
  const { length } = markedIn(state);
  return length === 0 ? "" : ` ${length}`;
}

function toggle(state: DashboardState): readonly Effect[] {
  const id = selectedIn(state);
  if (id === undefined) return hint(state, selectFirst(state, "ticket"));
  const { marked } = state.ui;
  return mark(marked.includes(id) ? marked.filter((other) => other !== id) : [...marked, id]);
}

function markAll(state: DashboardState): readonly Effect[] {
  const all = state.ui.filter.trim() === "" ? stalledTickets(state.lists) : ticketOrder(state);
  if (all.length === 0) return hint(state, "no ticket is stalled; under a filter, all that it shows are marked");
  return mark([...new Set([...state.ui.marked, ...all])]);
}

/** Keys that mark tickets in the overview. */
export const MARK_KEYS: readonly Binding[] = [
  {
    name: "mark",
    silent: true,
    keys: ["m"],
    help: "mark the selected ticket, or unmark it: retry, gate and kill then mean all that are marked",
    act: toggle,
  },
  {
    name: "mark-all",
    silent: true,
    keys: ["*"],
    help: "mark all stalled tickets; under a filter, all that it shows",
    act: markAll,
  },
];
