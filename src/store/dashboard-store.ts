import { createStore, type StoreApi } from "zustand/vanilla";
import type { DashboardState, Keymap, PressedStore } from "./dashboard-state.ts";
import { type Actions, refusedActions } from "./keymap/binding.ts";
import { KEYMAP } from "./keymap/keymap.ts";
import { NOT_CONNECTED } from "./keymap/run-keys.ts";
import { NO_LISTS } from "./lists.ts";
import { INITIAL_UI, reduceUi, type UiAction } from "./ui.ts";

/** The dashboard's memory: its state, and what may change it. */
export interface DashboardStore extends StoreApi<DashboardState>, PressedStore {
  getState(): DashboardState;
  /**
   * Moves the shown time on, and lets what is only shown for a while go. Within the same second it changes nothing. While
   * the connection to a run that goes on is lost, the shown time stands still: nothing is known of what the run does now. In a
   * replay it is the replay's.
   */
  tick(now: number): void;
}

export interface DashboardStoreOptions {
  readonly now: number;
  readonly keymap?: Keymap;
  /** @default all are refused: no run is connected */
  readonly actions?: Actions;
}

/** The dashboard's memory, without React. `now` is the wall-clock time it starts with, in milliseconds. */
export function createDashboardStore(options: DashboardStoreOptions = { now: 0 }): DashboardStore {
  const { now: at, keymap = KEYMAP, actions = refusedActions(NOT_CONNECTED) } = options;
  const store = createStore<DashboardState>()(() => ({ lists: NO_LISTS, feed: [], ui: INITIAL_UI, keymap, now: secondOf(at) }));
  const dispatch = (action: UiAction): void => {
    const ui = reduceUi(store.getState().ui, action);
    if (ui !== store.getState().ui) store.setState({ ui });
  };
  const messages = messageClock();
  const tick = (at: number): void => {
    const state = store.getState();
    const second = secondOf(at);
    const now = isCutOff(state) || state.playback !== undefined ? state.now : second;
    const ui = reduceUi(state.ui, { type: "time", now: now === second ? second : messages(state, second) });
    if (now !== state.now || ui !== state.ui) store.setState({ now, ui });
  };
  return { ...store, actions, dispatch, tick };
}

/**
 * A message tells its end in the shown time. Where that is not the time that goes by, it stays for as long as it would have stayed
 * from when it is first seen. Gives the shown time to let messages go by.
 */
function messageClock(): (state: DashboardState, second: number) => number {
  let seen: { readonly toast: unknown; readonly shown: number; readonly at: number } = { toast: undefined, shown: 0, at: 0 };
  return ({ now, ui: { toast } }, second) => {
    if (seen.toast !== toast) seen = { toast, shown: now, at: second };
    return seen.shown + second - seen.at;
  };
}

/** What has ended has no more to tell, and its engine leaves. */
function isCutOff({ run, ui }: DashboardState): boolean {
  return ui.connection.state === "lost" && run !== undefined && run.end === undefined;
}

/** The second that a time lies in, in milliseconds. */
export function secondOf(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** Empties the dashboard for another run, or for none: nothing of the one that was shown stays but the terminal it was shown on. */
export function resetDashboard(store: DashboardStore): void {
  const { run: _, evidence: __, earlier: ___, playback: ____, viewed: _____, ...kept } = store.getState();
  store.setState({ ...kept, lists: NO_LISTS, feed: [], ui: { ...INITIAL_UI, tooSmall: kept.ui.tooSmall } }, true);
}
