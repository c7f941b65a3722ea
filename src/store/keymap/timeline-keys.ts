import type { Binding, DashboardState } from "../dashboard-state.ts";
import type { TimelineAction } from "../views/timeline.ts";
import type { Effect } from "./binding.ts";
import { hint, ui, word } from "./effects.ts";
import { DONE_KEY } from "./graph-keys.ts";
import { keyIn } from "./key-labels.ts";
import { OPEN_KEY, SELECT_KEYS } from "./overview-keys.ts";
import { ATTEMPT_KEYS } from "./ticket-keys.ts";

function act(action: (first: number, last: number) => TimelineAction): (state: DashboardState) => readonly Effect[] {
  return ({ run, now }) =>
    run === undefined ? [] : ui({ type: "timeline-view", action: action(run.startedAt, run.end?.at ?? now) });
}

/** Pans the timeline; if it shows the whole run, says how to zoom in. */
function pan(share: number): (state: DashboardState) => readonly Effect[] {
  const move = act((first, last) => ({ type: "pan", share, first, last }));
  return (state) => {
    if (state.ui.timeline.zoom > 0) return move(state);
    const key = keyIn(state, "timeline", "zoom-in");
    return hint(state, `all of the run is in sight${key === "" ? "" : `; ${key} zooms`}`);
  };
}

/** Keys of the timeline view. */
export const TIMELINE_KEYS: readonly Binding[] = [
  ...SELECT_KEYS,
  OPEN_KEY,
  ...ATTEMPT_KEYS,
  DONE_KEY,
  {
    name: "zoom-in",
    keys: ["z"],
    pair: "zoom-out",
    short: word("zoom"),
    keep: 3,
    help: "nearer: less time, more of it",
    act: act(() => ({ type: "zoom", by: 1 })),
  },
  { name: "zoom-out", keys: ["Z"], help: "further away: more time", act: act(() => ({ type: "zoom", by: -1 })) },
  { name: "zoom-whole", keys: ["f"], help: "the whole run", act: act((first) => ({ type: "to", place: "whole", first })) },
  {
    name: "pan-left",
    silent: true,
    keys: ["left", "b"],
    pair: "pan-right",
    short: word("earlier/later"),
    keep: 7,
    help: "earlier",
    act: pan(-0.5),
  },
  { name: "pan-right", silent: true, keys: ["right", "w"], help: "later", act: pan(0.5) },
  {
    name: "pan-start",
    keys: ["home"],
    help: "the start of the run",
    act: act((first) => ({ type: "to", place: "start", first })),
  },
  { name: "pan-now", keys: ["end"], help: "now", act: act((first) => ({ type: "to", place: "now", first })) },
];
