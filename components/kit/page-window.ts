/** Rows, or slots, from the first to before the second. */
interface Shown {
  readonly from: number;
  readonly to: number;
}

/** The rows that are shown: whole pages of them, the last one full, with `focus` in sight. */
export function rowWindow(rows: number, height: number, focus: number): Shown {
  if (rows <= height) return { from: 0, to: rows };
  const from = Math.min(Math.floor(Math.max(0, focus) / height) * height, rows - height);
  return { from, to: from + height };
}

/** Each of them by its number. */
export function numbersOf({ from, to }: Shown): readonly number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
