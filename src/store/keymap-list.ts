import type { TicketId } from "../domain/ids.ts";
import { isSettled } from "../domain/state.ts";
import { type DashboardState, ticketIn } from "./dashboard-store.ts";
import type { Binding, Effect } from "./keymap-types.ts";
import { selectable } from "./lists.ts";
import { EMPTY_INPUT } from "./text-input.ts";
import type { Modal } from "./ui.ts";

const HINT_MS = 4_000;
const PAGE = 10;

/** One effect on the view, as a list. */
export function open(modal: Modal): readonly Effect[] {
  return [{ do: "ui", action: { type: "open", modal } }];
}

/** Tells the person why a key does nothing here. */
export function hint(state: DashboardState, text: string): readonly Effect[] {
  return [{ do: "ui", action: { type: "toast", toast: { text, tone: "waiting", until: state.now + HINT_MS } } }];
}

function move(by: number): (state: DashboardState) => readonly Effect[] {
  return (state) => [{ do: "ui", action: { type: "move", by, order: selectable(state.lists) } }];
}

/** The selected ticket, where it is still of this run. */
export function selectedIn(state: DashboardState): TicketId | undefined {
  const id = state.ui.selected;
  return id !== undefined && ticketIn(state, id) !== undefined ? id : undefined;
}

function kill(state: DashboardState): readonly Effect[] {
  const id = selectedIn(state);
  if (id === undefined) return hint(state, "select a worker first: j/k");
  const ticket = ticketIn(state, id);
  return ticket?.attempt === undefined ? hint(state, `nobody works on ${id} now`) : open({ kind: "kill", ticket: id });
}

function gate(state: DashboardState): readonly Effect[] {
  const id = selectedIn(state);
  if (id === undefined) return hint(state, "select a ticket first: j/k");
  const phase = ticketIn(state, id)?.phase ?? "waiting";
  if (isSettled(phase) && phase !== "stalled") return hint(state, `${id} is ${phase} already`);
  return open({ kind: "gate", ticket: id, input: EMPTY_INPUT });
}

function details(state: DashboardState): readonly Effect[] {
  const id = selectedIn(state);
  return id === undefined ? hint(state, "select a ticket first: j/k") : open({ kind: "details", ticket: id });
}

function leave(state: DashboardState): readonly Effect[] {
  const offline = state.ui.connection.state !== "live";
  return offline ? [{ do: "leave", how: "detach" }] : open({ kind: "leave" });
}

function whenLive(act: (state: DashboardState) => readonly Effect[]): (state: DashboardState) => readonly Effect[] {
  return (state) =>
    state.ui.connection.state === "live" && state.run !== undefined ? act(state) : hint(state, "not connected to the run");
}

const word = (text: string) => () => text;

/** Keys while the run goes on and nothing stands in front. */
export const LIST_KEYS: readonly Binding[] = [
  { keys: ["j", "down"], show: "j/k", short: word("select"), keep: 2, help: "select the next ticket (also down)", act: move(1) },
  { keys: ["k", "up"], show: "k", help: "select the previous ticket (also up)", act: move(-1) },
  { keys: ["pagedown"], show: "PgDn", help: `select ${PAGE} tickets further down`, act: move(PAGE) },
  { keys: ["pageup"], show: "PgUp", help: `select ${PAGE} tickets further up`, act: move(-PAGE) },
  { keys: ["enter"], show: "enter", short: word("details"), keep: 8, help: "all about the selected ticket", act: details },
  {
    keys: ["x"],
    show: "x",
    short: word("kill"),
    keep: 3,
    help: "end the selected ticket's try; asks first",
    act: whenLive(kill),
  },
  {
    keys: ["g"],
    show: "g",
    short: word("gate"),
    keep: 4,
    help: "leave the selected ticket to a person; asks for the exact step",
    act: whenLive(gate),
  },
  {
    keys: ["p"],
    show: "p",
    short: (state) => (state.run?.paused === true ? "unpause" : "pause"),
    keep: 5,
    help: "pause: nothing new starts, what runs goes on; again to go on",
    act: whenLive((state) => [{ do: "send", command: { type: state.run?.paused === true ? "unpause" : "pause" } }]),
  },
  {
    keys: ["o"],
    show: "o",
    short: word("oracle"),
    keep: 7,
    help: "ask the oracle now",
    act: whenLive((state) => [{ do: "send", command: { type: "judge" } }, ...hint(state, "the oracle was asked")]),
  },
  { keys: ["?"], show: "?", short: word("help"), keep: 1, help: "all keys", act: () => open({ kind: "help" }) },
  { keys: ["q"], show: "q", short: word("leave"), keep: 0, help: "leave: detach, or stop the run", act: leave },
  { keys: ["ctrl-c"], show: "Ctrl-C", help: "leave; twice: detach, the run goes on", act: leave },
];
