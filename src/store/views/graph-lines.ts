import type { GraphLayers } from "./graph-layers.ts";
import { type CellLayout, cellKey, type GraphCell, inTurns, placeCells } from "./graph-rows.ts";

/** A line from a ticket to a dependent, by index. It runs in a track between layers, and in a row through a layer. */
export interface GraphLine {
  readonly from: number;
  readonly to: number;
  /** The rows it passes, from the layer of `from` to that of `to`. */
  readonly rows: readonly number[];
  /** By gap between two layers: the track in which it changes its row; undefined if it goes straight. */
  readonly tracks: readonly (number | undefined)[];
}

export interface GraphLines {
  readonly lines: readonly GraphLine[];
  /** Lines that would run into others and are omitted. */
  readonly leftOut: number;
  /** By gap after each layer: the tracks that are used. */
  readonly tracks: readonly number[];
  readonly rowOf: readonly number[];
  readonly rows: number;
}

/** Maximum of cells that lines pass through. */
const MOST_PASSED = 240;
/** Maximum of tracks per gap. */
const MOST_TRACKS = 8;
/** The share of lines that may be omitted: with more missing, the rest would mislead. */
const MOST_LEFT_OUT = 0.2;

/**
 * The lines of a graph, laid so that no two look like one: each ticket has a track of its own in a gap. A redundant wait has no
 * line (A for B for C implies that A comes before C). Undefined if the lines would be unreadable.
 */
export function drawGraphLines(graph: GraphLayers): GraphLines | undefined {
  const needed = reduced(graph);
  const passed = passes(graph, needed);
  if (passed.flat().length > MOST_PASSED) return undefined;
  const near = drawn(graph, needed, placeCells(graph, needed, passed));
  // With rows of their own, neighbouring layers have fewer colliding lines, and more rows.
  const apart = near.leftOut === 0 ? near : drawn(graph, needed, inTurns(placeCells(graph, needed, passed)));
  const best = apart.leftOut < near.leftOut ? apart : near;
  return best.leftOut > MOST_LEFT_OUT * (best.lines.length + best.leftOut) ? undefined : best;
}

function drawn(graph: GraphLayers, needed: readonly (readonly number[])[], { columns, rows }: CellLayout): GraphLines {
  const row = (layer: number, cell: GraphCell): number => columns[layer]?.get(cellKey(cell)) ?? 0;
  const gaps = graph.layers.slice(1).map((_, gap) => assignTracks(linksIn(graph, needed, gap, row), MOST_TRACKS));
  const lines: GraphLine[] = [];
  let leftOut = 0;
  needed.forEach((targets, from) => {
    for (const to of targets) {
      const line = drawGraphLine(graph, { from, to }, row, gaps);
      if (line === undefined) leftOut += 1;
      else lines.push(line);
    }
  });
  const rowOf = graph.layerOf.map((layer, i) => row(layer, { ticket: i }));
  return { lines, leftOut, tracks: gaps.map((gap) => gap.used), rowOf, rows };
}

/** By ticket: its direct dependents, without those that another of them waits for. */
function reduced({ layerOf, deps }: GraphLayers): readonly (readonly number[])[] {
  const before = deps.map(() => new Set<number>());
  const order = layerOf.map((_, i) => i).toSorted((a, b) => (layerOf[a] ?? 0) - (layerOf[b] ?? 0));
  const out: number[][] = deps.map(() => []);
  for (const i of order) {
    const own = deps[i] ?? [];
    for (const dep of own) {
      for (const earlier of before[dep] ?? []) before[i]?.add(earlier);
    }
    for (const dep of own) {
      if (!before[i]?.has(dep)) out[dep]?.push(i);
    }
    for (const dep of own) before[i]?.add(dep);
  }
  return out;
}

/** By layer: the tickets of earlier layers whose lines pass through it. */
function passes({ layers, layerOf }: GraphLayers, needed: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const out: number[][] = layers.map(() => []);
  needed.forEach((targets, from) => {
    const last = Math.max(...targets.map((to) => layerOf[to] ?? 0));
    for (let layer = (layerOf[from] ?? 0) + 1; layer < last; layer++) out[layer]?.push(from);
  });
  return out;
}

