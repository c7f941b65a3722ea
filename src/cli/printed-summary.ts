import type { RunState } from "../domain/run/state.ts";
import { renderSummaryText } from "../store/results/summary.ts";
import { earlierRuns } from "./earlier-runs.ts";

/** The printed summary of a run after its end, with the earlier runs of its batch file. Unreadable ones are left out. */
export function printedSummary(state: RunState, live = true): string {
  return renderSummaryText(state, live, earlierRuns(state.run).runs);
}
