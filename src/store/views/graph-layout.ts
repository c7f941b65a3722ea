import type { Plan } from "../../domain/run/state.ts";
import { type GraphLayers, layersOf } from "./graph-layers.ts";
import { type GraphLines, linesOf } from "./graph-lines.ts";

/** Where each ticket of the graph view stands. */
export interface GraphLayout extends GraphLayers {
  /** By ticket: its row. */
  readonly rowOf: readonly number[];
  /** By layer: which ticket stands in a row, if any. */
  readonly cells: readonly ReadonlyMap<number, number>[];
  /** Rows of the highest layer. */
  readonly rows: number;
  /** The lines between layers; absent where there are too many to be told apart. */
  readonly lines?: GraphLines;
}

/** More tickets than these are never drawn with lines: nobody could follow them. */
export const MOST_DRAWN = 120;

const known = new WeakMap<Plan, GraphLayout>();

/** The layout of a plan, computed once. */
export function graphLayout(plan: Plan): GraphLayout {
  const before = known.get(plan);
  if (before !== undefined) return before;
  const made = layOut(plan);
  known.set(plan, made);
  return made;
}

function layOut(plan: Plan): GraphLayout {
  const layers = layersOf(plan);
  const lines = plan.tickets.length <= MOST_DRAWN ? linesOf(layers) : undefined;
  const rowOf = lines?.rowOf ?? packed(layers);
  const cells = layers.layers.map((layer) => new Map(layer.map((i) => [rowOf[i] ?? 0, i])));
  const rows = lines?.rows ?? Math.max(0, ...layers.layers.map((layer) => layer.length));
  return { ...layers, rowOf, cells, rows, ...(lines === undefined ? {} : { lines }) };
}

/** Row after row, from the top of each layer. */
function packed({ layers, layerOf }: GraphLayers): readonly number[] {
  const rows = new Array<number>(layerOf.length).fill(0);
  for (const layer of layers) {
    layer.forEach((i, at) => {
      rows[i] = at;
    });
  }
  return rows;
}

/** Tickets that wait for one, by index: its dependents, each once. */
export function dependentsIn(plan: Plan, index: number): readonly number[] {
  return [...new Set(plan.dependents[index] ?? [])];
}

/**
 * The longest path of work that is still ahead, from its first ticket to its last, by index: those that are neither done nor left
 * to a person. Empty where nothing is.
 */
export function criticalPath(plan: Plan, isOver: (index: number) => boolean): readonly number[] {
  const best = (among: readonly number[]): number | undefined =>
    among
      .filter((i) => !isOver(i))
      .reduce<number | undefined>((a, b) => (a === undefined || rank(plan, b) > rank(plan, a) ? b : a), undefined);
  const path: number[] = [];
  for (let at = best(plan.tickets.map((_, i) => i)); at !== undefined; at = best(plan.dependents[at] ?? [])) path.push(at);
  return path;
}

function rank(plan: Plan, index: number): number {
  return plan.rank[index] ?? 0;
}
