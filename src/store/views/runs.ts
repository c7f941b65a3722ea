import type { RunId } from "../../domain/values/ids.ts";

/** The state of the runs view: the selected run, whose index in the list may change. */
export interface RunsUi {
  readonly selected?: RunId;
}

export type RunsAction = { readonly type: "to"; readonly run: RunId };

export const INITIAL_RUNS: RunsUi = {};

/** Folds an action of the runs view. Pure; returns the same object if nothing changes. */
export function reduceRuns(ui: RunsUi, action: RunsAction): RunsUi {
  return ui.selected === action.run ? ui : { selected: action.run };
}
