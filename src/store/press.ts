import type { Command } from "../domain/command.ts";
import type { DashboardStore } from "./dashboard-store.ts";
import { effectsOf, modeOf } from "./keymap.ts";
import type { Effect, LeaveHow } from "./keymap-types.ts";
import type { KeyPress } from "./keys.ts";

/** What keys reach beside the view. */
export interface Hands {
  readonly send: (command: Command) => void;
  readonly leave: (how: LeaveHow) => void;
}

/**
 * Performs one burst of presses, each on the state that the one before it left. A burst may be a paste in a terminal that
 * does not mark pastes: so nothing is confirmed by the burst that asked for it, and an Enter with more after it is text.
 */
export function press(store: DashboardStore, presses: readonly KeyPress[], hands: Hands): void {
  let fresh = false;
  presses.forEach((one, i) => {
    const inText = modeOf(store.getState()) === "gate" && "key" in one && one.key === "enter" && i < presses.length - 1;
    for (const effect of effectsOf(store.getState(), inText ? { char: " " } : one, fresh)) {
      if (effect.do === "ui" && effect.action.type === "open") fresh = true;
      perform(store, effect, hands);
    }
  });
}

/** Takes a marked paste: text for the field that is open, and nothing anywhere else. */
export function paste(store: DashboardStore, text: string): void {
  if (modeOf(store.getState()) === "gate") store.dispatch({ type: "text", action: { type: "paste", text } });
}

function perform(store: DashboardStore, effect: Effect, hands: Hands): void {
  switch (effect.do) {
    case "ui":
      return store.dispatch(effect.action);
    case "send":
      return hands.send(effect.command);
    case "leave":
      return hands.leave(effect.how);
  }
}
