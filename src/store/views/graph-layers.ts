import type { Plan } from "../../domain/run/state.ts";
import { topologicalOrder } from "../../domain/schedule/plan.ts";

/** The tickets of a plan in layers: each stands one layer after the last of those it waits for. Tickets are known by index. */
export interface GraphLayers {
  /** Tickets without dependencies come first; within a layer, from top to bottom. */
  readonly layers: readonly (readonly number[])[];
  /** By ticket: its layer. */
  readonly layerOf: readonly number[];
  /** By ticket: its dependencies, each once. */
  readonly deps: readonly (readonly number[])[];
}

/** Number of sweeps that bring tickets near to their neighbours. */
const SWEEPS = 2;

/** Lays tickets out in layers (longest path), and orders each so that few lines would cross. Pure and deterministic. */
export function layOutGraph(plan: Plan): GraphLayers {
  const deps = plan.tickets.map(({ dependsOn }) => [...new Set(dependsOn.flatMap((id) => plan.index[id] ?? []))]);
  const layerOf = new Array<number>(plan.tickets.length).fill(0);
  for (const i of topologicalOrder(plan.tickets, plan.dependents)) {
    for (const dep of deps[i] ?? []) layerOf[i] = Math.max(layerOf[i] ?? 0, (layerOf[dep] ?? 0) + 1);
  }
  const layers: number[][] = [];
  layerOf.forEach((layer, i) => {
    layers[layer] = [...(layers[layer] ?? []), i];
  });
  return { layers: ordered(layers, deps, plan.dependents), layerOf, deps };
}

type Links = readonly (readonly number[])[];

/** Sorts each layer by its tickets' neighbours: forwards by dependencies, backwards by dependents. */
function ordered(layers: readonly (readonly number[])[], deps: Links, dependents: Links): readonly (readonly number[])[] {
  const place = new Map<number, number>();
  const settle = (layer: readonly number[]): readonly number[] => {
    layer.forEach((i, at) => {
      // As a share of the layer, because layers differ in height.
      place.set(i, (at + 0.5) / layer.length);
    });
    return layer;
  };
  let now = layers.map(settle);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    now = now
      .toReversed()
      .map((layer) => settle(byNeighbours(layer, dependents, place)))
      .toReversed();
    now = now.map((layer) => settle(byNeighbours(layer, deps, place)));
  }
  return now;
}

/** A ticket without a neighbour on that side keeps about its place. */
function byNeighbours(layer: readonly number[], links: Links, place: ReadonlyMap<number, number>): readonly number[] {
  const key = (i: number): number => {
    const places = (links[i] ?? []).map((other) => place.get(other) ?? 0);
    return places.length === 0 ? (place.get(i) ?? 0) : places.reduce((sum, p) => sum + p, 0) / places.length;
  };
  return layer
    .map((i, at) => ({ i, at, key: key(i) }))
    .toSorted((a, b) => a.key - b.key || a.at - b.at)
    .map(({ i }) => i);
}
