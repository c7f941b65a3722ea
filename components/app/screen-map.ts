import type { TicketId } from "../../src/domain/values/ids.ts";
import type { DashboardState } from "../../src/store/dashboard-state.ts";
import type { MouseTarget } from "../../src/store/keymap/mouse.ts";
import { filteredLists, shownLists } from "../../src/store/lists.ts";
import { paletteRowAt } from "../dialogs/modals.tsx";
import { footerKeys, footerShows, staleLabel } from "../frame/footer.tsx";
import { divideTerminal, idWidth, isTooSmall, LAYOUT_LINES, type Layout, needsColumn } from "../frame/layout.ts";
import { FRAME_LINES } from "../frame/view-frame.tsx";
import { tabAt, viewKeys } from "../frame/view-tabs.ts";
import { textWidth } from "../kit/fit.ts";
import { type Cell, linesWindow, type TerminalSize, type ViewSize } from "../kit/window.ts";
import { graphTicketAt } from "../views/graph/graph-view.tsx";
import { countNeedLines, needsWindow } from "../views/overview/needs.tsx";
import { queueLines } from "../views/overview/sections.ts";
import { workerWindow } from "../views/overview/workers.tsx";
import { runAt } from "../views/runs/runs-layout.ts";
import { summaryRows } from "../views/summary/summary-lines.ts";
import { ticketPartAt } from "../views/ticket/ticket-layout.ts";
import { timelineTicketAt } from "../views/timeline/timeline-view.tsx";

const NOTHING: MouseTarget = { on: "nothing" };
/** Lines above the view: state and oracle. */
const TOP = LAYOUT_LINES - 1;
const ORACLE_ROW = 1;

/** The target in a cell, computed as the screen is drawn. A modal in front of a view hides it. */
export function targetAt(state: DashboardState, size: TerminalSize, cell: Cell): MouseTarget {
  if (isTooSmall(size.columns, size.rows)) return NOTHING;
  if (cell.row === size.rows - 1) return footerAt(state, size.columns, cell.column);
  const { modal } = state.ui;
  switch (modal?.kind) {
    case undefined:
      return viewAt(state, size, cell);
    case "palette": {
      const at = paletteRowAt(state, size, cell);
      return at === undefined ? NOTHING : { on: "palette", at };
    }
    case "filter": {
      // A filter's mouse targets are tickets; anything that leads away from it is out of reach.
      const target = viewAt(state, size, cell);
      return target.on === "ticket" ? target : NOTHING;
    }
    default:
      return NOTHING;
  }
}

function viewAt(state: DashboardState, size: TerminalSize, cell: Cell): MouseTarget {
  const { view } = state.ui;
  if (cell.row === ORACLE_ROW) return { on: "view", view: "oracle" };
  if (view === "overview") return state.run?.end === undefined ? overviewAt(state, size, cell) : summaryAt(state, size, cell);
  const tab = cell.row === TOP ? tabAt(view, size.columns, viewKeys(state), cell.column) : undefined;
  if (tab !== undefined) return { on: "view", view: tab };
  const row = cell.row - TOP - FRAME_LINES;
  const inside = { columns: size.columns, height: size.rows - LAYOUT_LINES - FRAME_LINES };
  return row < 0 ? NOTHING : insideAt(state, inside, { ...cell, row });
}

/** The target in a cell of a view, counted from the line under its frame. */
function insideAt(state: DashboardState, size: ViewSize, cell: Cell): MouseTarget {
  switch (state.ui.view) {
    case "ticket":
      return ticketPartAt(state, size, cell) ?? NOTHING;
    case "graph":
      return onTicket(graphTicketAt(state, size, cell));
    case "timeline":
      return onTicket(timelineTicketAt(state, size, cell));
    case "runs": {
      const run = runAt(state, size, cell);
      return run === undefined ? NOTHING : { on: "run", run };
    }
    default:
      return NOTHING;
  }
}

function onTicket(id: TicketId | null | undefined): MouseTarget {
  return id === null || id === undefined ? NOTHING : { on: "ticket", id };
}

/** The key of the last line: each has its text and a column on either side. */
function footerAt(state: DashboardState, width: number, column: number): MouseTarget {
  if (footerShows(state) !== "keys") return NOTHING;
  let start = textWidth(staleLabel(state));
  for (const { name, text } of footerKeys(state, width - start)) {
    const end = start + textWidth(text) + 2;
    if (column >= start && column < end) return { on: "binding", name };
    start = end;
  }
  return NOTHING;
}

function overviewAt(state: DashboardState, { columns, rows }: TerminalSize, { column, row }: Cell): MouseTarget {
  const needLines = countNeedLines(shownLists(state).needs, state.run?.plan, columns);
  const attempts = { workers: state.run?.slots.length ?? 0, rows: state.lists.rows.length };
  const layout = divideTerminal(columns, rows, { ...attempts, needs: needLines });
  const { needs, workers } = layout;
  const besides = layout.wide && column >= workers.width;
  const line = row - TOP;
  if (row >= rows - 1 - layout.feed.height) return { on: "feed" };
  if (layout.wide && !besides) return line < workers.height ? workerAt(state, layout, line) : NOTHING;
  if (line < needs.height) return needAt(state, layout, line);
  const below = line - needs.height;
  if (layout.wide) return queueAt(state, layout, below);
  return below < workers.height ? workerAt(state, layout, below) : queueAt(state, layout, below - workers.height);
}

/** The first line of the block of what needs a person is its title. */
function needAt(state: DashboardState, layout: Layout, line: number): MouseTarget {
  const { run, ui } = state;
  if (run === undefined || line < 1) return NOTHING;
  const { needs } = shownLists(state);
  const { left } = needsColumn(layout.columns);
  const { window, lines } = needsWindow(needs, layout.needs, { selected: ui.selected, ids: idWidth(run.plan), left });
  const rows = needs
    .slice(window.start, window.end)
    .flatMap(({ ticket }, i) => (lines[window.start + i] ?? []).map(() => ticket));
  return onTicket(rows[line - 1]);
}

/** A ticket of the summary. */
function summaryAt({ run, ui, earlier }: DashboardState, size: TerminalSize, { row }: Cell): MouseTarget {
  if (run === undefined || row < TOP) return NOTHING;
  const rows = summaryRows(run, size.columns, { earlier: earlier?.run === run.run ? earlier.runs : [] });
  const { start, shown } = linesWindow(rows.length, size.rows - LAYOUT_LINES, ui.panes.summary.scroll);
  return onTicket(row - TOP < shown ? rows[start + row - TOP]?.ticket : undefined);
}

/** The first line of the workers' block is its title. */
function workerAt(state: DashboardState, layout: Layout, line: number): MouseTarget {
  const { rows } = workerWindow(shownLists(state).rows, layout, state.ui.selected);
  return onTicket(line < 1 ? undefined : rows[Math.floor((line - 1) / layout.density)]);
}

function queueAt(state: DashboardState, { queue }: Layout, line: number): MouseTarget {
  if (line < 0 || line >= queue.height) return NOTHING;
  const filtered = filteredLists(state);
  const filter = filtered && { text: state.ui.filter, shown: filtered.shown, all: filtered.all, whole: state.lists };
  const at = queueLines(shownLists(state), queue, state.ui.selected, filter)[line];
  return onTicket(at?.line === "ticket" ? at.id : undefined);
}
