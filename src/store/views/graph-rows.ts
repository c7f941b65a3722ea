import type { GraphLayers } from "./graph-layers.ts";

/** The content of a row of a layer: a ticket, or lines of an earlier one that pass through. */
export type GraphCell = { readonly ticket: number } | { readonly passing: number };

/** Identifies a cell within its layer. */
export function cellKey(cell: GraphCell): string {
  return "ticket" in cell ? `t${cell.ticket}` : `p${cell.passing}`;
}

/** A cell that needs a row. */
interface Placed {
  readonly cell: GraphCell;
  /** The row that would make its lines straight; undefined if it has none. */
  readonly wanted: number | undefined;
  readonly at: number;
}

/** The rows of the cells of each layer, by key. */
export interface CellLayout {
  readonly columns: readonly ReadonlyMap<string, number>[];
  readonly rows: number;
}

/** The same with layers in even and odd rows by turns. */
export function inTurns({ columns, rows }: CellLayout): CellLayout {
  const spread = (column: ReadonlyMap<string, number>, layer: number) =>
    new Map([...column].map(([key, row]) => [key, 2 * row + (layer % 2)] as const));
  return { columns: columns.map(spread), rows: 2 * rows };
}

/**
 * Gives each cell of each layer a row of its own: near the cells of the layer before that lead to it, and within the highest
 * layer's rows if there is room.
 */
export function placeCells(
  graph: GraphLayers,
  needed: readonly (readonly number[])[],
  passed: readonly (readonly number[])[],
): CellLayout {
  const rows = Math.max(0, ...graph.layers.map((layer, l) => layer.length + (passed[l]?.length ?? 0)));
  const sources = sourcesByTarget(needed);
  const columns: ReadonlyMap<string, number>[] = [];
  graph.layers.forEach((layer, l) => {
    const before = columns[l - 1];
    const cells = [
      ...layer.map((ticket): GraphCell => ({ ticket })),
      ...(passed[l] ?? []).map((passing): GraphCell => ({ passing })),
    ];
    const placed = cells.map((cell, at): Placed => ({ cell, at, wanted: wantedRow(cell, sources, before) }));
    columns.push(assignRows(inOrder(placed), rows));
  });
  return { columns, rows };
}

function sourcesByTarget(needed: readonly (readonly number[])[]): ReadonlyMap<number, readonly number[]> {
  const out = new Map<number, number[]>();
  needed.forEach((targets, from) => {
    for (const to of targets) out.set(to, [...(out.get(to) ?? []), from]);
  });
  return out;
}

/** The row of a source in the layer before: its own, or the one that its lines pass. */
function sourceRow(before: ReadonlyMap<string, number>, source: number): number | undefined {
  return before.get(cellKey({ ticket: source })) ?? before.get(cellKey({ passing: source }));
}

function wantedRow(
  cell: GraphCell,
  sources: ReadonlyMap<number, readonly number[]>,
  before: ReadonlyMap<string, number> | undefined,
): number | undefined {
  if (before === undefined) return undefined;
  if ("passing" in cell) return sourceRow(before, cell.passing);
  const rows = (sources.get(cell.ticket) ?? []).flatMap((source) => sourceRow(before, source) ?? []);
  return rows.length === 0 ? undefined : Math.round(rows.reduce((sum, row) => sum + row, 0) / rows.length);
}

/** Sorts by wanted row; a cell without one keeps its place among the others. */
function inOrder(cells: readonly Placed[]): readonly Placed[] {
  return cells.toSorted((a, b) => (a.wanted ?? a.at) - (b.wanted ?? b.at) || a.at - b.at);
}

/** From top to bottom, each in its wanted row or below; cells pushed beyond the last row move up again. */
function assignRows(cells: readonly Placed[], rows: number): ReadonlyMap<string, number> {
  const at: number[] = [];
  cells.forEach(({ wanted }, i) => {
    at.push(Math.max((at[i - 1] ?? -1) + 1, wanted ?? 0));
  });
  for (let i = at.length - 1; i >= 0; i--) at[i] = Math.min(at[i] ?? 0, (at[i + 1] ?? rows) - 1);
  return new Map(cells.map(({ cell }, i) => [cellKey(cell), at[i] ?? 0]));
}
