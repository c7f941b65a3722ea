import type { RunEvent } from "../domain/run/event.ts";
import type { RunState } from "../domain/run/state.ts";
import type { DashboardState } from "./dashboard-state.ts";
import { type DashboardStore, toSecond } from "./dashboard-store.ts";
import { describeEvents } from "./describe-event.ts";
import { FEED_LIMIT } from "./feed.ts";
import { sortTickets } from "./lists.ts";
import type { Playback } from "./playback.ts";

/** One position of a replay. */
export interface Place {
  readonly playback: Playback;
  /** The state of the run there. */
  readonly state: RunState;
  /** Every event since the position that was shown before, with the state after it; absent if the replay jumped there. */
  readonly passed?: readonly (readonly [RunEvent, RunState])[];
  /** The last events before the position; needed if `passed` is absent. */
  readonly recent?: readonly RunEvent[];
}

/** Writes positions of a replay to the store: each in one update, with the time of that moment. */
export function projectTo(store: DashboardStore, place: Place): void {
  store.setState((before) => {
    const { state: run, playback } = place;
    const lists = sortTickets(run, before.lists);
    return { run, playback, lists, feed: nextFeed(before, place), now: toSecond(playback.at) };
  });
}

function nextFeed({ feed }: DashboardState, { state, passed, recent = [] }: Place): DashboardState["feed"] {
  if (passed === undefined) return recent.flatMap((event) => describeEvents(event, state)).slice(-FEED_LIMIT);
  const lines = passed.flatMap(([event, after]) => describeEvents(event, after));
  return lines.length === 0 ? feed : [...feed, ...lines].slice(-FEED_LIMIT);
}
