import type { Binding, DashboardState } from "../dashboard-state.ts";
import { ticketOrder } from "../lists.ts";
import { createInput } from "../text-input.ts";
import { isAfter, lastPosition, movedBy, type TextPosition } from "../ticket-log/rows.ts";
import { foundIn, type ShownText, shownText } from "../ticket-log/source.ts";
import { currentTarget, type Target } from "../ticket-log/target.ts";
import { type Pick, TICKET_TABS, type TicketTab, type TicketViewAction } from "../views/ticket.ts";
import type { Effect } from "./binding.ts";
import { type Act, CLOSE, close, FIELD_KEYS, hint, open, ui, word } from "./effects.ts";
import { keyIn } from "./key-labels.ts";
import { nextNeed } from "./need-keys.ts";

const view = (action: TicketViewAction): readonly Effect[] => ui({ type: "ticket-view", action });

function select(by: number): Act {
  return (state) => ui({ type: "move", by, order: ticketOrder(state) });
}

/** Runs `act` on the shown target. If there is none, `j` and `k` select a ticket, and every other key shows a hint. */
function withTarget(act: (target: Target, state: DashboardState) => readonly Effect[], otherwise?: Act): Act {
  return (state) => {
    const target = currentTarget(state);
    if (target !== undefined) return act(target, state);
    if (state.ui.selected !== undefined) return hint(state, "this ticket has had no attempt yet");
    return otherwise?.(state) ?? hint(state, "no ticket is selected");
  };
}

function withShown(act: (shown: ShownText, state: DashboardState) => readonly Effect[], otherwise?: Act): Act {
  return withTarget((target, state) => {
    const shown = shownText(state, target);
    return shown === undefined ? [] : act(shown, state);
  }, otherwise);
}

/** Scrolls there. At the end of a text that may still grow, new lines are followed. */
function to({ target, source, room }: ShownText, place: TextPosition): readonly Effect[] {
  const atEnd = !isAfter(lastPosition(source, room), place);
  const follows = atEnd && (target.tab === "log" || target.tab === "evidence");
  return view({ type: "scroll", to: { textKey: target.key, at: follows ? "end" : place } });
}

function scroll(by: number): Act {
  return withShown(
    (shown) => to(shown, movedBy(shown.source, shown.place, by, shown.room)),
    by === 1 || by === -1 ? select(by) : undefined,
  );
}

function page(by: 1 | -1): Act {
  return withShown((shown) => to(shown, movedBy(shown.source, shown.place, by * Math.max(1, shown.room.rows - 1), shown.room)));
}

const top = withShown(({ target, source }) =>
  view({ type: "scroll", to: { textKey: target.key, at: { line: source.first, row: 0 } } }),
);
const end = withShown(({ target }) => view({ type: "scroll", to: { textKey: target.key, at: "end" } }));
const follow = withShown(({ target, place, follows }) =>
  view({ type: "scroll", to: { textKey: target.key, at: follows ? place : "end" } }),
);

const show = (tab: TicketTab): Act => withTarget(() => view({ type: "tab", tab }));

function turn(by: number): Act {
  return withTarget(({ tab, tabs }) => {
    const at = (tabs.indexOf(tab) + by + tabs.length) % tabs.length;
    return view({ type: "tab", tab: tabs[at] ?? "log" });
  });
}

const pick = (pick: Pick): readonly Effect[] => view({ type: "pick", pick: pick });

/** Selects another attempt. The newest is not pinned: the next one is shown once it begins. */
function another(by: number): Act {
  return withTarget(({ attempts, attempt, ticket }, state) => {
    const at = attempts.findIndex(({ n }) => n === attempt.n) + by;
    const n = attempts[at]?.n;
    if (n === undefined) return hint(state, by < 0 ? "this is the first attempt" : "this is the newest attempt");
    return pick(at === attempts.length - 1 ? { ticket: ticket.id } : { ticket: ticket.id, n });
  });
}

function step(by: number): Act {
  return withTarget(({ attempt, entry, ticket, attempts }) => {
    const at = attempt.entries.findIndex(({ step }) => step === entry?.step) + by;
    const next = attempt.entries.at(at % attempt.entries.length);
    const held = attempt.n === attempts.at(-1)?.n ? {} : { n: attempt.n };
    return next === undefined ? [] : pick({ ticket: ticket.id, ...held, step: next.step });
  });
}

function nothingSought(key: string): string {
  return `nothing is looked for${key === "" ? "" : `: ${key} looks for a text`}`;
}

/** Jumps to the next line that matches the search and wraps at the end; `by` −1: the one before. */
function find(by: 1 | -1): Act {
  return withShown((shown, state) => {
    const needle = state.ui.ticket.search;
    if (needle === "") return hint(state, nothingSought(keyIn(state, "ticket", "search")));
    return toMatch(state, shown, needle, by);
  });
}

function toMatch(state: DashboardState, shown: ShownText, needle: string, by: 1 | -1): readonly Effect[] {
  const lines = foundIn(shown.source, needle);
  const here = state.ui.ticket.match?.textKey === shown.target.key ? state.ui.ticket.match.line : undefined;
  const from = here ?? (shown.follows ? shown.source.first + shown.source.count : shown.place.line - 1);
  const next = by > 0 ? (lines.find((line) => line > from) ?? lines[0]) : (lines.findLast((line) => line < from) ?? lines.at(-1));
  if (next === undefined) return hint(state, `no line has "${needle}"`);
  const above = Math.floor(shown.room.rows / 3);
  const place = movedBy(shown.source, { line: next, row: 0 }, -above, shown.room);
  return [
    ...view({ type: "match", match: { textKey: shown.target.key, line: next } }),
    ...view({ type: "scroll", to: { textKey: shown.target.key, at: place } }),
  ];
}

