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
  /** Wall-clock milliseconds of the last tick: the only time that views show. */
  readonly now: number;
}

export interface DashboardStore extends StoreApi<DashboardState> {
  dispatch(action: UiAction): void;
  /** Moves the shown time on, and lets what is only shown for a while go. */
  tick(now: number): void;
}

/** The dashboard's memory, without React. `now` is the wall-clock time it starts with, in milliseconds. */
export function createDashboardStore(of: { readonly now: number } = { now: 0 }): DashboardStore {
  const store = createStore<DashboardState>()(() => ({ lists: NO_LISTS, feed: [], ui: INITIAL_UI, now: of.now }));
  const dispatch = (action: UiAction): void => {
    const ui = reduceUi(store.getState().ui, action);
    if (ui !== store.getState().ui) store.setState({ ui });
  };
  const tick = (now: number): void => store.setState((s) => ({ now, ui: reduceUi(s.ui, { type: "time", now }) }));
  return { ...store, dispatch, tick };
}

/** One ticket by id, or undefined before the first snapshot and for ids of another run. */
export function ticketIn(state: Pick<DashboardState, "run">, id: TicketId): TicketState | undefined {
  const run = state.run;
  if (run === undefined || !Object.hasOwn(run.plan.index, id)) return undefined;
  const index = run.plan.index[id];
  return index === undefined ? undefined : vecAt(run.tickets, index);
}
