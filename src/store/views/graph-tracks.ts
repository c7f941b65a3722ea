/** What leads out of one row into rows of the next layer. `source` tells whose lines they are. */
export interface GraphLink {
  readonly source: number;
  readonly from: number;
  readonly to: readonly number[];
}

/** The upright tracks of a gap between two layers. */
export interface Tracks {
  /** By source, from left to right, counted from 0. Absent where all of its lines go straight, or would run into others. */
  readonly trackOf: ReadonlyMap<number, number>;
  readonly used: number;
}

/**
 * Gives each source that changes its row a track. Two that share a row would run into each other in one track; and whoever comes
 * out of a row turns off before anybody else turns into it, or the two would look like one line. At most `most` tracks.
 */
export function tracksOf(links: readonly GraphLink[], most: number): Tracks {
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
      // All of those that are left wait for each other: the one with the fewest lines goes.
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

/** Those that must turn off to the left of it: who comes out of a row that it turns into. */
function comesAfter(link: GraphLink, links: readonly GraphLink[]): readonly number[] {
  return links
    .filter((other) => other !== link && link.to.includes(other.from) && other.from !== link.from)
    .map(({ source }) => source);
}
