import { seededRandom } from "./stats.ts";

export interface GraphTicket {
  readonly id: string;
  readonly dependsOn: readonly string[];
  /** Seconds of work. */
  readonly seconds: number;
}

/** A random graph: every ticket depends on up to three of the `reach` tickets before it. The same for the same seed. */
export function randomGraph(of: {
  count: number;
  reach: number;
  from: number;
  to: number;
  seed: number;
}): readonly GraphTicket[] {
  const random = seededRandom(of.seed);
  return Array.from({ length: of.count }, (_, i) => {
    const first = Math.max(0, i - of.reach);
    const wanted = Math.floor(random() * 4);
    const chosen = Array.from({ length: Math.min(wanted, i) }, () => first + Math.floor(random() * (i - first)));
    const dependsOn = [...new Set(chosen)].map((index) => `G-${index + 1}`);
    const seconds = Math.round((of.from + random() * (of.to - of.from)) * 100) / 100;
    return { id: `G-${i + 1}`, dependsOn, seconds };
  });
}

/** The least time any schedule needs: the longest path, or all work spread evenly, whichever is more. Seconds. */
export function leastMakespan(
  graph: readonly GraphTicket[],
  workers: number,
  secondsOf: (ticket: GraphTicket) => number,
): number {
  const ends = new Map<string, number>();
  for (const ticket of graph) {
    const ready = ticket.dependsOn.reduce((latest, id) => Math.max(latest, ends.get(id) ?? 0), 0);
    ends.set(ticket.id, ready + secondsOf(ticket));
  }
  const work = graph.reduce((sum, ticket) => sum + secondsOf(ticket), 0);
  return Math.max(...ends.values(), work / workers);
}
