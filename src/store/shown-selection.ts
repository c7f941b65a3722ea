import type { RunState } from "../domain/run/state.ts";
import { type Lists, ticketOrder } from "./lists.ts";
import type { UiState } from "./ui.ts";

/**
 * Keeps keys from acting on a ticket that the overview's filter hides. `instead`: select the first ticket shown (after a key), or none
 * (after an event).
 */
export function withShownSelection(
  { run, lists }: { readonly run?: RunState; readonly lists: Lists },
  ui: UiState,
  instead: "first" | "none",
): UiState {
  if (ui.filter.trim() === "" || ui.view !== "overview" || run === undefined || run.end !== undefined) return ui;
  const order = ticketOrder({ run, lists, ui });
  const { selected, ...rest } = ui;
  if (selected === undefined ? instead === "none" : order.includes(selected)) return ui;
  const [first] = instead === "first" ? order : [];
  return first === undefined ? (selected === undefined ? ui : rest) : { ...rest, selected: first, place: 0 };
}
