import type { VerdictWord } from "../domain/run/event.ts";
import type { RunId } from "../domain/values/ids.ts";
import type { RunsUi } from "./views/runs.ts";

/**
 * The status of a run by its records: an engine works on it, it has ended, it was stopped and can be resumed, or its engine is
 * gone without a record.
 */
export type RunStanding = "at-work" | "ended" | "stopped" | "engine-gone";

/** One run of this machine, as the list of runs shows it. Times in milliseconds since the epoch. */
export interface ListedRun {
  readonly run: RunId;
  readonly name: string;
  readonly batchPath: string;
  readonly standing: RunStanding;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly verdict?: VerdictWord;
  /** Where its files are on this machine; absent if they are gone. */
  readonly url?: string;
  /** Its progress; absent if nobody has counted. */
  readonly tally?: { readonly done: number; readonly gated: number; readonly open: number; readonly interventions: number };
}

/** The state that decides which run of the list is selected. */
interface Shown {
  readonly runList?: readonly ListedRun[];
  readonly run?: { readonly run: RunId };
  readonly ui: { readonly runs: RunsUi };
}

/** The index of the selected run in the list. If none is selected or it is gone: that of the shown run, else the first. */
export function selectedRunIndex({ runList = [], run, ui }: Shown): number {
  const place = (id: RunId | undefined): number => runList.findIndex((listed) => listed.run === id);
  const selected = place(ui.runs.selected);
  return selected >= 0 ? selected : Math.max(0, place(run?.run));
}

/** Running runs first, then the others; newest first within both. */
export function inListOrder(runs: readonly ListedRun[]): readonly ListedRun[] {
  return runs.toSorted(
    (a, b) => Number(b.standing === "at-work") - Number(a.standing === "at-work") || b.startedAt - a.startedAt,
  );
}
