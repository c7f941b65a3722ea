import stringWidth from "string-width";
import type { TextSource } from "./log-text.ts";

/** A position in a text: the number of the line at the top, and its row if it is wrapped. */
export interface TextPosition {
  readonly line: number;
  readonly row: number;
}

/** The layout of a text: its columns and rows, and if its lines are wrapped or cut. */
export interface PaneSize {
  readonly columns: number;
  readonly rows: number;
  readonly wrap: boolean;
}

/** The part of a line in one row: a start and an end, in UTF-16 units. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

const ASCII = /^[ -~]*$/;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** A word stays whole if that leaves at most this part of a row empty. */
const RAGGED = 0.4;

/**
 * The rows of a line at a width, broken behind a space if one is near. Never empty. The space at a break belongs to the row
 * before it and must not be drawn: it may lie beyond the last column.
 */
export function wrapText(text: string, columns: number): readonly TextRange[] {
  const out: TextRange[] = [];
  let from = 0;
  while (from < text.length) {
    const full = ASCII.test(text) ? Math.min(text.length, from + columns) : fullFrom(text, from, columns);
    const to = full >= text.length ? text.length : lineBreakAt(text, from, full);
    out.push({ from, to });
    from = to;
  }
  return out.length === 0 ? [{ from: 0, to: 0 }] : out;
}

/** The end of a full row that begins at `from`. */
function fullFrom(text: string, from: number, columns: number): number {
  let used = 0;
  for (const { segment, index } of graphemes.segment(text.slice(from))) {
    const width = stringWidth(segment);
    if (used > 0 && used + width > columns) return from + index;
    used += width;
  }
  return text.length;
}

function lineBreakAt(text: string, from: number, full: number): number {
  if (text[full] === " ") return full + 1;
  const space = text.lastIndexOf(" ", full - 1);
  return space >= from + (full - from) * (1 - RAGGED) ? space + 1 : full;
}

/** Rows of the i-th line. */
function rowsAt(source: TextSource, i: number, { columns, wrap }: PaneSize): number {
  return wrap ? wrapText(source.line(i).text, columns).length : 1;
}

/** The position with the end of the text in the last row. */
export function lastPosition(source: TextSource, room: PaneSize): TextPosition {
  let left = room.rows;
  for (let i = source.count - 1; i >= 0; i--) {
    const rows = rowsAt(source, i, room);
    if (rows >= left) return { line: source.first + i, row: rows - left };
    left -= rows;
  }
  return { line: source.first, row: 0 };
}

/** The same position, or the nearest valid one: a line may be gone, and nothing follows the end. */
export function positionWithin(source: TextSource, place: TextPosition, room: PaneSize): TextPosition {
  if (place.line < source.first) return { line: source.first, row: 0 };
  const end = lastPosition(source, room);
  if (isAfter(place, end)) return end;
  const row = Math.min(place.row, rowsAt(source, place.line - source.first, room) - 1);
  return row === place.row ? place : { ...place, row };
}

/** The position `by` rows further on, or back. */
export function movedBy(source: TextSource, place: TextPosition, by: number, room: PaneSize): TextPosition {
  let { line, row } = place;
  for (let left = Math.abs(by); left > 0; left--) {
    if (by > 0 && row + 1 < rowsAt(source, line - source.first, room)) row += 1;
    else if (by > 0) {
      line += 1;
      row = 0;
    } else if (row > 0) row -= 1;
    else {
      line -= 1;
      row = line < source.first ? 0 : rowsAt(source, line - source.first, room) - 1;
    }
    if (line < source.first || line >= source.first + source.count) break;
  }
  return positionWithin(source, { line, row }, room);
}

export function isAfter(a: TextPosition, b: TextPosition): boolean {
  return a.line > b.line || (a.line === b.line && a.row > b.row);
}

/** One row to draw: a line's number, its text, and the part of it in this row. */
export interface TextRow {
  readonly line: number;
  readonly stretch: TextRange;
}

/** The rows from a position on, as many as fit. */
export function rowsFrom(source: TextSource, place: TextPosition, room: PaneSize): readonly TextRow[] {
  const rows: TextRow[] = [];
  for (let line = place.line; line < source.first + source.count && rows.length < room.rows; line++) {
    const { text } = source.line(line - source.first);
    const stretches = room.wrap ? wrapText(text, room.columns) : [{ from: 0, to: text.length }];
    for (const stretch of stretches.slice(line === place.line ? place.row : 0)) rows.push({ line, stretch });
  }
  return rows.slice(0, room.rows);
}
