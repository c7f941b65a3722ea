import type { EarlierRun } from "../domain/results/trend.ts";
import type { RunState } from "../domain/run/state.ts";
import { summaryTextLines } from "../store/results/summary.ts";
import { earlierRuns } from "./earlier-runs.ts";
import { folderUrl, printedLine, printsLinks } from "./links.ts";
import { runFolder, stateHome } from "./state-home.ts";

/** The printed summary of a run after its end, with the earlier runs of its batch file. Unreadable ones are left out. */
export function printedSummary(state: RunState, live = true): string {
  return summaryForPrint(state, live, earlierRuns(state.run).runs);
}

/** The same with these earlier runs, newest first. */
export function summaryForPrint(state: RunState, live: boolean, earlier: readonly EarlierRun[]): string {
  const links = printsLinks();
  const url = links ? folderUrl(runFolder(stateHome(process.env, process.cwd()), state.run)) : undefined;
  return summaryTextLines(state, live, earlier, url)
    .map((line) => `${printedLine(line, links)}\n`)
    .join("");
}
