import type { TicketId } from "../domain/values/ids.ts";
import type { Tone } from "./labels/tone.ts";
import type { TextAction, TextInput } from "./text-input.ts";
import { reduceText } from "./text-input.ts";
import { AT_END, AT_TOP, type Pane, type PaneAction, type PaneName, reducePane } from "./views/pane.ts";
import { INITIAL_RUNS, type RunsAction, type RunsUi, reduceRuns } from "./views/runs.ts";
import { INITIAL_TICKET, reduceTicketView, type TicketUi, type TicketViewAction } from "./views/ticket.ts";
import { INITIAL_TIMELINE, reduceTimeline, type TimelineAction, type TimelineUi } from "./views/timeline.ts";
import type { ViewName } from "./views/view-name.ts";

/** The tickets of a question: the first, and the others if it is asked once for several. */
export interface OnTickets {
  readonly ticket: TicketId;
  readonly also?: readonly TicketId[];
}

/** All tickets of a question. */
export function askedTickets({ ticket, also = [] }: OnTickets): readonly TicketId[] {
  return [ticket, ...also];
}

/** The modal in front of the views. */
export type Modal =
  | { readonly kind: "revert"; readonly ticket: TicketId }
  | ({ readonly kind: "kill" | "retry" } & OnTickets)
  /** The change of danger zones that the person sees. */
  | { readonly kind: "approve"; readonly ticket: TicketId; readonly commit: string }
  | { readonly kind: "heal" | "leave" }
  /** What came of the run since then, in milliseconds since the epoch: the first key closes it. */
  | { readonly kind: "away"; readonly since: number }
  /** `filter`: the help shows only lines that contain it; empty: all. */
  | { readonly kind: "help"; readonly filter: string }
  /** The text that filters the help. */
  | { readonly kind: "help-search"; readonly input: TextInput }
  | ({ readonly kind: "gate"; readonly input: TextInput; readonly problem?: string } & OnTickets)
  /** A person's work outside the dashboard, to be counted: on the tickets, or on the machinery. */
  | { readonly kind: "note"; readonly input: TextInput; readonly work: boolean; readonly problem?: string }
  /** A new ticket: the field is its title, and once that is given, its text. */
  | { readonly kind: "add"; readonly input: TextInput; readonly repo: string; readonly title?: string; readonly problem?: string }
  /** The login of the person whose review of the ticket's pull request is requested. */
  | { readonly kind: "review"; readonly ticket: TicketId; readonly input: TextInput; readonly problem?: string }
  /** The text applies while it is typed; Escape restores the filter `before`. */
  | { readonly kind: "filter"; readonly input: TextInput; readonly before: string }
  /** Finds every command. `at` is the chosen row among those found. */
  | { readonly kind: "palette"; readonly input: TextInput; readonly at: number }
  /** The text to search for in the ticket view. */
  | { readonly kind: "search"; readonly input: TextInput };

/** Modals with a text field. */
export type TextModal = Extract<Modal, { input: TextInput }>;

export interface Toast {
  readonly text: string;
  readonly tone: Tone;
  /** Wall-clock milliseconds after which it expires. */
  readonly until: number;
}

export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  | { readonly state: "lost"; readonly reason: string }
  /** No engine works on the run: its journal is being read, `rows` of `total` events so far. */
  | { readonly state: "reading"; readonly rows: number; readonly total: number }
  /** The shown state is from the past; see `DashboardState.playback`. */
  | { readonly state: "replay" };

/** The dashboard's state that is not of the run. */
export interface UiState {
  readonly connection: Connection;
  readonly selected?: TicketId;
  /** The tickets that a retry, a gate or a kill means together, in the order in which they were marked. */
  readonly marked: readonly TicketId[];
  /** The selection's index in the walking order; kept when its ticket is gone, so that the next step continues from there. */
  readonly place: number;
  readonly modal?: Modal;
  readonly toast?: Toast;
  readonly tooSmall: boolean;
  readonly view: ViewName;
  /** Lists tickets whose id, title, repository or state contains this text, and counts the others; empty: lists all. */
  readonly filter: string;
  readonly panes: Readonly<Record<PaneName, Pane>>;
  /** The overview lists every event, not what has become of them. */
  readonly showsEvents: boolean;
  readonly ticket: TicketUi;
  /** The graph and the timeline leave out what is done. */
  readonly isDoneHidden: boolean;
  readonly timeline: TimelineUi;
  readonly runs: RunsUi;
  /** A person asked here for the run to stop: the dashboard exits by itself once it has ended. */
  readonly stopAsked: boolean;
}

export type UiAction =
  | { readonly type: "move"; readonly by: number; readonly order: readonly TicketId[] }
  | { readonly type: "open"; readonly modal: Modal }
  | { readonly type: "close" }
  | { readonly type: "text"; readonly action: TextAction }
  | { readonly type: "text-refused"; readonly problem: string }
  | { readonly type: "toast"; readonly toast: Toast }
  | { readonly type: "time"; readonly now: number }
  | { readonly type: "connection"; readonly connection: Connection }
  | { readonly type: "size"; readonly tooSmall: boolean }
  | { readonly type: "view"; readonly view: ViewName }
  | { readonly type: "select"; readonly ticket: TicketId }
  | { readonly type: "filter"; readonly text: string }
  | { readonly type: "mark"; readonly tickets: readonly TicketId[] }
  | { readonly type: "note-kind" }
  | { readonly type: "feed-kind" }
  | { readonly type: "palette-to"; readonly at: number }
  | { readonly type: "pane"; readonly pane: PaneName; readonly action: PaneAction }
  | { readonly type: "ticket-view"; readonly action: TicketViewAction }
  | { readonly type: "hide-done" }
  | { readonly type: "timeline-view"; readonly action: TimelineAction }
  | { readonly type: "runs-view"; readonly action: RunsAction }
  | { readonly type: "stop-asked" };

