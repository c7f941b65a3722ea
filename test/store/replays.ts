import { runActions } from "../../src/domain/run/command.ts";
import { createDashboardStore } from "../../src/store/dashboard-store.ts";
import { type KeyPress, type PlayAction, refusedActions } from "../../src/store/keymap/binding.ts";
import { KEYMAP, press } from "../../src/store/keymap/keymap.ts";
import { replayKeymap } from "../../src/store/keymap/replay-keys.ts";
import type { Playback } from "../../src/store/playback.ts";
import { projectTo } from "../../src/store/projector.ts";
import type { RunBuilder } from "./run-builder.ts";

/** A replay that stands at its end. */
export function replayOf(run: RunBuilder, over: Partial<Playback> = {}, keymap = KEYMAP) {
  const sent: unknown[] = [];
  const played: PlayAction[] = [];
  const actions = {
    ...refusedActions("not here"),
    ...runActions((command) => void sent.push(command)),
    play: (action: PlayAction) => void played.push(action),
  };
  const store = createDashboardStore({ now: 0, keymap: replayKeymap(keymap), actions });
  const from = run.events[0]?.at ?? 0;
  const playback = { from, to: run.now, at: run.now, playing: false, speed: 10, skipsIdle: true, ...over };
  store.dispatch({ type: "connection", connection: { state: "replay" } });
  projectTo(store, { state: run.state, playback, recent: run.events.slice(-200) });
  const left: string[] = [];
  const terminal = { leave: (how: string) => void left.push(how) };
  const type = (...keys: readonly KeyPress[]): void => {
    for (const key of keys) press(store, [key], terminal);
  };
  return { store, sent, played, left, type };
}