function linksIn(
  { layers, layerOf }: GraphLayers,
  needed: readonly (readonly number[])[],
  gap: number,
  row: (layer: number, cell: GraphCell) => number,
): readonly GraphLink[] {
  return needed.flatMap((targets, from): readonly GraphLink[] => {
    const layer = layerOf[from] ?? 0;
    const last = Math.max(...targets.map((to) => layerOf[to] ?? 0));
    if (layers[gap] === undefined || layer > gap || last <= gap) return [];
    const own = row(gap, layer === gap ? { ticket: from } : { passing: from });
    const here = targets.filter((to) => layerOf[to] === gap + 1).map((to) => row(gap + 1, { ticket: to }));
    return [{ source: from, from: own, to: last > gap + 1 ? [...here, row(gap + 1, { passing: from })] : here }];
  });
}

/** Undefined if it had to change its row in a gap in which its ticket has no track. */
function drawGraphLine(
  { layerOf }: GraphLayers,
  { from, to }: Pick<GraphLine, "from" | "to">,
  row: (layer: number, cell: GraphCell) => number,
  gaps: readonly Tracks[],
): GraphLine | undefined {
  const [first, last] = [layerOf[from] ?? 0, layerOf[to] ?? 0];
  const rows = Array.from({ length: last - first + 1 }, (_, step) => {
    const end: GraphCell = { ticket: step === 0 ? from : to };
    return row(first + step, step === 0 || first + step === last ? end : { passing: from });
  });
  const tracks = rows
    .slice(1)
    .map((next, step) => (next === rows[step] ? undefined : (gaps[first + step]?.trackOf.get(from) ?? "none")));
  if (tracks.includes("none")) return undefined;
  return { from, to, rows, tracks: tracks.map((track) => (track === "none" ? undefined : track)) };
}

/** The connections from one row into rows of the next layer. `source` identifies their ticket. */
interface GraphLink {
  readonly source: number;
  readonly from: number;
  readonly to: readonly number[];
}

/** The vertical tracks of a gap between two layers. */
interface Tracks {
  /** By source, from left to right, counted from 0. Absent if all of its lines go straight, or would run into others. */
  readonly trackOf: ReadonlyMap<number, number>;
  readonly used: number;
}

/**
 * Gives each source that changes its row a track. Two sources with a common row would collide in one track. A source must leave
 * its row before another turns into that row, or the two would look like one line. At most `most` tracks.
 */
function assignTracks(links: readonly GraphLink[], most: number): Tracks {
  const turning = links.filter(({ from, to }) => to.some((row) => row !== from));
  const trackOf = new Map<number, number>();
  const cutOff = new Set<number>();
  const taken: [number, number][][] = [];
  let left = turning.map((link) => ({ link, after: comesAfter(link, turning) }));
  const put = ({ source, from, to }: GraphLink, least: number): void => {
    const span: [number, number] = [Math.min(from, ...to), Math.max(from, ...to)];
    let track = least;
    while (taken[track]?.some(([low, high]) => low <= span[1] && span[0] <= high)) track += 1;
    if (track >= most) {
      cutOff.add(source);
      return;
    }
    trackOf.set(source, track);
    taken[track] = [...(taken[track] ?? []), span];
  };
  while (left.length > 0) {
    const next = left.find(({ after }) => after.every((source) => trackOf.has(source) || cutOff.has(source)));
    if (next === undefined) {
      // All that are left wait for each other: the one with the fewest lines is dropped.
      const gone = left.toSorted((a, b) => a.link.to.length - b.link.to.length)[0];
      if (gone !== undefined) cutOff.add(gone.link.source);
      left = left.filter((other) => other !== gone);
      continue;
    }
    put(next.link, Math.max(0, ...next.after.map((source) => (trackOf.get(source) ?? -1) + 1)));
    left = left.filter((other) => other !== next);
  }
  return { trackOf, used: taken.length };
}

/** The sources that must turn off to its left: those of the rows that it turns into. */
function comesAfter(link: GraphLink, links: readonly GraphLink[]): readonly number[] {
  return links
    .filter((other) => other !== link && link.to.includes(other.from) && other.from !== link.from)
    .map(({ source }) => source);
}
