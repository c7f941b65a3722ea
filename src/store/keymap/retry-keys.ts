import { whyNoRetry } from "../../domain/run/admit.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import { type Binding, type DashboardState, ticketIn } from "../dashboard-state.ts";
import { stalledTickets } from "../lists.ts";
import { askedTickets } from "../ui.ts";
import type { Effect } from "./binding.ts";
import { command, confirmKeys, hint, open, selectedIn, selectFirst } from "./effects.ts";
import { overviewKey } from "./key-labels.ts";
import { liveWord, whenLive } from "./live.ts";
import { askForMarked, closeAsked, ticketWord } from "./mark-keys.ts";

function retry(state: DashboardState, which = "marked"): readonly Effect[] {
  const can = (ticket: TicketState): boolean => state.run !== undefined && whyNoRetry(state.run, ticket) === undefined;
  const none = `no ${which} ticket can be retried`;
  return askForMarked(state, { can, none }, (asked) => ({ kind: "retry", ...asked })) ?? retrySelected(state);
}

/** Asks for all stalled tickets that can be retried, marked or not. */
function retryAll(state: DashboardState): readonly Effect[] {
  const stalled = stalledTickets(state.lists);
  if (stalled.length === 0) return hint(state, "no ticket is stalled");
  return retry({ ...state, ui: { ...state.ui, view: "overview", marked: stalled } }, "stalled");
}

function retrySelected(state: DashboardState): readonly Effect[] {
  const id = selectedIn(state);
  if (id === undefined) return hint(state, selectFirst(state, "ticket"));
  const ticket = ticketIn(state, id);
  if (ticket?.phase === "stalled") return open({ kind: "retry", ticket: id });
  if (ticket?.phase === "landed") return hint(state, `${id} has landed: ${overviewKey(state, "verify")} checks it now`);
  return hint(state, ticket?.attempt === undefined ? `${id} is not stalled` : `an attempt at ${id} is under way`);
}

/** Keys that retry stalled tickets. */
export const RETRY_BINDINGS: readonly Binding[] = [
  {
    name: "retry",
    keys: ["r"],
    short: ticketWord("retry", ({ phase }) => phase === "stalled"),
    keep: (state) => (stalledTickets(state.lists).some((id) => id === selectedIn(state)) ? 2 : 10),
    help: "retry a stalled ticket; asks first",
    act: whenLive((state) => retry(state)),
  },
  {
    name: "retry-all",
    keys: ["R"],
    short: liveWord(({ lists }) => (stalledTickets(lists).length > 1 ? "retry all" : "")),
    keep: 11,
    help: "retry all stalled tickets, as one decision; asks first",
    act: whenLive(retryAll),
  },
];

/** Several tickets are one command, and so one decision. */
export const RETRY_KEYS = confirmKeys("retry", "back", ({ ui: { modal } }) =>
  modal?.kind === "retry"
    ? [...command((run) => run.retry(modal.also?.length ? askedTickets(modal) : modal.ticket)), ...closeAsked(modal)]
    : [],
);
