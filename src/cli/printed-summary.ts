import type { RunState } from "../domain/run/state.ts";
import { renderSummaryText } from "../store/results/summary.ts";
import { earlierRuns } from "./earlier-runs.ts";

/** What is printed of a run when it is over, with the runs of its batch file before it. Those that cannot be read are left out. */
export function printedSummary(state: RunState, live = true): string {
  return renderSummaryText(state, live, earlierRuns(state.run).runs);
}
