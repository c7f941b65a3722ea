import type { Command } from "../../domain/run/command.ts";
import type { RunId } from "../../domain/values/ids.ts";
import type { DashboardStore } from "../dashboard-store.ts";
import type { UiAction } from "../ui.ts";
import type { Effect, LeaveHow, Mode, PlayAction } from "./binding.ts";
import { effectsOf, isTextMode, modeOf } from "./keymap.ts";
import { type MousePress, type MouseTarget, mouseEffects, timesOf } from "./mouse.ts";
import type { KeyPress } from "./press-names.ts";

/** What keys reach beside the view. */
export interface Hands {
  readonly send: (command: Command) => void;
  readonly leave: (how: LeaveHow) => void;
  readonly switchRun?: (run: RunId) => void;
  readonly copy?: (text: string) => void;
  readonly suspend?: () => void;
  readonly play?: (action: PlayAction) => void;
}

/**
 * Performs one burst of presses, each on the state that the one before it left. A burst may be a paste in a terminal that
 * does not mark pastes: so nothing is confirmed by the burst that asked for it or that wrote what is confirmed, and an Enter with
 * more after it is text.
 */
export function press(store: DashboardStore, presses: readonly KeyPress[], hands: Hands): void {
  let fresh = false;
  for (let i = 0; i < presses.length; ) {
    const mode = modeOf(store.getState());
    const text = isTextMode(mode) ? textFrom(presses, i) : [];
    const one = text.length > 0 ? { char: text.join("") } : presses[i];
    if (one === undefined) return;
    for (const effect of effectsOf(store.getState(), one, fresh)) {
      if (effect.do === "ui" && isUnseen(effect.action, mode)) fresh = true;
      perform(store, effect, hands);
    }
    i += Math.max(1, text.length);
  }
}

/** The presses from one on that are text in a field, as one piece: what comes at once is written at once. */
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

/** Opens or writes what a person has not looked at yet. What is looked for by a filter or a search changes nothing. */
function isUnseen(action: UiAction, mode: Mode): boolean {
  if (action.type === "open") return true;
  return action.type === "text" && action.action.type === "insert" && mode !== "filter" && mode !== "search";
}

/** Does what the mouse did on `target`, found anew each time: what stands under it may have gone on. */
export function point(store: DashboardStore, mouse: MousePress, targetAt: () => MouseTarget, hands: Hands): void {
  for (let i = 0; i < timesOf(mouse); i++)
    for (const effect of mouseEffects(store.getState(), mouse, targetAt())) perform(store, effect, hands);
}

/** Takes a marked paste: text for the field that is open, and nothing anywhere else. */
export function paste(store: DashboardStore, text: string): void {
  if (isTextMode(modeOf(store.getState()))) store.dispatch({ type: "text", action: { type: "paste", text } });
}

function perform(store: DashboardStore, effect: Effect, hands: Hands): void {
  switch (effect.do) {
    case "ui":
      return store.dispatch(effect.action);
    case "send":
      return hands.send(effect.command);
    case "leave":
      return hands.leave(effect.how);
    case "switch-run":
      return hands.switchRun?.(effect.run);
    case "copy":
      return hands.copy?.(effect.text);
    case "suspend":
      return hands.suspend?.();
    case "play":
      return hands.play?.(effect.action);
  }
}
