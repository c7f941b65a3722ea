import { createStore, type StoreApi } from "zustand/vanilla";
import type { TicketId } from "../domain/ids.ts";
import type { RunState, TicketState } from "../domain/state.ts";
import { vecAt } from "../domain/vec.ts";
import type { FeedLine } from "./describe-event.ts";
import { type Lists, NO_LISTS } from "./lists.ts";
import { INITIAL_UI, reduceUi, type UiAction, type UiState } from "./ui.ts";

/** Everything that the views are drawn from. */
export interface DashboardState {
  /** The mirror of the engine's state; absent until the first snapshot. */
  readonly run?: RunState;
  readonly lists: Lists;
  /** Oldest first, at most FEED_LIMIT lines. */
  readonly feed: readonly FeedLine[];
  readonly ui: UiState;
  /** The time that views show: wall-clock milliseconds, whole seconds. */
  readonly now: number;
}

export interface DashboardStore extends StoreApi<DashboardState> {
  dispatch(action: UiAction): void;
  /**
   * Moves the shown time on, and lets what is only shown for a while go. Within the same second it changes nothing. While
   * the connection to a run that goes on is lost, the shown time stands still: nothing is known of what the run does now.
   */
  tick(now: number): void;
}

/** The dashboard's memory, without React. `now` is the wall-clock time it starts with, in milliseconds. */
export function createDashboardStore(of: { readonly now: number } = { now: 0 }): DashboardStore {
  const store = createStore<DashboardState>()(() => ({ lists: NO_LISTS, feed: [], ui: INITIAL_UI, now: secondOf(of.now) }));
  const dispatch = (action: UiAction): void => {
    const ui = reduceUi(store.getState().ui, action);
    if (ui !== store.getState().ui) store.setState({ ui });
  };
  const tick = (at: number): void => {
    const state = store.getState();
    const second = secondOf(at);
    const ui = reduceUi(state.ui, { type: "time", now: second });
    const now = isCutOff(state) ? state.now : second;
    if (now !== state.now || ui !== state.ui) store.setState({ now, ui });
  };
  return { ...store, dispatch, tick };
}

/** What has ended has no more to tell, and its engine leaves. */
function isCutOff({ run, ui }: DashboardState): boolean {
  return ui.connection.state === "lost" && run !== undefined && run.end === undefined;
}

/** The second that a time lies in, in milliseconds. */
export function secondOf(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** One ticket by id, or undefined before the first snapshot and for ids of another run. */
export function ticketIn(state: Pick<DashboardState, "run">, id: TicketId): TicketState | undefined {
  const run = state.run;
  if (run === undefined || !Object.hasOwn(run.plan.index, id)) return undefined;
  const index = run.plan.index[id];
  return index === undefined ? undefined : vecAt(run.tickets, index);
}
