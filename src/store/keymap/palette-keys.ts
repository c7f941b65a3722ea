import type { Binding, DashboardState } from "../dashboard-state.ts";
import type { Effect } from "./binding.ts";
import { CLOSE, close, FIELD_KEYS, open, PAGE, ui, word } from "./effects.ts";
import { behind, chosenAt, rankOffers } from "./palette.ts";

function move(by: number): (state: DashboardState) => readonly Effect[] {
  return (state) => {
    const { modal } = state.ui;
    return modal?.kind === "palette" ? ui({ type: "palette-to", at: chosenAt(modal.at + by, rankOffers(state).length) }) : [];
  };
}

/** Performs the chosen command as its key would without the palette. */
function give(state: DashboardState): readonly Effect[] {
  const { modal } = state.ui;
  if (modal?.kind !== "palette") return [];
  const found = rankOffers(state);
  const chosen = found[chosenAt(modal.at, found.length)];
  return chosen === undefined ? [] : [...CLOSE, ...chosen.act(behind(state))];
}

/** Keys of the palette. */
export const PALETTE_KEYS: readonly Binding[] = [
  { name: "give", silent: true, keys: ["enter"], short: word("do it"), help: "do it", confirms: true, act: give },
  { name: "give-up", silent: true, keys: ["escape", "ctrl-p"], short: word("back"), help: "back", act: close },
  { name: "choose-next", silent: true, keys: ["down", "tab"], help: "the next command", act: move(1) },
  { name: "choose-previous", silent: true, keys: ["up", "shift-tab"], help: "the command before", act: move(-1) },
  { name: "choose-page-down", silent: true, keys: ["pagedown"], help: `${PAGE} commands further down`, act: move(PAGE) },
  { name: "choose-page-up", silent: true, keys: ["pageup"], help: `${PAGE} commands further up`, act: move(-PAGE) },
  ...FIELD_KEYS,
  { name: "quit", silent: true, keys: ["ctrl-c"], help: "leave", act: () => open({ kind: "leave" }) },
];
