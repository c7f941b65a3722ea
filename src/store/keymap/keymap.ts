import type { Binding, DashboardState, Keymap, PressedStore } from "../dashboard-state.ts";
import { selectedRunIndex } from "../run-list.ts";
import type { UiAction } from "../ui.ts";
import { APPROVE_KEYS } from "./approval-keys.ts";
import type { Effect, KeyPress, Mode, TerminalActions } from "./binding.ts";
import { CLOSE, hint, PAGE, paneKeys, ui, word } from "./effects.ts";
import { BACK_KEYS, GLOBAL_KEYS } from "./global-keys.ts";
import { GRAPH_KEYS } from "./graph-keys.ts";
import { AWAY_KEYS, FILTER_KEYS, HELP_KEYS, HELP_SEARCH_KEYS, LEAVE_KEYS, SMALL_KEYS } from "./modal-keys.ts";
import { OVERVIEW_KEYS } from "./overview-keys.ts";
import { PALETTE_KEYS } from "./palette-keys.ts";
import { REVIEW_KEYS } from "./pull-request-keys.ts";
import { REPLAY_KEYS } from "./replay-keys.ts";
import { RETRY_KEYS } from "./retry-keys.ts";
import { REVERT_KEYS } from "./revert-keys.ts";
import { ADD_KEYS, GATE_KEYS, HEAL_KEYS, KILL_KEYS, NOTE_KEYS, RUN_KEYS } from "./run-keys.ts";
import { SUMMARY_KEYS } from "./summary-keys.ts";
import { SEARCH_KEYS, TICKET_KEYS } from "./ticket-keys.ts";
import { TIMELINE_KEYS } from "./timeline-keys.ts";

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
const RUNS_KEYS: readonly Binding[] = [
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

/** A view's own keys take the place of those of every view: in the ticket view, that of the next need looks for a text first. */
const inView = (own: readonly Binding[]): readonly Binding[] => {
  const taken = new Set(own.flatMap(({ keys }) => keys));
  return [...own, ...[...RUN_KEYS, ...BACK_KEYS, ...GLOBAL_KEYS].filter(({ keys }) => !keys.some((key) => taken.has(key)))];
};

/** The default keys of the dashboard. Footer, help and palette are generated from it. */
export const KEYMAP: Keymap = {
  overview: [...OVERVIEW_KEYS, ...RUN_KEYS, ...GLOBAL_KEYS],
  ticket: inView(TICKET_KEYS),
  graph: inView(GRAPH_KEYS),
  timeline: inView(TIMELINE_KEYS),
  oracle: inView(paneKeys("oracle")),
  ledger: inView(paneKeys("ledger")),
  runs: inView(RUNS_KEYS),
  summary: [...SUMMARY_KEYS, ...RUN_KEYS, ...GLOBAL_KEYS],
  small: SMALL_KEYS,
  kill: KILL_KEYS,
  retry: RETRY_KEYS,
  approve: APPROVE_KEYS,
  revert: REVERT_KEYS,
  heal: HEAL_KEYS,
  gate: GATE_KEYS,
  note: NOTE_KEYS,
  add: ADD_KEYS,
  review: REVIEW_KEYS,
  filter: FILTER_KEYS,
  palette: PALETTE_KEYS,
  search: SEARCH_KEYS,
  leave: LEAVE_KEYS,
  away: AWAY_KEYS,
  help: HELP_KEYS,
  "help-search": HELP_SEARCH_KEYS,
  replay: REPLAY_KEYS,
};

const TEXT_MODES: ReadonlySet<Mode> = new Set(["gate", "note", "add", "review", "filter", "palette", "search", "help-search"]);

/** True if characters are text in this mode, not keys. */
export function isTextMode(mode: Mode): boolean {
  return TEXT_MODES.has(mode);
}

/** The mode whose keys apply now. Hidden controls have no keys, and the summary of an ended run replaces the overview. */
export function currentMode({ run, ui: { tooSmall, modal, view } }: Pick<DashboardState, "run" | "ui">): Mode {
  if (tooSmall) return "small";
  if (modal !== undefined) return modal.kind;
  return run?.end !== undefined && view === "overview" ? "summary" : view;
}

/** The effects of pressing a key now. `fresh`: an earlier key of the same burst opened the modal in front. */
function keyEffects(state: DashboardState, press: KeyPress, fresh: boolean): readonly Effect[] {
  const mode = currentMode(state);
  if ("char" in press && isTextMode(mode)) return ui({ type: "text", action: { type: "insert", text: press.char } });
  const name = "key" in press ? press.key : press.char;
  const binding = state.keymap[mode].find((b) => b.keys.includes(name));
  if (binding === undefined && mode === "away") {
    const { modal: _, ...behind } = state.ui;
    return [...CLOSE, ...keyEffects({ ...state, ui: behind }, press, fresh)];
  }
  if (binding === undefined) return [];
  return fresh && binding.confirms === true ? [] : binding.act(state);
}

/**
 * Performs one burst of presses, each on the state that the one before it left. A burst may be a paste in a terminal that does
 * not mark pastes. So a burst never confirms a question that it asked or a text that it wrote, and an Enter with more after it is
 * text.
 */
export function press(store: PressedStore, presses: readonly KeyPress[], terminal: TerminalActions): void {
  if (!isTextMode(currentMode(store.getState())) && isPaste(presses)) return;
  let fresh = false;
  for (let i = 0; i < presses.length; ) {
    const mode = currentMode(store.getState());
    const text = isTextMode(mode) ? textFrom(presses, i) : [];
    const one = text.length > 0 ? { char: text.join("") } : presses[i];
    if (one === undefined) return;
    const effects = keyEffects(store.getState(), one, fresh);
    fresh ||= effects.some((effect) => effect.do === "ui" && isUnseen(effect.action, mode));
    perform(store, effects, terminal);
    i += Math.max(1, text.length);
  }
}

/** More text at once than a hand types while a slow line stalls, and no key held down. */
function isPaste(presses: readonly KeyPress[]): boolean {
  const text = presses.flatMap((one) => ("char" in one ? one.char : one.key === "enter" || one.key === "tab" ? " " : []));
  return text.length > 16 && text.length === presses.length && new Set(text).size > 4;
}

/** The presses from `start` on that are text in a field, as one piece: a burst is written at once. */
function textFrom(presses: readonly KeyPress[], start: number): readonly string[] {
  const text: string[] = [];
  for (const [i, one] of presses.entries()) {
    if (i < start) continue;
    if ("char" in one) text.push(one.char);
    else if (one.key === "enter" && i < presses.length - 1) text.push(" ");
    else break;
  }
  return text;
}

/** True if the action opens or writes something still unseen. The text of a filter or a search changes nothing. */
function isUnseen(action: UiAction, mode: Mode): boolean {
  if (action.type === "open") return true;
  return action.type === "text" && action.action.type === "insert" && mode !== "filter" && mode !== "search";
}

/** Takes a marked paste: text for the open field, ignored anywhere else. */
export function paste(store: PressedStore, text: string): void {
  if (isTextMode(currentMode(store.getState()))) store.dispatch({ type: "text", action: { type: "paste", text } });
}

/** Performs a key's effects in order; a refusal is shown and stops the rest. */
export function perform(store: PressedStore, effects: readonly Effect[], terminal: TerminalActions): void {
  for (const effect of effects) {
    if (effect.do === "ui") store.dispatch(effect.action);
    else if (effect.do === "terminal") effect.act(terminal);
    else {
      const refusal = effect.act(store.actions);
      if (refusal !== undefined) return perform(store, hint(store.getState(), refusal), terminal);
    }
  }
}
