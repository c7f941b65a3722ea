import { type Command, runActions } from "../../src/domain/run/command.ts";
import type { Keymap } from "../../src/store/dashboard-state.ts";
import { createDashboardStore } from "../../src/store/dashboard-store.ts";
import { createFeed } from "../../src/store/feed.ts";
import { type KeyPress, type LeaveHow, refusedActions } from "../../src/store/keymap/binding.ts";
import { InputTokenizer } from "../../src/store/keymap/input-tokenizer.ts";
import { press } from "../../src/store/keymap/keymap.ts";
import { type MousePress, type MouseTarget, point } from "../../src/store/keymap/mouse.ts";
import type { RunBuilder } from "./run-builder.ts";

/** The keys of one burst, as a terminal sends it. */
export function pressesOf(burst: string): readonly KeyPress[] {
  return new InputTokenizer().push(burst, 0).flatMap((input) => ("keys" in input ? input.keys : []));
}

/** A store with a run in it, a keyboard and a mouse before it, and a record of what they did. */
export function desk(run: RunBuilder, keymap?: Keymap) {
  const sent: Command[] = [];
  const actions = { ...refusedActions("not here"), ...runActions((command) => void sent.push(command)) };
  const store = createDashboardStore({ now: run.now, actions, ...(keymap === undefined ? {} : { keymap }) });
  createFeed(store, { now: () => run.now }).take({ kind: "snapshot", state: run.state, recent: run.events.slice(-200) });
  const left: LeaveHow[] = [];
  const terminal = { leave: (how: LeaveHow) => void left.push(how) };
  return {
    store,
    sent,
    left,
    /** One burst, as a terminal sends it. */
    type: (burst: string) => press(store, pressesOf(burst), terminal),
    press: (...keys: readonly KeyPress[]) => press(store, keys, terminal),
    point: (what: MousePress["what"], target: MouseTarget) => point(store, { what, column: 0, row: 0 }, () => target, terminal),
    ui: () => store.getState().ui,
  };
}
