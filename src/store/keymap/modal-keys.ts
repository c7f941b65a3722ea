import type { Binding, DashboardState } from "../dashboard-state.ts";
import { inputOf } from "../text-input.ts";
import type { Effect } from "./binding.ts";
import { CLOSE, checkedLine, close, FIELD_KEYS, open, paneKeys, ui, word } from "./effects.ts";

const DETACH: readonly Effect[] = [{ do: "leave", how: "detach" }];

/** Ctrl-C while something else stands in front: on to the leave menu, where a second one detaches. */
const TO_LEAVE: Binding = { name: "quit", silent: true, keys: ["ctrl-c"], help: "leave", act: () => open({ kind: "leave" }) };

/** Yes and no; `yes` says in a word what is done, `no` what stays. */
function confirmKeys(yes: string, no: string, act: (state: DashboardState) => readonly Effect[]): readonly Binding[] {
  return [
    { name: "yes", silent: true, keys: ["y"], short: word(yes), help: yes, confirms: true, act },
    { name: "no", silent: true, keys: ["n", "escape"], short: word(no), help: no, act: close },
    TO_LEAVE,
  ];
}

export const KILL_KEYS = confirmKeys("kill", "keep", ({ ui: { modal } }) =>
  modal?.kind === "kill" ? [{ do: "send", command: { type: "kill", ticket: modal.ticket } }, ...CLOSE] : [],
);

export const RETRY_KEYS = confirmKeys("retry", "back", ({ ui: { modal } }) =>
  modal?.kind === "retry" ? [{ do: "send", command: { type: "retry", ticket: modal.ticket } }, ...CLOSE] : [],
);

export const HEAL_KEYS = confirmKeys("heal", "back", () => [{ do: "send", command: { type: "heal" } }, ...CLOSE]);

/** Keys of a field: what Enter does there, and what Escape. */
function fieldKeys(enter: Pick<Binding, "name" | "help" | "act" | "confirms">, back: Binding["act"] = close): readonly Binding[] {
  return [
    { silent: true, keys: ["enter"], short: word(enter.help), ...enter },
    { name: "give-up", silent: true, keys: ["escape"], short: word("back"), help: "back", act: back },
    ...FIELD_KEYS,
    TO_LEAVE,
  ];
}

/** Sends the gate where its step is one that the engine takes; says what is wrong with it otherwise. */
export const GATE_KEYS = fieldKeys({
  name: "record",
  help: "gate",
  confirms: true,
  act: ({ ui: { modal } }) =>
    modal?.kind !== "gate"
      ? []
      : checkedLine(modal.input.text, (step) => [
          { do: "send", command: { type: "gate", ticket: modal.ticket, step } },
          ...CLOSE,
        ]),
});

export const NOTE_KEYS: readonly Binding[] = [
  ...fieldKeys({
    name: "record",
    help: "note",
    confirms: true,
    act: ({ ui: { modal } }) =>
      modal?.kind !== "note"
        ? []
        : checkedLine(modal.input.text, (text) => [
            { do: "send", command: { type: "note", kind: modal.work ? "work" : "harness", text } },
            ...CLOSE,
          ]),
  }),
  {
    name: "note-kind",
    silent: true,
    keys: ["tab"],
    short: word("work or harness"),
    help: "whether it did the tickets' work or tended the machinery",
    act: () => ui({ type: "note-kind" }),
  },
];

/** A filter has done what it does before Enter, and changes nothing. */
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
    help: "detach: the run goes on",
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
    act: () => [{ do: "send", command: { type: "stop" } }, ...ui({ type: "stop-asked" })],
  },
  { name: "give-up", silent: true, keys: ["escape", "q"], short: word("back"), help: "back", act: close },
  { name: "quit", silent: true, keys: ["ctrl-c"], help: "detach", act: () => DETACH },
];

const toHelp = (filter: string): readonly Effect[] => [
  ...ui({ type: "pane", pane: "help", action: { type: "to", place: "top" } }),
  ...open({ kind: "help", filter }),
];

/** Keys of the field by which the help is narrowed: Enter keeps what is found, Escape shows all again. */
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
    act: ({ ui: { modal } }) => open({ kind: "help-search", input: inputOf(modal?.kind === "help" ? modal.filter : "") }),
  },
  { name: "give-up", silent: true, keys: ["escape", "?", "q", "enter"], short: word("back"), keep: 0, help: "back", act: close },
  ...paneKeys("help"),
  TO_LEAVE,
];

function leaveSmall({ run, ui: { stopAsked } }: DashboardState): readonly Effect[] {
  return run?.end === undefined ? DETACH : [{ do: "leave", how: stopAsked ? "stop-requested" : "ended" }];
}

/** Keys of a terminal that shows nothing: away, and the run goes on. */
export const SMALL_KEYS: readonly Binding[] = [
  { name: "leave", silent: true, keys: ["q"], help: "leave", act: leaveSmall },
  { name: "quit", silent: true, keys: ["ctrl-c"], help: "leave", act: leaveSmall },
];
