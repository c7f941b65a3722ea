import type { RunId } from "../../../src/domain/values/ids.ts";
import type { DashboardState } from "../../../src/store/dashboard-state.ts";
import { selectedRunIndex } from "../../../src/store/run-list.ts";
import { type Cell, type ViewSize, visibleWindow, type Window } from "../../kit/window.ts";
import { ABOUT_LINES } from "./run-details.ts";

/** Lines beside the list and the details: the head, and the line between them. */
const OTHER_LINES = 2;

/** Lines of the list. */
export function listLines(height: number): number {
  return Math.max(1, height - ABOUT_LINES - OTHER_LINES);
}

/** The visible runs, including the selected one. */
export function runsWindow(count: number, height: number, place: number): Window {
  return visibleWindow(count, listLines(height), place);
}

/** The run in a cell of the list, counted from the line of its head. */
export function runAt(state: DashboardState, { height }: ViewSize, { row }: Cell): RunId | undefined {
  const { runList = [] } = state;
  const { start, end } = runsWindow(runList.length, height, selectedRunIndex(state));
  const at = start + row - 1;
  return row < 1 || at >= end ? undefined : runList[at]?.run;
}