export const INITIAL_UI: UiState = {
  connection: { state: "connecting" },
  marked: [],
  place: 0,
  tooSmall: false,
  view: "overview",
  filter: "",
  panes: { summary: AT_TOP, help: AT_TOP, ledger: AT_TOP, oracle: AT_TOP, feed: AT_END },
  showsEvents: false,
  ticket: INITIAL_TICKET,
  isDoneHidden: false,
  timeline: INITIAL_TIMELINE,
  runs: INITIAL_RUNS,
  stopAsked: false,
};

/** Folds a person's action into the view's state. Pure; returns the same object if nothing changes. */
export function reduceUi(ui: UiState, action: UiAction): UiState {
  switch (action.type) {
    case "move":
      return move(ui, action.by, action.order);
    case "select":
      return ui.selected === action.ticket ? ui : { ...ui, selected: action.ticket };
    case "view":
      return ui.view === action.view ? ui : { ...ui, view: action.view };
    case "toast":
      return { ...ui, toast: action.toast };
    case "time":
      return ui.toast !== undefined && ui.toast.until <= action.now ? without(ui, "toast") : ui;
    case "connection":
      return { ...ui, connection: action.connection };
    case "size":
      return ui.tooSmall === action.tooSmall ? ui : { ...ui, tooSmall: action.tooSmall };
    case "filter":
      return ui.filter === action.text ? ui : { ...ui, filter: action.text };
    case "mark":
      return { ...ui, marked: action.tickets };
    case "stop-asked":
      return { ...without(ui, "modal"), stopAsked: true };
    case "feed-kind":
      return { ...ui, showsEvents: !ui.showsEvents, panes: { ...ui.panes, feed: AT_END } };
    case "open":
    case "close":
    case "text":
    case "text-refused":
    case "note-kind":
    case "palette-to":
      return reduceModal(ui, action);
    default:
      return reduceView(ui, action);
  }
}

type ModalAction = Extract<UiAction, { type: "open" | "close" | "text" | "text-refused" | "note-kind" | "palette-to" }>;

/** True for modals whose text the engine takes, and that show why if it cannot. */
function takesLine(modal: Modal | undefined): modal is Extract<Modal, { problem?: string }> {
  return modal?.kind === "gate" || modal?.kind === "note" || modal?.kind === "add" || modal?.kind === "review";
}

/** The modal in front after an action. */
function reduceModal(ui: UiState, action: ModalAction): UiState {
  const { modal } = ui;
  switch (action.type) {
    case "open":
      return { ...ui, modal: action.modal };
    case "close":
      return without(ui, "modal");
    case "text":
      return modal !== undefined && "input" in modal ? edited(ui, modal, action.action) : ui;
    case "text-refused":
      return takesLine(modal) ? { ...ui, modal: { ...modal, problem: action.problem } } : ui;
    case "note-kind":
      return modal?.kind === "note" ? { ...ui, modal: { ...modal, work: !modal.work } } : ui;
    case "palette-to":
      return modal?.kind === "palette" ? { ...ui, modal: { ...modal, at: action.at } } : ui;
  }
}

/** A field with its text changed: its error is cleared, and a list that it filters starts at the top. */
function edited(ui: UiState, modal: TextModal, action: TextAction): UiState {
  const input = reduceText(modal.input, action);
  if (modal.kind === "filter") return { ...ui, modal: { ...modal, input }, filter: input.text };
  if (modal.kind === "palette") return { ...ui, modal: { ...modal, input, at: 0 } };
  if (modal.kind === "search" || modal.kind === "help-search") return { ...ui, modal: { ...modal, input } };
  const { problem: _, ...rest } = modal;
  return { ...ui, modal: { ...rest, input } };
}

type ViewAction = Extract<UiAction, { type: "pane" | "ticket-view" | "hide-done" | "timeline-view" | "runs-view" }>;

/** The state of one view after an action. */
function reduceView(ui: UiState, action: ViewAction): UiState {
  switch (action.type) {
    case "pane":
      return kept(ui, "panes", kept(ui.panes, action.pane, reducePane(ui.panes[action.pane], action.action)));
    case "ticket-view":
      return kept(ui, "ticket", reduceTicketView(ui.ticket, action.action));
    case "hide-done":
      return { ...ui, isDoneHidden: !ui.isDoneHidden };
    case "timeline-view":
      return kept(ui, "timeline", reduceTimeline(ui.timeline, action.action));
    case "runs-view":
      return kept(ui, "runs", reduceRuns(ui.runs, action.action));
  }
}

/** Returns the same object if the part is the same. */
function kept<T, K extends keyof T>(whole: T, key: K, part: T[K]): T {
  return whole[key] === part ? whole : { ...whole, [key]: part };
}

function without(ui: UiState, key: "modal" | "toast" | "selected"): UiState {
  if (ui[key] === undefined) return ui;
  const { [key]: _, ...rest } = ui;
  return rest;
}

/**
 * Moves the selection by ticket, not by index: the list may have changed. If its ticket has left the list, the step continues
 * from its old index.
 */
function move(ui: UiState, by: number, order: readonly TicketId[]): UiState {
  if (order.length === 0) return without(ui, "selected");
  const at = ui.selected === undefined ? -1 : order.indexOf(ui.selected);
  const from = at >= 0 ? at + by : ui.place + (by > 0 ? 0 : -1);
  const place = Math.min(Math.max(0, from), order.length - 1);
  const selected = order[place];
  return selected === undefined || selected === ui.selected ? ui : { ...ui, selected, place };
}
