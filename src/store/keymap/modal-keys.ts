import type { Binding, DashboardState } from "../dashboard-state.ts";
import { createInput } from "../text-input.ts";
import type { Effect } from "./binding.ts";
import { CLOSE, close, command, fieldKeys, leaveAs, open, paneKeys, TO_LEAVE, ui, word } from "./effects.ts";

const DETACH = leaveAs("detach");

/** A filter applies before Enter, and changes nothing in the run. */
export const FILTER_KEYS = fieldKeys({ name: "keep-filter", help: "keep", act: close }, ({ ui: { modal } }) => [
  ...ui({ type: "filter", text: modal?.kind === "filter" ? modal.before : "" }),
  ...CLOSE,
]);

export const LEAVE_KEYS: readonly Binding[] = [
  {
    name: "detach",
    silent: true,
    keys: ["d"],
    short: word("detach"),
    help: "detach: the run continues",
    confirms: true,
    act: () => DETACH,
  },
  {
    name: "stop",
    silent: true,
    keys: ["s"],
    short: word("stop the run"),
    help: "stop the run: agents are ended",
    confirms: true,
    act: (state) => [...(state.run?.end === undefined ? command((run) => run.stop()) : []), ...ui({ type: "stop-asked" })],
  },
  { name: "give-up", silent: true, keys: ["escape", "q"], short: word("back"), help: "back", act: close },
  { name: "quit", silent: true, keys: ["ctrl-c"], help: "detach", act: () => DETACH },
];

const toHelp = (filter: string): readonly Effect[] => [
  ...ui({ type: "pane", pane: "help", action: { type: "to", place: "top" } }),
  ...open({ kind: "help", filter }),
];

/** Keys of the field that filters the help: Enter keeps the filter, Escape shows all again. */
export const HELP_SEARCH_KEYS = fieldKeys(
  {
    name: "keep-filter",
    help: "keep",
    act: ({ ui: { modal } }) => toHelp(modal?.kind === "help-search" ? modal.input.text : ""),
  },
  () => toHelp(""),
);

export const HELP_KEYS: readonly Binding[] = [
  {
    name: "search",
    silent: true,
    keys: ["/"],
    short: word("search"),
    keep: 1,
    help: "list only the keys that have a text in their name or what they do",
    act: ({ ui: { modal } }) => open({ kind: "help-search", input: createInput(modal?.kind === "help" ? modal.filter : "") }),
  },
  { name: "give-up", silent: true, keys: ["escape", "?", "q", "enter"], short: word("back"), keep: 0, help: "back", act: close },
  ...paneKeys("help"),
  TO_LEAVE,
];

function leaveSmall({ run, ui: { stopAsked } }: DashboardState): readonly Effect[] {
  return run?.end === undefined ? DETACH : leaveAs(stopAsked ? "stop-requested" : "ended");
}

/** Every other key closes it, too, and does what it does in the view behind. */
export const AWAY_KEYS: readonly Binding[] = [
  {
    name: "give-up",
    silent: true,
    keys: ["escape", "enter", " ", "w"],
    short: word("live"),
    help: "back to the run",
    act: close,
  },
];

/** Keys of a terminal that is too small: they leave, and the run goes on. */
export const SMALL_KEYS: readonly Binding[] = [
  { name: "leave", silent: true, keys: ["q"], help: "leave", act: leaveSmall },
  { name: "quit", silent: true, keys: ["ctrl-c"], help: "leave", act: leaveSmall },
];
