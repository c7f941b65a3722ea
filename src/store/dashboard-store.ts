import { createStore, type StoreApi } from "zustand/vanilla";
import type { DashboardState, Keymap, PressedStore } from "./dashboard-state.ts";
import { type Actions, refusedActions } from "./keymap/binding.ts";
import { KEYMAP } from "./keymap/keymap.ts";
import { NOT_CONNECTED } from "./keymap/live.ts";
import { NO_LISTS } from "./lists.ts";
import { withShownSelection } from "./shown-selection.ts";
import { INITIAL_UI, reduceUi, type UiAction } from "./ui.ts";

/** The dashboard's store: its state, and the functions that change it. */
export interface DashboardStore extends StoreApi<DashboardState>, PressedStore {
  getState(): DashboardState;
  /**
   * Advances the shown time and removes expired messages. Does nothing within the same second. While the connection to a live run
   * is lost, the shown time stands still, because the run's state is unknown. A replay has its own time.
   */
  tick(now: number): void;
}

export interface DashboardStoreOptions {
  readonly now: number;
  readonly keymap?: Keymap;
  /** @default all are refused: no run is connected */
  readonly actions?: Actions;
}

/** The dashboard's store, without React. `now` is the wall-clock time it starts with, in milliseconds. */
export function createDashboardStore(options: DashboardStoreOptions = { now: 0 }): DashboardStore {
  const { now: at, keymap = KEYMAP, actions = refusedActions(NOT_CONNECTED) } = options;
  const store = createStore<DashboardState>()(() => ({ lists: NO_LISTS, feed: [], ui: INITIAL_UI, keymap, now: toSecond(at) }));
  const dispatch = (action: UiAction): void => {
    const state = store.getState();
    const ui = withShownSelection(state, reduceUi(state.ui, action), "first");
    if (ui !== state.ui) store.setState({ ui });
  };
  const messages = messageClock();
  const tick = (at: number): void => {
    const state = store.getState();
    const second = toSecond(at);
    const now = isCutOff(state) || state.playback !== undefined ? state.now : second;
    const ui = reduceUi(state.ui, { type: "time", now: now === second ? second : messages(state, second) });
    if (now !== state.now || ui !== state.ui) store.setState({ now, ui });
  };
  return { ...store, actions, dispatch, tick };
}

/**
 * A message expires in the shown time. If that time stands still or jumps, the message stays as long as usual from when it is
 * first seen. Gives the shown time for expiring messages.
 */
function messageClock(): (state: DashboardState, second: number) => number {
  let seen: { readonly toast: unknown; readonly shown: number; readonly at: number } = { toast: undefined, shown: 0, at: 0 };
  return ({ now, ui: { toast } }, second) => {
    if (seen.toast !== toast) seen = { toast, shown: now, at: second };
    return seen.shown + second - seen.at;
  };
}

/** An ended run is not cut off: it reports nothing more, and its engine leaves. */
function isCutOff({ run, ui }: DashboardState): boolean {
  return ui.connection.state === "lost" && run !== undefined && run.end === undefined;
}

/** The second that a time lies in, in milliseconds. */
export function toSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** Resets the dashboard for another run, or for none. Only the terminal's properties stay. */
export function resetDashboard(store: DashboardStore): void {
  const {
    run: _,
    evidence: __,
    earlier: ___,
    playback: ____,
    viewed: _____,
    runUrl: ______,
    lastLook: _______,
    ...kept
  } = store.getState();
  store.setState({ ...kept, lists: NO_LISTS, feed: [], ui: { ...INITIAL_UI, tooSmall: kept.ui.tooSmall } }, true);
}
