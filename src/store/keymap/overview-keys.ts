import type { TicketId } from "../../domain/values/ids.ts";
import { type Binding, type DashboardState, ticketIn } from "../dashboard-state.ts";
import { firstOutage } from "../labels/progress-label.ts";
import { ticketOrder } from "../lists.ts";
import { createInput } from "../text-input.ts";
import { graphRows } from "../views/graph-tree.ts";
import { timelineOrder } from "../views/timeline-order.ts";
import type { Effect } from "./binding.ts";
import { hint, open, PAGE, selectedIn, selectFirst, ui, word } from "./effects.ts";
import { MARK_KEYS, UNMARK } from "./mark-keys.ts";

function move(by: number): (state: DashboardState) => readonly Effect[] {
  return (state) => ui({ type: "move", by, order: rowOrder(state) });
}

/** The tickets as they stand in the view. */
function rowOrder(state: DashboardState): readonly TicketId[] {
  const { run, ui } = state;
  if (run === undefined || (ui.view !== "graph" && ui.view !== "timeline")) return ticketOrder(state);
  const rows = ui.view === "graph" ? graphRows(state).map(({ index }) => index) : timelineOrder(state);
  return rows.flatMap((index) => run.plan.tickets[index]?.id ?? []);
}

function scrollFeed(lines: number): () => readonly Effect[] {
  return () => ui({ type: "pane", pane: "feed", action: { type: "by", lines } });
}

function ticket(state: DashboardState): readonly Effect[] {
  return selectedIn(state) === undefined && !isAway(state)
    ? hint(state, selectFirst(state, "ticket"))
    : ui({ type: "view", view: "ticket" });
}

/** True if the ticket view has a reason that a row may have no room for: the selected ticket's, or that of an outage. */
function hasReason(state: DashboardState): boolean {
  if (isAway(state)) return true;
  const id = selectedIn(state);
  const ticket = id === undefined ? undefined : ticketIn(state, id);
  if (ticket === undefined || ticket.attempt !== undefined || ticket.phase === "done") return false;
  return ticket.phase !== "waiting" || ticket.tracked?.unavailable !== undefined;
}

function isAway({ run }: DashboardState): boolean {
  return run !== undefined && firstOutage(run) !== undefined;
}

/** Opens the ticket view on the selected ticket, in every view that can select one. */
export const OPEN_KEY: Binding = {
  name: "open",
  silent: true,
  keys: ["enter"],
  short: (state) => (hasReason(state) ? "why" : "open"),
  keep: (state) => (hasReason(state) ? 2 : 8),
  help: "all about the selected ticket",
  act: ticket,
};

/** Keys that walk over the tickets. */
export const SELECT_KEYS: readonly Binding[] = [
  {
    name: "select-next",
    silent: true,
    keys: ["j", "down"],
    pair: "select-previous",
    short: word("select"),
    keep: 2,
    help: "select the next ticket",
    act: move(1),
  },
  { name: "select-previous", silent: true, keys: ["k", "up"], help: "select the previous ticket", act: move(-1) },
  {
    name: "select-page-down",
    silent: true,
    keys: ["pagedown", "ctrl-d"],
    help: `select ${PAGE} tickets further down`,
    act: move(PAGE),
  },
  {
    name: "select-page-up",
    silent: true,
    keys: ["pageup", "ctrl-b"],
    help: `select ${PAGE} tickets further up`,
    act: move(-PAGE),
  },
];

/** Keys of the overview, beside those that change the run and those of every view. */
export const OVERVIEW_KEYS: readonly Binding[] = [
  ...SELECT_KEYS,
  OPEN_KEY,
  ...MARK_KEYS,
  {
    name: "filter",
    keys: ["/"],
    short: word("filter"),
    keep: 11,
    help: "list only the tickets that have a text in their id, title, repository or state",
    act: ({ ui: { filter } }) => open({ kind: "filter", input: createInput(filter), before: filter }),
  },
  {
    name: "events",
    keys: ["v"],
    short: ({ ui: { showsEvents } }) => (showsEvents ? "outcomes" : "every event"),
    keep: 10,
    help: "list every event, or what has become of each attempt",
    act: () => ui({ type: "feed-kind" }),
  },
  { name: "feed-back", silent: true, keys: ["{"], help: "scroll that list back", act: scrollFeed(3) },
  { name: "feed-on", silent: true, keys: ["}"], help: "scroll it on", act: scrollFeed(-3) },
  {
    name: "clear-filter",
    silent: true,
    keys: ["escape"],
    short: ({ ui: { filter, marked } }) => (marked.length > 0 ? "unmark" : filter === "" ? "" : "show all"),
    keep: 2,
    help: "unmark all tickets; without marks, list all tickets again",
    act: ({ ui: { marked } }) => (marked.length > 0 ? UNMARK : ui({ type: "filter", text: "" })),
  },
];
