import { join } from "node:path";
import { childEnvironment, mustRun, ROOT, scratchFolder } from "./children.ts";
import { type Bench, type Figure, noteFigure, valueFigure } from "./figure.ts";

/** The output of bench/simulate.ts. Times in milliseconds, memory in megabytes. */
export interface Simulated {
  readonly events: number;
  readonly done: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly totalMs: number;
  readonly peakMb: number;
}

/** A whole run of a huge batch, event by event, without any process: the engine's own computation per event. */
export const scheduling: Bench = {
  name: "scheduling",
  about: "random graph of 10,000 tickets: one event applied and decided upon",
  async run(options): Promise<readonly Figure[]> {
    const tickets = options.quick ? 2_000 : 10_000;
    const small = await simulate(100);
    const large = await simulate(tickets);
    options.log(`${large.events} events in ${(large.totalMs / 1_000).toFixed(1)} s`);
    const floor = { what: "the same with 100 tickets", value: small.medianMs };
    const common = { item: "scheduling", note: `${tickets} tickets, ${large.events} events, ${large.done} done` };
    return [
      valueFigure({ ...common, what: "one event, median", value: large.medianMs, unit: "ms", floor, max: 1 }),
      noteFigure({
        ...common,
        what: "one event, 99th percentile",
        value: large.p99Ms,
        unit: "ms",
        floor: { ...floor, value: small.p99Ms },
      }),
      valueFigure({
        ...common,
        what: "peak memory of the whole process",
        value: large.peakMb,
        unit: "MB",
        floor: { what: "the same with 100 tickets", value: small.peakMb },
        max: 300,
      }),
    ];
  },
};

async function simulate(tickets: number): Promise<Simulated> {
  await using scratch = await scratchFolder("scheduling");
  const program = join(ROOT, "bench", "simulate.ts");
  const env = childEnvironment(scratch.path);
  return toSimulated(JSON.parse(await mustRun({ argv: ["node", program, String(tickets)], cwd: ROOT, env })));
}

function toSimulated(value: unknown): Simulated {
  const read = (name: keyof Simulated): number => {
    const found: unknown = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
    if (typeof found !== "number") throw new Error(`the simulation told no ${name}`);
    return found;
  };
  return {
    events: read("events"),
    done: read("done"),
    medianMs: read("medianMs"),
    p99Ms: read("p99Ms"),
    totalMs: read("totalMs"),
    peakMb: read("peakMb"),
  };
}
