import type { Binding, DashboardState } from "../dashboard-state.ts";
import { type GraphStep, walkGraph } from "../views/graph-walk.ts";
import type { Effect } from "./binding.ts";
import { PAGE, selectedIn, ui, word } from "./effects.ts";
import { OPEN_KEY } from "./overview-keys.ts";

function walk(step: GraphStep, by = 1): (state: DashboardState) => readonly Effect[] {
  return (state) => {
    const to = state.run === undefined ? undefined : walkGraph(state.run.plan, selectedIn(state), step, by);
    return to === undefined ? [] : ui({ type: "select", ticket: to });
  };
}

/** Keys of the graph view. */
export const GRAPH_KEYS: readonly Binding[] = [
  {
    name: "layer-down",
    silent: true,
    keys: ["j", "down"],
    pair: "layer-up",
    short: word("in layer"),
    keep: 2,
    help: "the next ticket of the layer",
    act: walk("down"),
  },
  { name: "layer-up", silent: true, keys: ["k", "up"], help: "the ticket before it in the layer", act: walk("up") },
  {
    name: "layer-left",
    silent: true,
    keys: ["b", "left", "["],
    pair: "layer-right",
    short: word("layers"),
    keep: 3,
    help: "to what the ticket waits for, one layer back",
    act: walk("left"),
  },
  {
    name: "layer-right",
    silent: true,
    keys: ["w", "right", "]"],
    help: "to what waits for the ticket, one layer on",
    act: walk("right"),
  },
  { name: "layer-page-down", silent: true, keys: ["pagedown", "ctrl-d"], help: `${PAGE} tickets down`, act: walk("down", PAGE) },
  { name: "layer-page-up", silent: true, keys: ["pageup", "ctrl-b"], help: `${PAGE} tickets up`, act: walk("up", PAGE) },
  OPEN_KEY,
  {
    name: "graph-lines",
    keys: ["l"],
    short: (state) => (state.ui.graph.lines === "all" ? "fewer lines" : "all lines"),
    keep: 9,
    help: "the lines of all tickets, or of the selected one",
    act: () => ui({ type: "graph-view", action: { type: "toggle-lines" } }),
  },
];
