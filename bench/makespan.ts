import { join } from "node:path";
import { scratchFolder } from "./children.ts";
import { type Bench, type Figure, noteFigure, ratioFigure } from "./figure.ts";
import { type GraphTicket, leastMakespan, randomGraph } from "./graph.ts";
import { eventsOf, makespanOf, runBatch, type SeenEvent, writeBatch } from "./loopdash.ts";
import { createRepository, writeAgent } from "./repository.ts";

const WORKERS = 4;

/** A random graph of timed agents, twice in one home: the second run knows how long each ticket took. */
export const makespan: Bench = {
  name: "makespan",
  about: "random graph of timed agents on 4 workers: makespan over max(critical path, work / workers)",
  async run(options): Promise<readonly Figure[]> {
    await using scratch = await scratchFolder("makespan");
    const graph = randomGraph({ count: options.quick ? 12 : 30, reach: 12, from: 1, to: 3, seed: 7 });
    const repo = await createRepository(scratch.path, "repo");
    const agent = await writeAgent(scratch.path, Object.fromEntries(graph.map(({ id, seconds }) => [id, seconds])));
    const tickets = graph.map(({ id, dependsOn }) => ({ id, dependsOn }));
    const batchPath = await writeBatch(scratch.path, { name: "makespan", repo, agent, workers: WORKERS, tickets });
    const figures: Figure[] = [];
    for (const knows of ["durations unknown", "durations known"]) {
      const home = join(scratch.path, "state");
      const { stdout } = await runBatch({ scratch: scratch.path, home, batchPath, mode: "--json" });
      const events = eventsOf(stdout);
      const value = makespanOf(events) / 1_000;
      options.log(`${knows}: ${value.toFixed(2)} s`);
      figures.push(againstAgents(graph, knows, value), againstTickets(graph, knows, value, events));
    }
    return figures;
  },
};

/** Compared with the agents' time alone: scheduling and all overhead together. */
function againstAgents(graph: readonly GraphTicket[], knows: string, value: number): Figure {
  const floor = {
    what: "longest path or work / workers, agents' seconds",
    value: leastMakespan(graph, WORKERS, (t) => t.seconds),
  };
  return ratioFigure({ item: "makespan", what: `makespan, ${knows}`, value, unit: "s", floor, max: 1.1 });
}

/** Compared with the tickets' times in this run, from claim to done: the quality of the order alone. */
function againstTickets(graph: readonly GraphTicket[], knows: string, value: number, events: readonly SeenEvent[]): Figure {
  const took = new Map<string, number>();
  for (const event of events) {
    if (event.ticket === undefined) continue;
    if (event.type === "attempt-claimed") took.set(event.ticket, -event.at);
    if (event.type === "attempt-ended") took.set(event.ticket, (event.at + (took.get(event.ticket) ?? 0)) / 1_000);
  }
  const floor = {
    what: "the same, tickets' seconds from claim to done",
    value: leastMakespan(graph, WORKERS, (t) => took.get(t.id) ?? 0),
  };
  return noteFigure({ item: "makespan", what: `order alone, ${knows}`, value, unit: "s", floor });
}
