import { openRunStore } from "../adapters/journal/sqlite-run-store.ts";
import { type EarlierRun, MOST_EARLIER } from "../domain/results/trend.ts";
import type { RunId } from "../domain/values/ids.ts";
import { errorMessage } from "../domain/values/text.ts";
import { stateHome } from "./state-home.ts";

/** The last runs of the batch file of `run` before it, newest first. Never throws: if they cannot be read, `problem` says why. */
export function earlierRuns(run: RunId): { readonly runs: readonly EarlierRun[]; readonly problem?: string } {
  try {
    const records = openRunStore(stateHome(process.env, process.cwd()).db);
    try {
      return { runs: records.earlier(run, MOST_EARLIER) };
    } finally {
      records.close();
    }
  } catch (error) {
    return { runs: [], problem: errorMessage(error) };
  }
}