function search(state: DashboardState): readonly Effect[] {
  const { modal } = state.ui;
  if (modal?.kind !== "search") return [];
  const needle = modal.input.text;
  const shown = shownText(state);
  const found = shown === undefined || needle === "" ? [] : toMatch(state, shown, needle, shown.follows ? -1 : 1);
  return [...view({ type: "search", text: needle }), ...CLOSE, ...found];
}

const TAB_KEYS: Readonly<Record<TicketTab, { readonly key: string; readonly help: string }>> = {
  log: { key: "l", help: "show what the agent printed" },
  diff: { key: "d", help: "show what the attempt changed" },
  prompt: { key: "P", help: "show what the agent was told" },
  evidence: { key: "e", help: "show what speaks for and against the chosen step, and its log" },
  cost: { key: "c", help: "show what the ticket has cost" },
  checks: { key: "C", help: "show the ticket's pull request: its checks, and the triage of what failed there" },
};

/** Their word, where there is another attempt to choose. */
const attemptWord = (state: DashboardState): string => ((currentTarget(state)?.attempts.length ?? 0) > 1 ? "attempt" : "");

/** Keys that choose an attempt of the selected ticket. */
export const ATTEMPT_KEYS: readonly Binding[] = [
  {
    name: "attempt-previous",
    keys: ["["],
    pair: "attempt-next",
    short: attemptWord,
    keep: 5,
    help: "the attempt before",
    act: another(-1),
  },
  { name: "attempt-next", keys: ["]"], help: "the next attempt", act: another(1) },
];

/** Keys of the ticket view. */
export const TICKET_KEYS: readonly Binding[] = [
  { name: "down", silent: true, keys: ["j", "down"], pair: "up", short: word("scroll"), keep: 3, help: "scroll", act: scroll(1) },
  { name: "up", silent: true, keys: ["k", "up"], help: "scroll back", act: scroll(-1) },
  { name: "page-down", silent: true, keys: ["pagedown", " ", "ctrl-d"], help: "a page on", act: page(1) },
  { name: "page-up", silent: true, keys: ["pageup", "ctrl-b"], help: "a page back", act: page(-1) },
  { name: "top", silent: true, keys: ["home"], help: "to the top", act: top },
  { name: "end", silent: true, keys: ["end", "G"], help: "to the end", act: end },
  {
    name: "tab-next",
    silent: true,
    keys: ["right", "."],
    pair: "tab-previous",
    short: word("tab"),
    keep: 3,
    help: "the next tab of the ticket",
    act: turn(1),
  },
  { name: "tab-previous", silent: true, keys: ["left", ","], help: "the tab before", act: turn(-1) },
  ...TICKET_TABS.map(
    (tab): Binding => ({ name: `tab-${tab}`, keys: [TAB_KEYS[tab].key], help: TAB_KEYS[tab].help, act: show(tab) }),
  ),
  {
    name: "step-next",
    keys: ["s"],
    pair: "step-previous",
    short: word("step"),
    keep: 6,
    help: "choose the next step of the attempt",
    act: step(1),
  },
  { name: "step-previous", keys: ["S"], help: "choose the step before", act: step(-1) },
  {
    name: "step-open",
    silent: true,
    keys: ["enter"],
    short: word("evidence"),
    keep: 7,
    help: "show the evidence of the chosen step",
    act: show("evidence"),
  },
  ...ATTEMPT_KEYS,
  {
    name: "ticket-next",
    silent: true,
    keys: ["J"],
    pair: "ticket-previous",
    short: word("ticket"),
    keep: 5,
    help: "select the next ticket",
    act: select(1),
  },
  { name: "ticket-previous", silent: true, keys: ["K"], help: "select the previous ticket", act: select(-1) },
  {
    name: "follow",
    keys: ["f"],
    short: word("follow"),
    keep: 6,
    help: "follow the end of the text, or stand still",
    act: follow,
  },
  {
    name: "wrap",
    keys: ["w"],
    short: word("wrap"),
    keep: 8,
    help: "wrap long lines, or cut them",
    act: () => view({ type: "wrap" }),
  },
  {
    name: "raw",
    keys: ["v"],
    help: "show an agent's log as it stands there, or as people read it",
    act: () => view({ type: "raw" }),
  },
  {
    name: "search",
    keys: ["/"],
    short: word("search"),
    keep: 4,
    help: "look for a text in what is shown; capitals count where it has some",
    act: withTarget((_, state) => open({ kind: "search", input: createInput(state.ui.ticket.search) })),
  },
  {
    name: "match-next",
    silent: true,
    keys: ["n"],
    help: "the next line that has it; without a search, the next ticket that needs you",
    act: (state) => (state.ui.ticket.search === "" ? nextNeed(state) : find(1)(state)),
  },
  { name: "match-previous", silent: true, keys: ["N"], help: "the line before that has it", act: find(-1) },
];

/** Keys of the field that searches the ticket view's text. */
export const SEARCH_KEYS: readonly Binding[] = [
  { name: "find", silent: true, keys: ["enter"], short: word("find"), help: "look for it", confirms: true, act: search },
  { name: "give-up", silent: true, keys: ["escape"], short: word("back"), help: "back", act: close },
  ...FIELD_KEYS,
  { name: "quit", silent: true, keys: ["ctrl-c"], help: "leave", act: () => open({ kind: "leave" }) },
];
