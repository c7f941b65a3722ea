import type { Plan } from "../../../src/domain/run/state.ts";
import { displayText } from "../../../src/store/format.ts";
import type { GraphLayout } from "../../../src/store/views/graph-layout.ts";
import { idWidth } from "../../frame/layout.ts";
import { textWidth } from "../../kit/fit.ts";

/** The positions of the graph's layers, in columns from the left end of the first. They follow from the plan and the width. */
export interface GraphColumns {
  readonly id: number;
  /** By layer: its first column, the width of its tickets, and that of the gap after it. */
  readonly x: readonly number[];
  readonly width: readonly number[];
  readonly gap: readonly number[];
}

/** Mark, glyph and a space before the id; a sign and a space after it. */
const BEFORE_ID = 3;
const AFTER_ID = 2;
const LEAST_TITLE = 12;
const MOST_TITLE = 48;
/** Columns of a layer's heading: `layer 1 of 22 · 57`. */
const LAYER_NAME = 20;
/** Gap between layers without lines. */
const PLAIN_GAP = 2;

/** Columns of a ticket before its title. */
export function headWidth(id: number): number {
  return BEFORE_ID + id + AFTER_ID;
}

/**
 * Divides `width` columns: each layer gets the width of its longest title, up to its share, and at least 12. If not all layers
 * fit, those of the longest page share the width.
 */
export function graphColumns(plan: Plan, layout: GraphLayout, width: number): GraphColumns {
  const id = idWidth(plan);
  const count = layout.layers.length;
  // A line needs a column to leave its ticket, its track, and one to arrive.
  const gap = layout.layers.map((_, i) =>
    layout.lines === undefined || i === count - 1 ? PLAIN_GAP : (layout.lines.tracks[i] ?? 0) + 3,
  );
  // And one between it and the title.
  const titles = layout.layers.map((layer) => Math.min(MOST_TITLE, Math.max(0, ...layer.map((i) => titleWidth(plan, i) + 1))));
  const withTitles = (most: number): GraphColumns =>
    placed(
      id,
      gap,
      titles.map((title) => Math.min(title, most)),
    );
  const least = withTitles(LEAST_TITLE);
  const fitting = gap.map((_, first) => endFrom(least, width - 1, first) - first);
  const page = Math.max(1, ...fitting);
  const roomFrom = (first: number): number =>
    width - 1 - page * headWidth(id) - gap.slice(first, first + page - 1).reduce((sum, n) => sum + n, 0);
  if (page === count) return withTitles(Math.max(LEAST_TITLE, fairShare(titles, roomFrom(0))));
  const rooms = fitting.flatMap((layers, first) => (layers === page ? [roomFrom(first)] : []));
  return withTitles(Math.max(LEAST_TITLE, Math.floor(Math.min(...rooms) / page)));
}

/** Layers with titles of these widths, one after the other. */
function placed(id: number, gap: readonly number[], titles: readonly number[]): GraphColumns {
  const width = titles.map((title) => Math.max(LAYER_NAME, headWidth(id) + title));
  const x: number[] = [];
  width.forEach((_, i) => {
    x.push(i === 0 ? 0 : (x[i - 1] ?? 0) + (width[i - 1] ?? 0) + (gap[i - 1] ?? 0));
  });
  return { id, x, width, gap };
}

function titleWidth(plan: Plan, index: number): number {
  return textWidth(displayText(plan.tickets[index]?.title ?? ""));
}

/** The greatest common width if layers that need less leave the rest to the others. */
function fairShare(needs: readonly number[], room: number): number {
  let share = Math.floor(room / Math.max(1, needs.length));
  for (const _ of needs) {
    const small = needs.filter((n) => n <= share);
    const big = needs.length - small.length;
    if (big === 0) return MOST_TITLE;
    share = Math.floor((room - small.reduce((sum, n) => sum + n, 0)) / big);
  }
  return share;
}

/** The visible layers: pages of them, turned so that `focus` is in sight. A page keeps the last layer of the previous one. */
export function layerWindow(columns: GraphColumns, width: number, focus: number): { readonly from: number; readonly to: number } {
  const count = columns.x.length;
  for (let from = 0; ; ) {
    const to = endFrom(columns, width, from);
    if (focus < to || to >= count) return { from, to };
    from = Math.max(from + 1, to - 1);
  }
}

/** The layer after the last one that fits, with `from` on the left. */
function endFrom({ x, width: widths }: GraphColumns, width: number, from: number): number {
  const left = x[from] ?? 0;
  let to = from + 1;
  while (to < x.length && (x[to] ?? 0) + (widths[to] ?? 0) - left <= width) to += 1;
  return to;
}
