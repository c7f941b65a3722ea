/** Cells of the oracle's bar: shares of the whole, each part that is not empty seen in at least one cell. */
export interface Bar {
  readonly done: number;
  readonly gated: number;
  readonly open: number;
}

/** Divides `width` cells by the oracle's own counts. */
export function barOf(counts: Bar, width: number): Bar {
  const total = counts.done + counts.gated + counts.open;
  if (total === 0 || width <= 0) return { done: 0, gated: 0, open: 0 };
  const some = (n: number): number => (n === 0 ? 0 : 1);
  const part = (n: number, most: number): number => Math.min(most, Math.max(some(n), Math.round((n / total) * width)));
  const open = part(counts.open, width - some(counts.done) - some(counts.gated));
  const gated = counts.done === 0 ? Math.min(width - open, counts.gated * width) : part(counts.gated, width - open - 1);
  return { done: width - open - gated, gated, open };
}
