import type { EarlierRun } from "../domain/results/trend.ts";
import type { OracleEvidence } from "../domain/run/oracle-evidence.ts";
import type { RunState } from "../domain/run/state.ts";
import type { TicketState } from "../domain/run/ticket-state.ts";
import type { RunId, TicketId } from "../domain/values/ids.ts";
import { vecAt } from "../domain/values/vec.ts";
import type { FeedLine } from "./describe-event.ts";
import type { Actions, BindingOf, KeymapOf } from "./keymap/binding.ts";
import type { Lists } from "./lists.ts";
import type { Playback } from "./playback.ts";
import type { ListedRun } from "./run-list.ts";
import type { OpenFile } from "./ticket-log/log-text.ts";
import type { UiAction, UiState } from "./ui.ts";

/** The data that all views draw. */
export interface DashboardState {
  /** The mirror of the engine's state; absent until the first snapshot. */
  readonly run?: RunState;
  readonly lists: Lists;
  /** Oldest first, at most FEED_LIMIT lines. */
  readonly feed: readonly FeedLine[];
  readonly ui: UiState;
  /** The oracle's last evidence of each ticket; absent if it is unknown. */
  readonly evidence?: OracleEvidence;
  /** The position of a replay; absent for a live run and for one that has just ended. */
  readonly playback?: Playback;
  /** All runs of this machine in list order; absent until the runs view asks. */
  readonly runList?: readonly ListedRun[];
  /** The file that the ticket view shows; absent until it asks for one. */
  readonly viewed?: OpenFile;
  /** The default keys, or the user's bindings. */
  readonly keymap: Keymap;
  /** When a person last left a dashboard of this run; absent if nobody has. Milliseconds since the epoch. */
  readonly lastLook?: number;
  /** The time that views show: wall-clock milliseconds, whole seconds. */
  readonly now: number;
  /** Runs of the same batch file before `run`, newest first; absent until a view asks. `problem`: why none could be read. */
  readonly earlier?: { readonly run: RunId; readonly runs: readonly EarlierRun[]; readonly problem?: string };
  /** Where the files of `run` are on this machine; absent until it has ended. */
  readonly runUrl?: { readonly run: RunId; readonly url: string | undefined };
}

/** The state that keys and the mouse read and change. */
export interface PressedStore {
  /** Commands that a person can give to runs from here. */
  readonly actions: Actions;
  getState(): DashboardState;
  dispatch(action: UiAction): void;
}

/** One row of the dashboard's keymap. */
export type Binding = BindingOf<DashboardState>;

/** Every key of the dashboard, by mode. */
export type Keymap = KeymapOf<DashboardState>;

/** One ticket by id, or undefined before the first snapshot and for ids of another run. */
export function ticketIn(state: Pick<DashboardState, "run">, id: TicketId): TicketState | undefined {
  const run = state.run;
  if (run === undefined || !Object.hasOwn(run.plan.index, id)) return undefined;
  const index = run.plan.index[id];
  return index === undefined ? undefined : vecAt(run.tickets, index);
}
