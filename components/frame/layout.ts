import type { Plan } from "../../src/domain/run/state.ts";

import { SMALLEST_TERMINAL } from "../../src/store/terminal-capabilities.ts";
/** From this width on, workers and queue stand side by side. */
export const WIDE_COLUMNS = 100;

/** Lines of one worker: one, two with its status, or four with its finish line and an empty line. */
export type Density = 1 | 2 | 4;

/** The layout of the screen. Sums never exceed the terminal; each block's height includes its title line. */
export interface Layout {
  readonly columns: number;
  readonly rows: number;
  readonly wide: boolean;
  readonly density: Density;
  readonly workers: { readonly width: number; readonly height: number };
  /** In a wide layout the first column of the queue is the line between the two. */
  readonly queue: { readonly width: number; readonly height: number };
  /** The oracle's evidence on each ticket, under the queue; zero if there is no room for it. */
  readonly panel: { readonly height: number };
  /** Zero if there is no room for it. */
  readonly feed: { readonly height: number };
}

/** Lines above and below the view: state, oracle, footer. */
export const LAYOUT_LINES = 3;

/** From this size on the oracle has a panel in the overview: its title, five kinds of words, and the heals. */
const PANEL_COLUMNS = 140;
const PANEL_ROWS = 44;
const PANEL_LINES = 7;

/** Columns that a ticket id gets, the same in every view. */
export function idWidth(plan: Plan): number {
  return Math.min(12, Math.max(3, ...plan.tickets.map((t) => t.id.length)));
}

/** True if a terminal is too small to draw anything legible. */
export function isTooSmall(columns: number, rows: number): boolean {
  return columns < SMALLEST_TERMINAL.columns || rows < SMALLEST_TERMINAL.rows;
}

/** Divides the terminal. The layout depends on its size and the number of slots alone, so nothing moves during a run. */
export function layoutOf(columns: number, rows: number, slots: number): Layout {
  return columns >= WIDE_COLUMNS ? sideBySide(columns, rows, slots) : stacked(columns, rows, slots);
}

function sideBySide(columns: number, rows: number, slots: number): Layout {
  const room = rows - LAYOUT_LINES;
  const body = bodyHeight(room, slots);
  const workers = Math.floor(Math.min(columns * 0.6, columns - 42));
  const panel = columns >= PANEL_COLUMNS && rows >= PANEL_ROWS ? PANEL_LINES : 0;
  return {
    columns,
    rows,
    wide: true,
    density: densityOf(slots, body - 1, [4, 2]),
    workers: { width: workers, height: body },
    queue: { width: columns - workers, height: body - panel },
    panel: { height: panel },
    feed: { height: room - body },
  };
}

/** Half of the room, more if that gives the workers all their lines, and always some lines for the feed. */
function bodyHeight(room: number, slots: number): number {
  const most = room - (room < 16 ? 3 : 5);
  const wanted = [4, 2].map((lines) => 1 + lines * slots).find((height) => height <= most) ?? most;
  return Math.min(most, Math.max(Math.ceil(room * 0.5), wanted));
}

function stacked(columns: number, rows: number, slots: number): Layout {
  const room = rows - LAYOUT_LINES;
  const feed = room < 16 ? 2 : Math.floor(room * 0.22);
  const most = Math.floor((room - feed) * 0.6);
  const density = densityOf(slots, most - 1, [2]);
  const workers = Math.min(most, 1 + density * slots);
  return {
    columns,
    rows,
    wide: false,
    density,
    workers: { width: columns, height: workers },
    queue: { width: columns, height: room - feed - workers },
    panel: { height: 0 },
    feed: { height: feed },
  };
}

function densityOf(slots: number, height: number, choices: readonly Density[]): Density {
  return choices.find((lines) => slots * lines <= height) ?? 1;
}
