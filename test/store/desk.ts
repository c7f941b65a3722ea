import type { Command } from "../../src/domain/run/command.ts";
import type { Keymap } from "../../src/store/dashboard-state.ts";
import { createDashboardStore } from "../../src/store/dashboard-store.ts";
import { createFeed } from "../../src/store/feed.ts";
import type { LeaveHow } from "../../src/store/keymap/binding.ts";
import type { MousePress, MouseTarget } from "../../src/store/keymap/mouse.ts";
import { point, press } from "../../src/store/keymap/press.ts";
import { type InkKey, type KeyPress, pressesOf } from "../../src/store/keymap/press-names.ts";
import type { RunBuilder } from "./run-builder.ts";

export const NO_KEY: InkKey = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageUp: false,
  pageDown: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  tab: false,
  backspace: false,
  delete: false,
  ctrl: false,
  shift: false,
  meta: false,
};

/** A store with a run in it, a keyboard and a mouse before it, and a record of what they did. */
export function desk(run: RunBuilder, keymap?: Keymap) {
  const store = createDashboardStore({ now: run.now, ...(keymap === undefined ? {} : { keymap }) });
  createFeed(store, { now: () => run.now }).take({ kind: "snapshot", state: run.state, recent: run.events.slice(-200) });
  const sent: Command[] = [];
  const left: LeaveHow[] = [];
  const hands = { send: (c: Command) => sent.push(c), leave: (how: LeaveHow) => left.push(how) };
  return {
    store,
    sent,
    left,
    /** One burst, as a terminal sends it. */
    type: (burst: string) => press(store, pressesOf(burst, NO_KEY), hands),
    press: (...keys: readonly KeyPress[]) => press(store, keys, hands),
    point: (what: MousePress["what"], target: MouseTarget) => point(store, { what, column: 0, row: 0 }, () => target, hands),
    ui: () => store.getState().ui,
  };
}
