import { seededRandom } from "./stats.ts";

export interface GraphTicket {
  readonly id: string;
  readonly dependsOn: readonly string[];
  /** Seconds of work. */
  readonly seconds: number;
}

/** A random graph: every ticket depends on up to three of the `reach` tickets before it. The same for the same seed. */
export function randomGraph(options: {
  count: number;
  reach: number;
  from: number;
  to: number;
  seed: number;
}): readonly GraphTicket[] {
  const random = seededRandom(options.seed);
  return Array.from({ length: options.count }, (_, i) => {
    const first = Math.max(0, i - options.reach);
    const wanted = Math.floor(random() * 4);
    const chosen = Array.from({ length: Math.min(wanted, i) }, () => first + Math.floor(random() * (i - first)));
    const dependsOn = [...new Set(chosen)].map((index) => `G-${index + 1}`);
    const seconds = Math.round((options.from + random() * (options.to - options.from)) * 100) / 100;
    return { id: `G-${i + 1}`, dependsOn, seconds };
  });
}

/** The least time of any schedule: the longest path, or all work spread evenly, whichever is more. Seconds. */
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
