import type { Binding, DashboardState } from "../dashboard-state.ts";
import { graphNeighbour } from "../views/graph-tree.ts";
import type { Effect } from "./binding.ts";
import { ui, word } from "./effects.ts";
import { OPEN_KEY, SELECT_KEYS } from "./overview-keys.ts";

function walk(step: "left" | "right"): (state: DashboardState) => readonly Effect[] {
  return (state) => {
    const ticket = graphNeighbour(state, step);
    return ticket === undefined ? [] : ui({ type: "select", ticket });
  };
}

/** Hides the tickets that are done, or shows them again, in the views that list all. */
export const DONE_KEY: Binding = {
  name: "hide-done",
  keys: ["l"],
  short: (state) => (state.ui.isDoneHidden ? "all tickets" : "hide done"),
  keep: 10,
  help: "hide the tickets that are done, or show them again",
  act: () => ui({ type: "hide-done" }),
};

/** Keys of the graph view. */
export const GRAPH_KEYS: readonly Binding[] = [
  ...SELECT_KEYS,
  {
    name: "layer-left",
    silent: true,
    keys: ["b", "left", "["],
    pair: "layer-right",
    short: word("layers"),
    keep: 9,
    help: "to what the ticket waits for",
    act: walk("left"),
  },
  { name: "layer-right", silent: true, keys: ["w", "right", "]"], help: "to what waits for the ticket", act: walk("right") },
  OPEN_KEY,
  DONE_KEY,
];
