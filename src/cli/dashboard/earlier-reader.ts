import type { DashboardState } from "../../store/dashboard-state.ts";
import { earlierRuns } from "../earlier-runs.ts";
import type { Reader } from "./reader.ts";

/** Runs of the same batch file before this one: read once per run that is shown, when something that shows them comes into view. */
export const readEarlier: Reader = ({ store }) => {
  const look = (state: DashboardState): void => {
    const run = state.run?.run;
    if (run === undefined || run === state.earlier?.run || !isAsked(state)) return;
    store.setState({ earlier: { run, ...earlierRuns(run) } });
  };
  look(store.getState());
  return store.subscribe(look);
};

function isAsked({ run, ui }: DashboardState): boolean {
  return ui.view === "ledger" || run?.end !== undefined;
}
