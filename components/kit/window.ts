/** The visible part of a list, and the number of hidden rows before and after it. */
export interface Window {
  readonly start: number;
  readonly end: number;
  readonly above: number;
  readonly below: number;
}

/**
 * Chooses which of `count` rows fit into `height`. If some are hidden, one row counts them. The list turns by whole pages, so
 * rows stay in place while the focus (an index, or -1) walks within a page.
 */
export function visibleWindow(count: number, height: number, focus: number): Window {
  if (count <= height) return { start: 0, end: count, above: 0, below: 0 };
  const rows = Math.max(0, height - 1);
  if (rows === 0) return { start: 0, end: 0, above: 0, below: count };
  const page = Math.floor(Math.max(0, focus) / rows) * rows;
  const start = Math.min(page, count - rows);
  return { start, end: start + rows, above: start, below: count - start - rows };
}

/** The visible lines of a text on `height` lines. If some are hidden, the last line counts them. */
export function linesWindow(
  count: number,
  height: number,
  scroll: number,
): { readonly start: number; readonly shown: number; readonly max: number } {
  const shown = count <= height ? height : height - 1;
  const max = Math.max(0, count - shown);
  return { start: Math.min(scroll, max), shown, max };
}

/** The hidden rows in words: `+38 more`, or with the focus further down `12 above · +26 more`. */
export function hiddenLabel({ above, below }: Window): string {
  if (above === 0) return `+${below} more`;
  return below === 0 ? `${above} above` : `${above} above · +${below} more`;
}

/** The visible rows: whole pages, the last one full, with `focus` in sight. */
export function rowWindow(rows: number, height: number, focus: number): { readonly from: number; readonly to: number } {
  if (rows <= height) return { from: 0, to: rows };
  const from = Math.min(Math.floor(Math.max(0, focus) / height) * height, rows - height);
  return { from, to: from + height };
}

/** The visible rows of a list, and the number of hidden ones on either side. */
interface Page {
  readonly rows: readonly number[];
  readonly above: number;
  readonly below: number;
}

/**
 * The visible rows: whole pages, the last one full, with `focus` in sight. What a person must see (`pins`) is never out of sight: it
 * follows the page.
 */
export function pageRows(count: number, height: number, focus: number, pins: readonly number[] = []): Page {
  for (let size = Math.min(count, height); ; size--) {
    const { from, to } = rowWindow(count, size, focus);
    const missing = pins.filter((row) => row < from || row >= to);
    if (size + missing.length > height && size > 1) continue;
    const pinned = missing.slice(0, Math.max(0, height - size));
    const above = from - pinned.filter((row) => row < from).length;
    const rows = [...Array.from({ length: to - from }, (_, i) => from + i), ...pinned];
    return { rows, above, below: count - rows.length - above };
  }
}

/** Columns and rows of the terminal. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The size of a view: exactly so many columns and lines. */
export interface ViewSize {
  readonly columns: number;
  readonly height: number;
}

/** A cell of the terminal, or of a part of it: from 0. */
export interface Cell {
  readonly column: number;
  readonly row: number;
}
