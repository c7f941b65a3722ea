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
