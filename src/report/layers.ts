import type { Plan } from "../domain/run/state.ts";
import { layersOf } from "../store/views/graph-layers.ts";

/** A ticket in the picture of dependencies: its column and its place in it, both from 0. */
export interface PlacedTicket {
  readonly index: number;
  readonly column: number;
  readonly row: number;
}

/** The tickets that wait for others or that others wait for, in columns: each right of all that it waits for. */
export interface Columns {
  readonly placed: readonly PlacedTicket[];
  readonly columns: number;
  readonly rows: number;
}

/** Tickets in one column, before a layer goes on in the next. */
export const MOST_ROWS = 24;

/** Places the tickets of a plan. */
export function columnsOf(plan: Plan): Columns {
  const { layers, deps } = layersOf(plan);
  const placed: PlacedTicket[] = [];
  let column = 0;
  for (const layer of layers) {
    const linked = layer.filter((index) => deps[index]?.length !== 0 || plan.dependents[index]?.length !== 0);
    linked.forEach((index, i) => {
      placed.push({ index, column: column + Math.floor(i / MOST_ROWS), row: i % MOST_ROWS });
    });
    column += Math.ceil(linked.length / MOST_ROWS);
  }
  return { placed, columns: column, rows: Math.max(0, ...placed.map(({ row }) => row + 1)) };
}
