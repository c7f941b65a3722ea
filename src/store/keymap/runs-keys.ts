import type { Binding, DashboardState } from "../dashboard-state.ts";
import { selectedRunIndex } from "../run-list.ts";
import type { Effect } from "./binding.ts";
import { hint, PAGE, ui, word } from "./effects.ts";

function move(by: number): (state: DashboardState) => readonly Effect[] {
  return (state) => {
    const runs = state.runList ?? [];
    const to = runs[Math.min(Math.max(0, selectedRunIndex(state) + by), runs.length - 1)];
    return to === undefined ? [] : ui({ type: "runs-view", action: { type: "to", run: to.run } });
  };
}

function show(state: DashboardState): readonly Effect[] {
  if (state.playback !== undefined) return hint(state, "a replay stays with its run; loopdash attach shows others");
  const selected = state.runList?.[selectedRunIndex(state)];
  return selected === undefined
    ? hint(state, "no run is listed yet")
    : [{ do: "act", act: (actions) => actions.switchRun(selected.run) }];
}

/** Keys of the runs view. */
export const RUNS_KEYS: readonly Binding[] = [
  {
    name: "show-run",
    silent: true,
    keys: ["enter"],
    short: word("show"),
    keep: 1,
    help: "show the selected run here; the one that was shown is not touched",
    act: show,
  },
  {
    name: "next-run",
    silent: true,
    keys: ["j", "down"],
    pair: "previous-run",
    short: word("select"),
    keep: 2,
    help: "select the next run",
    act: move(1),
  },
  { name: "previous-run", silent: true, keys: ["k", "up"], help: "select the previous run", act: move(-1) },
  { name: "runs-page-down", silent: true, keys: ["pagedown", "ctrl-d"], help: `${PAGE} runs further down`, act: move(PAGE) },
  { name: "runs-page-up", silent: true, keys: ["pageup", "ctrl-b"], help: `${PAGE} runs further up`, act: move(-PAGE) },
  { name: "first-run", silent: true, keys: ["home"], help: "select the first run", act: move(Number.NEGATIVE_INFINITY) },
  { name: "last-run", silent: true, keys: ["end", "G"], help: "select the last run", act: move(Number.POSITIVE_INFINITY) },
];
