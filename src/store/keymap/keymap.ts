import type { Binding, DashboardState, Keymap } from "../dashboard-state.ts";
import type { Effect, Mode } from "./binding.ts";
import { ui } from "./effects.ts";
import { BACK_KEYS, GLOBAL_KEYS } from "./global-keys.ts";
import { GRAPH_KEYS } from "./graph-keys.ts";
import {
  FILTER_KEYS,
  GATE_KEYS,
  HEAL_KEYS,
  HELP_KEYS,
  HELP_SEARCH_KEYS,
  KILL_KEYS,
  LEAVE_KEYS,
  NOTE_KEYS,
  RETRY_KEYS,
  SMALL_KEYS,
} from "./modal-keys.ts";
import { OVERVIEW_KEYS } from "./overview-keys.ts";
import { PALETTE_KEYS } from "./palette-keys.ts";
import type { KeyPress } from "./press-names.ts";
import { REPLAY_KEYS } from "./replay-keys.ts";
import { RUN_KEYS } from "./run-keys.ts";
import { RUNS_KEYS } from "./runs-keys.ts";
import { SUMMARY_KEYS } from "./summary-keys.ts";
import { SEARCH_KEYS, TICKET_KEYS } from "./ticket-keys.ts";
import { TIMELINE_KEYS } from "./timeline-keys.ts";
import { LEDGER_KEYS, ORACLE_KEYS } from "./view-keys.ts";

/** A view's own keys come first: of two bindings for one key, the first counts. */
const inView = (own: readonly Binding[]): readonly Binding[] => [...own, ...RUN_KEYS, ...BACK_KEYS, ...GLOBAL_KEYS];

/** Every key of the dashboard as it comes. Footer, help and palette are generated from it. */
export const KEYMAP: Keymap = {
  overview: [...OVERVIEW_KEYS, ...RUN_KEYS, ...GLOBAL_KEYS],
  ticket: inView(TICKET_KEYS),
  graph: inView(GRAPH_KEYS),
  timeline: inView(TIMELINE_KEYS),
  oracle: inView(ORACLE_KEYS),
  ledger: inView(LEDGER_KEYS),
  runs: inView(RUNS_KEYS),
  summary: [...SUMMARY_KEYS, ...RUN_KEYS, ...GLOBAL_KEYS],
  small: SMALL_KEYS,
  kill: KILL_KEYS,
  retry: RETRY_KEYS,
  heal: HEAL_KEYS,
  gate: GATE_KEYS,
  note: NOTE_KEYS,
  filter: FILTER_KEYS,
  palette: PALETTE_KEYS,
  search: SEARCH_KEYS,
  leave: LEAVE_KEYS,
  help: HELP_KEYS,
  "help-search": HELP_SEARCH_KEYS,
  replay: REPLAY_KEYS,
};

const TEXT_MODES: ReadonlySet<Mode> = new Set(["gate", "note", "filter", "palette", "search", "help-search"]);

/** Whether characters are text here, and no keys. */
export function isTextMode(mode: Mode): boolean {
  return TEXT_MODES.has(mode);
}

/** Which keys hold now. What cannot be seen cannot be pressed, and an ended run has its summary in the place of the overview. */
export function modeOf({ run, ui: { tooSmall, modal, view } }: Pick<DashboardState, "run" | "ui">): Mode {
  if (tooSmall) return "small";
  if (modal !== undefined) return modal.kind;
  return run?.end !== undefined && view === "overview" ? "summary" : view;
}

/** What pressing a key does now. `fresh`: what stands in front was opened by an earlier key of the same burst. */
export function effectsOf(state: DashboardState, press: KeyPress, fresh: boolean): readonly Effect[] {
  const mode = modeOf(state);
  if ("char" in press && isTextMode(mode)) return ui({ type: "text", action: { type: "insert", text: press.char } });
  const name = "key" in press ? press.key : press.char;
  const binding = state.keymap[mode].find((b) => b.keys.includes(name));
  if (binding === undefined) return [];
  return fresh && binding.confirms === true ? [] : binding.act(state);
}
