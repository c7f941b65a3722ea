import type { DashboardState } from "./dashboard-store.ts";
import { LIST_KEYS } from "./keymap-list.ts";
import { CONFIRM_KILL_KEYS, DETAILS_KEYS, GATE_KEYS, HELP_KEYS, LEAVE_KEYS, SMALL_KEYS, SUMMARY_KEYS } from "./keymap-modal.ts";
import type { Binding, Effect, Mode } from "./keymap-types.ts";
import type { KeyPress } from "./keys.ts";

/** Every key of the dashboard, by mode. The footer and the help are generated from it. */
export const KEYMAP: Readonly<Record<Mode, readonly Binding[]>> = {
  list: LIST_KEYS,
  kill: CONFIRM_KILL_KEYS,
  gate: GATE_KEYS,
  leave: LEAVE_KEYS,
  help: HELP_KEYS,
  details: DETAILS_KEYS,
  summary: SUMMARY_KEYS,
  small: SMALL_KEYS,
};

/** Which keys hold now. What cannot be seen cannot be pressed, and an ended run has its summary in front. */
export function modeOf(state: DashboardState): Mode {
  if (state.ui.tooSmall) return "small";
  return state.run?.end === undefined ? (state.ui.modal?.kind ?? "list") : "summary";
}

/** What pressing a key does now. `fresh`: what stands in front was opened by an earlier key of the same burst. */
export function effectsOf(state: DashboardState, press: KeyPress, fresh: boolean): readonly Effect[] {
  const mode = modeOf(state);
  const name = "key" in press ? press.key : press.char;
  const binding = KEYMAP[mode].find((b) => b.keys.includes(name));
  if (binding !== undefined && !(mode === "gate" && "char" in press)) {
    return fresh && binding.confirms === true ? [] : binding.act(state);
  }
  if (mode === "gate" && "char" in press)
    return [{ do: "ui", action: { type: "text", action: { type: "insert", text: press.char } } }];
  return [];
}
