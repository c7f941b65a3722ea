import type { RunId, TicketId } from "../../domain/values/ids.ts";
import type { DashboardState, PressedStore } from "../dashboard-state.ts";
import { selectedRunIndex } from "../run-list.ts";
import { currentTarget } from "../ticket-log/target.ts";
import type { Pick, TicketTab } from "../views/ticket.ts";
import type { ViewName } from "../views/view-name.ts";
import type { Effect, TerminalActions } from "./binding.ts";
import { hint, ui } from "./effects.ts";
import { keyLabel } from "./key-labels.ts";
import { currentMode, KEYMAP, perform } from "./keymap.ts";

/** A mouse action and its cell: column and row from 0. */
export interface MousePress {
  readonly what: "click" | "wheel-up" | "wheel-down";
  readonly column: number;
  readonly row: number;
}

/** The target under a cell of the screen. */
export type MouseTarget =
  | { readonly on: "ticket"; readonly id: TicketId }
  | { readonly on: "binding"; readonly name: string }
  | { readonly on: "view"; readonly view: ViewName }
  | { readonly on: "palette"; readonly at: number }
  | { readonly on: "run"; readonly run: RunId }
  | { readonly on: "tab"; readonly tab: TicketTab }
  /** An attempt of the shown ticket, or one of its steps. */
  | { readonly on: "step"; readonly pick: Pick }
  | { readonly on: "feed" }
  | { readonly on: "nothing" };

/** Rows that one turn of the wheel scrolls. */
const WHEEL_ROWS = 3;

/** Performs a mouse action on its target. The target is looked up for each effect, because it may have moved. */
export function point(store: PressedStore, mouse: MousePress, targetAt: () => MouseTarget, terminal: TerminalActions): void {
  const times = mouse.what === "click" || targetAt().on === "feed" ? 1 : WHEEL_ROWS;
  for (let i = 0; i < times; i++) perform(store, mouseEffects(store.getState(), mouse, targetAt()), terminal);
}

/**
 * The effects of one mouse action on `target`: those that a key would have there. Confirming always takes a key: pasted text can
 * look like a mouse, and a click happens too easily by mistake.
 */
function mouseEffects(state: DashboardState, { what }: MousePress, target: MouseTarget): readonly Effect[] {
  if (what !== "click" && target.on === "feed") return byName(state, what === "wheel-down" ? "feed-on" : "feed-back");
  if (what !== "click") return byName(state, arrowName(state, what === "wheel-down" ? "down" : "up"));
  switch (target.on) {
    case "ticket":
      return state.ui.selected === target.id ? byName(state, "open") : ui({ type: "select", ticket: target.id });
    case "view":
      return ui({ type: "view", view: target.view });
    case "palette":
      return ui({ type: "palette-to", at: target.at });
    case "run":
      return state.runList?.[selectedRunIndex(state)]?.run === target.run
        ? byName(state, "show-run")
        : ui({ type: "runs-view", action: { type: "to", run: target.run } });
    case "tab":
      return ui({ type: "ticket-view", action: { type: "tab", tab: target.tab } });
    case "step":
      return isChosen(state, target.pick)
        ? byName(state, "step-open")
        : ui({ type: "ticket-view", action: { type: "pick", pick: target.pick } });
    case "binding":
      return byName(state, target.name);
    case "feed":
    case "nothing":
      return [];
  }
}

/** True if the step is the shown one; without an attempt, the newest is meant. */
function isChosen(state: DashboardState, { n, step }: Pick): boolean {
  const now = currentTarget(state);
  return step !== undefined && now?.entry?.step === step && now.attempt.n === (n ?? now.attempts.at(-1)?.n);
}

/** The binding that an arrow has by default in the mode in front. The wheel uses it, even if a person has rebound it. */
function arrowName(state: DashboardState, arrow: "down" | "up"): string {
  return KEYMAP[currentMode(state)].find(({ keys }) => keys.includes(arrow))?.name ?? "";
}

function byName(state: DashboardState, name: string): readonly Effect[] {
  const binding = state.keymap[currentMode(state)].find((b) => b.name === name);
  if (binding === undefined) return [];
  if (binding.confirms === true) return hint(state, `press ${keyLabel(binding.keys[0] ?? "")} for that`);
  return binding.act(state);
}
