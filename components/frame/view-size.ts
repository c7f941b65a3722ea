/** What a view may fill: exactly so many columns and lines. */
export interface ViewSize {
  readonly columns: number;
  readonly height: number;
}
