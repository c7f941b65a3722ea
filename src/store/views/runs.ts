import type { RunId } from "../../domain/values/ids.ts";

/** What the runs view remembers: the run that is selected, whose place in the list may change. */
export interface RunsUi {
  readonly selected?: RunId;
}

export type RunsAction = { readonly type: "to"; readonly run: RunId };

export const INITIAL_RUNS: RunsUi = {};

/** Folds what is done in the runs view. Pure; returns the same object where nothing changes. */
export function reduceRuns(ui: RunsUi, action: RunsAction): RunsUi {
  return ui.selected === action.run ? ui : { selected: action.run };
}
