import type { GraphLine } from "../../../src/store/views/graph-lines.ts";
import { joinSpans, type Span } from "../../kit/spans.tsx";
import type { GraphColumns } from "./graph-columns.ts";

const LEFT = 1;
const RIGHT = 2;
const UP = 4;
const DOWN = 8;
/** A line turns here instead of only crossing another. */
const TURN = 16;
/** A line arrives at its ticket here. */
const END = 32;
const ALL = LEFT | RIGHT | UP | DOWN;

/** By LEFT, RIGHT, UP and DOWN. */
const CHARS = [" ", "─", "─", "─", "│", "╯", "╰", "┴", "│", "╮", "╭", "┬", "│", "┤", "├", "┼"] as const;
/** A cell with four ways and a turn: a mere crossing has no dot. */
const JOINED = "•";
const ARROW = "▸";

/** The lines' directions in each cell of the graph; by row, then by column. */
export type LineGrid = readonly Uint8Array[];

/** Draws lines onto a grid of their own. */
export function lineGrid(
  lines: readonly GraphLine[],
  options: { readonly columns: GraphColumns; readonly layerOf: readonly number[]; readonly rows: number },
): LineGrid {
  const { columns, layerOf, rows } = options;
  const last = columns.x.length - 1;
  const width = (columns.x[last] ?? 0) + (columns.width[last] ?? 0);
  const grid = Array.from({ length: rows }, () => new Uint8Array(width));
  for (const line of lines) drawLine(grid, line, layerOf[line.from] ?? 0, columns);
  return grid;
}

function drawLine(grid: LineGrid, line: GraphLine, first: number, columns: GraphColumns): void {
  line.tracks.forEach((track, step) => {
    const layer = first + step;
    const [row, next] = [line.rows[step] ?? 0, line.rows[step + 1] ?? 0];
    const begin = (columns.x[layer] ?? 0) + (columns.width[layer] ?? 0);
    const end = (columns.x[layer + 1] ?? 0) - 1;
    const arrives = step === line.tracks.length - 1;
    // The line leaves its ticket behind a space.
    const from = step === 0 ? begin : (columns.x[layer] ?? 0);
    if (track === undefined) across(grid, row, from, end);
    else {
      const turn = begin + 1 + track;
      across(grid, row, from, turn - 1);
      upright(grid, turn, row, next);
      across(grid, next, turn + 1, end);
    }
    if (arrives) mark(grid, next, end, END);
  });
}

function mark(grid: LineGrid, row: number, x: number, bits: number): void {
  const cells = grid[row];
  if (cells !== undefined && x >= 0 && x < cells.length) cells[x] = (cells[x] ?? 0) | bits;
}

function across(grid: LineGrid, row: number, from: number, to: number): void {
  for (let x = from; x <= to; x++) mark(grid, row, x, LEFT | RIGHT);
}

/** From the row of arrival to the row of departure; both ends turn. */
function upright(grid: LineGrid, x: number, row: number, next: number): void {
  const down = next > row;
  mark(grid, row, x, LEFT | TURN | (down ? DOWN : UP));
  mark(grid, next, x, RIGHT | TURN | (down ? UP : DOWN));
  for (let r = Math.min(row, next) + 1; r < Math.max(row, next); r++) mark(grid, r, x, UP | DOWN);
}

/** The character of a cell. */
export function lineChar(bits: number): string {
  if ((bits & END) !== 0) return ARROW;
  if ((bits & ALL) === ALL && (bits & TURN) !== 0) return JOINED;
  return CHARS[bits & ALL] ?? " ";
}

/** A stretch of a row as drawn; the chosen lines in it are bright. */
export function lineSpans(
  row: number,
  [from, to]: readonly [number, number],
  options: { readonly all: LineGrid | undefined; readonly chosen: LineGrid | undefined },
): readonly Span[] {
  const cells = Array.from({ length: Math.max(0, to - from) }, (_, i): Span => {
    const x = from + i;
    const chosen = options.chosen?.[row]?.[x] ?? 0;
    const text = lineChar((options.all ?? options.chosen)?.[row]?.[x] ?? 0);
    return chosen === 0 ? { text, tone: "waiting" } : { text, tone: "running", bold: true };
  });
  return joinSpans(cells);
}
