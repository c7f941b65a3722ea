import type { TicketId } from "../domain/ids.ts";
import type { TextAction, TextInput } from "./text-input.ts";
import { reduceText } from "./text-input.ts";
import type { Tone } from "./tone.ts";

/** What stands in front of the views. */
export type Modal =
  | { readonly kind: "kill"; readonly ticket: TicketId }
  | { readonly kind: "gate"; readonly ticket: TicketId; readonly input: TextInput; readonly problem?: string }
  | { readonly kind: "leave" }
  | { readonly kind: "help" }
  | { readonly kind: "details"; readonly ticket: TicketId };

export interface Toast {
  readonly text: string;
  readonly tone: Tone;
  /** Wall-clock milliseconds after which it is gone. */
  readonly until: number;
}

export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  | { readonly state: "lost"; readonly reason: string };

/** All of the dashboard that is not the run. */
export interface UiState {
  readonly connection: Connection;
  readonly selected?: TicketId;
  /** Where the selection stands in the walking order; kept when its ticket is gone, so that the next step goes on there. */
  readonly place: number;
  readonly modal?: Modal;
  readonly toast?: Toast;
  readonly tooSmall: boolean;
  /** First line of the summary that is shown. */
  readonly scroll: number;
  /** Lines of the summary beyond what fits: the furthest scroll. */
  readonly scrollMax: number;
  /** A person asked here for the run to stop: the dashboard leaves by itself once it has ended. */
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
  | { readonly type: "scroll"; readonly by: number }
  | { readonly type: "scroll-max"; readonly max: number }
  | { readonly type: "stop-asked" };

export const INITIAL_UI: UiState = {
  connection: { state: "connecting" },
  place: 0,
  tooSmall: false,
  scroll: 0,
  scrollMax: 0,
  stopAsked: false,
};

/** Folds a person's doing into the view's state. Pure; returns the same object where nothing changes. */
export function reduceUi(ui: UiState, action: UiAction): UiState {
  switch (action.type) {
    case "move":
      return move(ui, action.by, action.order);
    case "open":
      return { ...ui, modal: action.modal };
    case "close":
      return without(ui, "modal");
    case "text":
      return editText(ui, action.action);
    case "text-refused":
      return ui.modal?.kind === "gate" ? { ...ui, modal: { ...ui.modal, problem: action.problem } } : ui;
    case "toast":
      return { ...ui, toast: action.toast };
    case "time":
      return ui.toast !== undefined && ui.toast.until <= action.now ? without(ui, "toast") : ui;
    case "connection":
      return { ...ui, connection: action.connection };
    case "size":
      return ui.tooSmall === action.tooSmall ? ui : { ...ui, tooSmall: action.tooSmall };
    case "scroll":
      return scrollTo(ui, ui.scroll + action.by, ui.scrollMax);
    case "scroll-max":
      return scrollTo(ui, ui.scroll, Math.max(0, action.max));
    case "stop-asked":
      return { ...without(ui, "modal"), stopAsked: true };
  }
}

function scrollTo(ui: UiState, to: number, scrollMax: number): UiState {
  const scroll = Math.min(Math.max(0, to), scrollMax);
  return scroll === ui.scroll && scrollMax === ui.scrollMax ? ui : { ...ui, scroll, scrollMax };
}

function without(ui: UiState, key: "modal" | "toast" | "selected"): UiState {
  if (ui[key] === undefined) return ui;
  const { [key]: _, ...rest } = ui;
  return rest;
}

/**
 * Moves the selection by ticket, not by place: the list may have changed under it. Where its ticket has left the list,
 * the step goes on from where it stood.
 */
function move(ui: UiState, by: number, order: readonly TicketId[]): UiState {
  if (order.length === 0) return without(ui, "selected");
  const at = ui.selected === undefined ? -1 : order.indexOf(ui.selected);
  const from = at >= 0 ? at + by : ui.place + (by > 0 ? 0 : -1);
  const place = Math.min(Math.max(0, from), order.length - 1);
  const selected = order[place];
  return selected === undefined || selected === ui.selected ? ui : { ...ui, selected, place };
}

function editText(ui: UiState, action: TextAction): UiState {
  if (ui.modal?.kind !== "gate") return ui;
  return { ...ui, modal: { kind: "gate", ticket: ui.modal.ticket, input: reduceText(ui.modal.input, action) } };
}
