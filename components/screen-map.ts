import type { DashboardState } from "../src/store/dashboard-state.ts";
import type { MouseTarget } from "../src/store/keymap/mouse.ts";
import { filteredLists, shownLists } from "../src/store/lists.ts";
import { widthOf } from "./fit.ts";
import { footerKeys, footerShows } from "./footer.tsx";
import { isTooSmall, LAYOUT_LINES, type Layout, layoutOf } from "./layout.ts";
import { paletteRowAt } from "./palette-lines.ts";
import { queueLines } from "./sections.ts";
import { tabAt } from "./view-tabs.ts";
import { workerWindow } from "./workers.tsx";

/** A cell of the terminal, from 0. */
interface Cell {
  readonly column: number;
  readonly row: number;
}

interface Size {
  readonly columns: number;
  readonly rows: number;
}

const NOTHING: MouseTarget = { on: "nothing" };
/** Lines above the view: state and oracle. */
const TOP = LAYOUT_LINES - 1;
const ORACLE_ROW = 1;

/** What lies in a cell, computed as the screen is drawn. What stands in front of a view hides it. */
export function targetAt(state: DashboardState, size: Size, cell: Cell): MouseTarget {
  if (isTooSmall(size.columns, size.rows)) return NOTHING;
  if (cell.row === size.rows - 1) return footerAt(state, size.columns, cell.column);
  const { modal, view } = state.ui;
  if (modal?.kind === "palette") {
    const at = paletteRowAt(state, size, cell);
    return at === undefined ? NOTHING : { on: "palette", at };
  }
  if (modal !== undefined && modal.kind !== "filter") return NOTHING;
  if (cell.row === ORACLE_ROW) return { on: "view", view: "oracle" };
  if (view === "overview") return state.run?.end === undefined ? overviewAt(state, size, cell) : NOTHING;
  const tab = cell.row === TOP ? tabAt(view, size.columns, state.playback === undefined, cell.column) : undefined;
  return tab === undefined ? NOTHING : { on: "view", view: tab };
}

/** The key of the last line: each has its text and a column on either side. */
function footerAt(state: DashboardState, width: number, column: number): MouseTarget {
  if (footerShows(state) !== "keys") return NOTHING;
  let start = 0;
  for (const { name, text } of footerKeys(state, width)) {
    const end = start + widthOf(text) + 2;
    if (column >= start && column < end) return { on: "binding", name };
    start = end;
  }
  return NOTHING;
}

function overviewAt(state: DashboardState, { columns, rows }: Size, { column, row }: Cell): MouseTarget {
  const layout = layoutOf(columns, rows, state.lists.slots.length);
  const line = row - TOP;
  const besides = layout.wide && column >= layout.workers.width;
  if (!besides && line < layout.workers.height) return workerAt(state, layout, line);
  const inQueue = layout.wide ? line : line - layout.workers.height;
  return besides || !layout.wide ? queueAt(state, layout, inQueue) : NOTHING;
}

/** The first line of the workers' block is its title. */
function workerAt(state: DashboardState, layout: Layout, line: number): MouseTarget {
  const { slots } = shownLists(state);
  const shown = workerWindow(slots, layout, state.ui.selected);
  const slot = shown.start + Math.floor((line - 1) / layout.density);
  const id = line < 1 || slot >= shown.end ? null : (slots[slot] ?? null);
  return id === null ? NOTHING : { on: "ticket", id };
}

function queueAt(state: DashboardState, { queue }: Layout, line: number): MouseTarget {
  if (line < 0 || line >= queue.height) return NOTHING;
  const filtered = filteredLists(state);
  const filter = filtered && { text: state.ui.filter, shown: filtered.shown, all: filtered.all, whole: state.lists };
  const at = queueLines(shownLists(state), queue, state.ui.selected, filter)[line];
  return at?.line === "ticket" ? { on: "ticket", id: at.id } : NOTHING;
}
