/** A cell of the terminal, or of a part of it: from 0. */
export interface Cell {
  readonly column: number;
  readonly row: number;
}
