import type { RunId, TicketId } from "../../domain/values/ids.ts";
import type { DashboardState, PressedStore } from "../dashboard-state.ts";
import { selectedRunIndex } from "../run-list.ts";
import { targetOf } from "../ticket-log/target.ts";
import type { Pick, TicketTab } from "../views/ticket.ts";
import type { ViewName } from "../views/view-name.ts";
import type { Effect, TerminalActions } from "./binding.ts";
import { hint, ui } from "./effects.ts";
import { keyLabel } from "./key-labels.ts";
import { KEYMAP, modeOf, perform } from "./keymap.ts";

/** What a mouse did, and in which cell: column and row from 0. */
export interface MousePress {
  readonly what: "click" | "wheel-up" | "wheel-down";
  readonly column: number;
  readonly row: number;
}

/** What lies under a cell of the screen. */
export type MouseTarget =
  | { readonly on: "ticket"; readonly id: TicketId }
  | { readonly on: "binding"; readonly name: string }
  | { readonly on: "view"; readonly view: ViewName }
  | { readonly on: "palette"; readonly at: number }
  | { readonly on: "run"; readonly run: RunId }
  | { readonly on: "tab"; readonly tab: TicketTab }
  /** A try of the ticket that is looked at, or a step of one. */
  | { readonly on: "step"; readonly pick: Pick }
  | { readonly on: "nothing" };

/** Rows that one turn of the wheel goes over. */
const WHEEL_ROWS = 3;

/** Does what the mouse did on `target`, found anew each time: what stands under it may have gone on. */
export function point(store: PressedStore, mouse: MousePress, targetAt: () => MouseTarget, terminal: TerminalActions): void {
  const times = mouse.what === "click" ? 1 : WHEEL_ROWS;
  for (let i = 0; i < times; i++) perform(store, mouseEffects(store.getState(), mouse, targetAt()), terminal);
}

/**
 * What the mouse does once on `target`: what a key would do there. Whatever confirms something takes a key: text that is pasted can
 * look like a mouse, and a click is made by mistake too easily.
 */
function mouseEffects(state: DashboardState, { what }: MousePress, target: MouseTarget): readonly Effect[] {
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
    case "nothing":
      return [];
  }
}

/** Whether it is the step that is looked at; without a try, that of the newest is meant. */
function isChosen(state: DashboardState, { n, step }: Pick): boolean {
  const now = targetOf(state);
  return step !== undefined && now?.entry?.step === step && now.life.n === (n ?? now.lives.at(-1)?.n);
}

/** The binding that an arrow has in the mode in front, as loopdash comes: what a wheel does, wherever a person has bound it. */
function arrowName(state: DashboardState, arrow: "down" | "up"): string {
  return KEYMAP[modeOf(state)].find(({ keys }) => keys.includes(arrow))?.name ?? "";
}

function byName(state: DashboardState, name: string): readonly Effect[] {
  const binding = state.keymap[modeOf(state)].find((b) => b.name === name);
  if (binding === undefined) return [];
  if (binding.confirms === true) return hint(state, `press ${keyLabel(binding.keys[0] ?? "")} for that`);
  return binding.act(state);
}
