import type { Binding, DashboardState } from "../dashboard-state.ts";
import { EMPTY_INPUT } from "../text-input.ts";
import { VIEW_TITLES, VIEWS, type ViewName } from "../views/view-name.ts";
import type { Effect } from "./binding.ts";
import { leaveAs, open, ui, word } from "./effects.ts";
import { NEED_KEY } from "./need-keys.ts";
import { OPEN_PULL_REQUEST_KEY } from "./pull-request-keys.ts";

function leave(state: DashboardState): readonly Effect[] {
  if (state.run?.end !== undefined) return leaveAs(state.ui.stopAsked ? "stop-requested" : "ended");
  return state.ui.connection.state === "live" ? open({ kind: "leave" }) : leaveAs("detach");
}

/** Moves `by` views further in the order of all. */
function turn(by: number): (state: DashboardState) => readonly Effect[] {
  return ({ ui: { view } }) => {
    const to = VIEWS[(VIEWS.indexOf(view) + by + VIEWS.length) % VIEWS.length] ?? "overview";
    return ui({ type: "view", view: to });
  };
}

function help(): readonly Effect[] {
  return [...ui({ type: "pane", pane: "help", action: { type: "to", place: "top" } }), ...open({ kind: "help", filter: "" })];
}

const go = (view: ViewName) => (): readonly Effect[] => ui({ type: "view", view });

/** Keys of every view, the summary included. */
export const GLOBAL_KEYS: readonly Binding[] = [
  { name: "next-view", keys: ["tab"], short: word("views"), keep: 6, help: "the next view", silent: true, act: turn(1) },
  { name: "previous-view", keys: ["shift-tab"], help: "the view before", silent: true, act: turn(-1) },
  ...VIEWS.map(
    (view, i): Binding => ({ name: `view-${view}`, keys: [String(i + 1)], help: `${view}: ${VIEW_TITLES[view]}`, act: go(view) }),
  ),
  NEED_KEY,
  {
    name: "away",
    keys: ["w"],
    help: "what landed, broke, was found, retried and decided since you last looked",
    act: ({ run, lastLook }) => (run === undefined ? [] : open({ kind: "away", since: lastLook ?? run.startedAt })),
  },
  OPEN_PULL_REQUEST_KEY,
  {
    name: "palette",
    keys: [":", "ctrl-p"],
    short: word("command"),
    keep: 9,
    help: "find and give any command",
    silent: true,
    act: () => open({ kind: "palette", input: EMPTY_INPUT, at: 0 }),
  },
  { name: "help", keys: ["?"], short: word("help"), keep: 1, help: "all keys", act: help },
  {
    name: "suspend",
    keys: ["ctrl-z"],
    help: "give the terminal back to the shell; fg brings the dashboard back",
    act: () => [{ do: "terminal", act: (terminal) => terminal.suspend?.() }],
  },
  { name: "leave", keys: ["q"], short: word("leave"), keep: 0, help: "leave: detach, or stop the run", act: leave },
  { name: "quit", keys: ["ctrl-c"], help: "leave; twice: detach, the run continues", silent: true, act: leave },
];

/** Keys that lead back to the overview, in every view but the overview itself. */
export const BACK_KEYS: readonly Binding[] = [
  {
    name: "back",
    keys: ["escape"],
    short: word("back"),
    keep: 2,
    help: "back to the overview",
    silent: true,
    act: go("overview"),
  },
];
