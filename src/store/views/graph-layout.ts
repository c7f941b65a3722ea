import type { Plan } from "../../domain/run/state.ts";
import { type GraphLayers, layOutGraph } from "./graph-layers.ts";
import { drawGraphLines, type GraphLines } from "./graph-lines.ts";

/** The position of each ticket in the graph view. */
export interface GraphLayout extends GraphLayers {
  /** By ticket: its row. */
  readonly rowOf: readonly number[];
  /** By layer: the ticket in each row, if any. */
  readonly cells: readonly ReadonlyMap<number, number>[];
  /** Rows of the highest layer. */
  readonly rows: number;
  /** The lines between layers; absent if there are too many to tell apart. */
  readonly lines?: GraphLines;
}

/** Lines are never drawn for more tickets than this: nobody could follow them. */
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
  const layers = layOutGraph(plan);
  const lines = plan.tickets.length <= MOST_DRAWN ? drawGraphLines(layers) : undefined;
  const rowOf = lines?.rowOf ?? packed(layers);
  const cells = layers.layers.map((layer) => new Map(layer.map((i) => [rowOf[i] ?? 0, i])));
  const rows = lines?.rows ?? Math.max(0, ...layers.layers.map((layer) => layer.length));
  return { ...layers, rowOf, cells, rows, lines };
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

/** The direct dependents of a ticket, by index, each once. */
export function dependentsIn(plan: Plan, index: number): readonly number[] {
  return [...new Set(plan.dependents[index] ?? [])];
}

/**
 * The longest path of remaining work, from its first ticket to its last, by index: tickets that are neither done nor left to a
 * person. Empty if there is none.
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
