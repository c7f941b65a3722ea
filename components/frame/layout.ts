import type { Plan } from "../../src/domain/run/state.ts";
import { SMALLEST_TERMINAL } from "../../src/store/terminal-capabilities.ts";
/** From this width on, workers and queue stand side by side. */
export const WIDE_COLUMNS = 100;

/** Lines of one attempt: one, or two with its status. */
export type Density = 1 | 2;

/** The layout of the screen. Sums never exceed the terminal; each block's height includes its title line. */
export interface Layout {
  readonly columns: number;
  readonly rows: number;
  readonly wide: boolean;
  readonly density: Density;
  /** The block of needs: above the workers, or in a wide layout above the queue. Zero if there are none. */
  readonly needs: { readonly width: number; readonly height: number };
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

/** Columns that a ticket id gets, the same in every view: that of a ticket which an agent finds has three more (`T-1-d1`). */
export function idWidth(plan: Plan): number {
  const found = plan.tickets.map(({ id, foundBy }) => id.length + (foundBy === undefined ? 3 : 0));
  return Math.min(12, Math.max(3, ...found));
}

/** True if a terminal is too small to draw anything legible. */
export function isTooSmall(columns: number, rows: number): boolean {
  return columns < SMALLEST_TERMINAL.columns || rows < SMALLEST_TERMINAL.rows;
}

/** The part of a run that decides how the terminal is divided. */
export interface LayoutNeeds {
  /** Slots of agents. */
  readonly workers: number;
  /** Rows of attempts, the most that there have been at a time. */
  readonly rows: number;
  /** Lines of what needs a person. */
  readonly needs?: number;
}

/** Divides the terminal. Nothing moves during a run but for more rows of attempts in a narrow one, and for what needs a person. */
export function divideTerminal(columns: number, rows: number, of: LayoutNeeds): Layout {
  return columns >= WIDE_COLUMNS ? sideBySide(columns, rows, of) : stacked(columns, rows, of);
}

/** Lines of the block of needs: its title and `needs` lines, at most two fifths of the room. */
function needsHeight(needs: number, room: number): number {
  return needs === 0 ? 0 : Math.min(1 + needs, Math.max(3, Math.floor(room * 0.4)));
}

/** The columns of that block, and its first column: in a wide layout the line between the blocks. */
export function needsColumn(columns: number): { readonly width: number; readonly left: string } {
  const isWide = columns >= WIDE_COLUMNS;
  return { width: isWide ? columns - workersWidth(columns) : columns, left: isWide ? "│" : "" };
}

function workersWidth(columns: number): number {
  return Math.floor(Math.min(columns * 0.6, columns - 42));
}

function sideBySide(columns: number, rows: number, { workers: slots, needs = 0 }: LayoutNeeds): Layout {
  const room = rows - LAYOUT_LINES;
  const body = bodyHeight(room, slots);
  const workers = workersWidth(columns);
  const panel = columns >= PANEL_COLUMNS && rows >= PANEL_ROWS ? PANEL_LINES : 0;
  const above = needsHeight(needs, body - panel);
  return {
    columns,
    rows,
    wide: true,
    density: chooseDensity(slots, body - 1),
    needs: { width: columns - workers, height: above },
    workers: { width: workers, height: body },
    queue: { width: columns - workers, height: body - panel - above },
    panel: { height: panel },
    feed: { height: room - body },
  };
}

/** Half of the room, more if that gives all agents two lines, and always some lines for the feed. */
function bodyHeight(room: number, slots: number): number {
  const most = room - (room < 16 ? 3 : 5);
  return Math.min(most, Math.max(Math.ceil(room * 0.5), 2 + 2 * slots));
}

function stacked(columns: number, rows: number, { workers: slots, rows: attempts, needs = 0 }: LayoutNeeds): Layout {
  const above = needsHeight(needs, rows - LAYOUT_LINES);
  const room = rows - LAYOUT_LINES - above;
  const feed = room < 16 ? 2 : Math.floor(room * 0.22);
  const most = Math.floor((room - feed) * 0.6);
  const density = chooseDensity(slots, most - 1);
  // Below the attempts, one line tells of the slots that are free.
  const workers = Math.min(most, 1 + density * attempts + (attempts < slots ? 1 : 0));
  return {
    columns,
    rows,
    wide: false,
    density,
    needs: { width: columns, height: above },
    workers: { width: columns, height: workers },
    queue: { width: columns, height: room - feed - workers },
    panel: { height: 0 },
    feed: { height: feed },
  };
}

function chooseDensity(slots: number, height: number): Density {
  return slots * 2 <= height ? 2 : 1;
}
