import type { Plan } from "../../domain/run/state.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { dependentsIn, type GraphLayout, graphLayout } from "./graph-layout.ts";

export type GraphStep = "up" | "down" | "left" | "right";

/**
 * The ticket that a step leads to: within the layer, or to the nearest connected ticket of the next layer, else to the nearest of
 * all. Without a selection, the first ticket.
 */
export function walkGraph(plan: Plan, selected: TicketId | undefined, step: GraphStep, by = 1): TicketId | undefined {
  const graph = graphLayout(plan);
  const from = selected === undefined ? undefined : plan.index[selected];
  const to = from === undefined ? inColumn(graph, 0)[0] : next(plan, graph, { from, step, by });
  return to === undefined ? undefined : plan.tickets[to]?.id;
}

function next(
  plan: Plan,
  graph: GraphLayout,
  { from, step, by }: { readonly from: number; readonly step: GraphStep; readonly by: number },
): number {
  const layer = graph.layerOf[from] ?? 0;
  if (step === "up" || step === "down") {
    const column = inColumn(graph, layer);
    const at = column.indexOf(from) + (step === "down" ? by : -by);
    return column[Math.min(Math.max(0, at), column.length - 1)] ?? from;
  }
  const other = inColumn(graph, layer + (step === "right" ? 1 : -1));
  const tied = new Set(step === "right" ? dependentsIn(plan, from) : graph.deps[from]);
  return nearest(graph, other.filter((i) => tied.has(i)).length === 0 ? other : other.filter((i) => tied.has(i)), from);
}

/** A layer's tickets from top to bottom. */
function inColumn({ layers, rowOf }: GraphLayout, layer: number): readonly number[] {
  return (layers[layer] ?? []).toSorted((a, b) => (rowOf[a] ?? 0) - (rowOf[b] ?? 0));
}

function nearest({ rowOf }: GraphLayout, among: readonly number[], from: number): number {
  const distance = (i: number): number => Math.abs((rowOf[i] ?? 0) - (rowOf[from] ?? 0));
  return among.reduce((best, i) => (best === from || distance(i) < distance(best) ? i : best), from);
}
