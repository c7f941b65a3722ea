import type { DashboardState } from "../dashboard-state.ts";
import { type Act, hint } from "./effects.ts";

/** Reasons why this dashboard cannot change the run. */
export const IS_REPLAY = "this is a replay: what has happened cannot be changed";
export const NOT_CONNECTED = "not connected to the run";
const NO_JOURNAL = "the journal cannot be written: only a stop is possible now";

/** The summary has the command under NEXT. */
const ENDED_OPEN = "the run has ended: the command under NEXT in the summary continues with what is open";

/** The reason why no command can reach the run now; undefined if its engine is connected and running. */
export function whyNotLive({ playback, run, ui: { connection } }: DashboardState): string | undefined {
  if (playback !== undefined) return IS_REPLAY;
  if (run?.end !== undefined) return run.end.verdict === "done" ? "the run has ended" : ENDED_OPEN;
  if (run?.outages?.journal !== undefined) return NO_JOURNAL;
  return connection.state === "live" && run !== undefined ? undefined : NOT_CONNECTED;
}

/** Runs `act` only if the run takes commands: its engine is connected and running. */
export function whenLive(act: Act): Act {
  return (state) => {
    const why = whyNotLive(state);
    return why === undefined ? act(state) : hint(state, why);
  };
}

/** A footer word for keys that change the run: shown only if the run takes commands, and not in the runs view. */
export const liveWord =
  (text: string | ((state: DashboardState) => string)) =>
  (state: DashboardState): string => {
    if (whyNotLive(state) !== undefined || state.ui.view === "runs") return "";
    return typeof text === "string" ? text : text(state);
  };
