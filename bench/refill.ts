import { join } from "node:path";
import { scratchFolder } from "./children.ts";
import { type Bench, type Figure, valueFigure } from "./figure.ts";
import { eventsOf, makespanOf, runBatch, writeBatch } from "./loopdash.ts";
import { createRepository, writeAgent } from "./repository.ts";
import { median } from "./stats.ts";

/** One long and nine short tickets on two workers: the time until a free slot is refilled. */
export const refill: Bench = {
  name: "refill",
  about: "one 6 s and nine 1 s tickets on 2 workers",
  async run(options): Promise<readonly Figure[]> {
    const unit = options.quick ? 0.25 : 1;
    const rounds: number[] = [];
    for (let round = 1; round <= (options.quick ? 1 : 3); round += 1) {
      rounds.push(await once(unit));
      options.log(`round ${round}: ${rounds.at(-1)?.toFixed(2)} s`);
    }
    // 6 + 9 seconds on two workers: eight on the one that has the odd short ticket.
    const ideal = 8 * unit;
    return [
      valueFigure({
        item: "refill",
        what: "first claim to last ticket done",
        value: median(rounds),
        unit: "s",
        floor: { what: "ideal", value: ideal },
        max: ideal + 0.3,
        note: `median of ${rounds.length} rounds`,
      }),
    ];
  },
};

/** Seconds from the first claim to the last ticket done. */
async function once(unit: number): Promise<number> {
  await using scratch = await scratchFolder("refill");
  const repo = await createRepository(scratch.path, "repo");
  const ids = Array.from({ length: 10 }, (_, i) => `R-${i + 1}`);
  const seconds = Object.fromEntries(ids.map((id, i) => [id, (i === 0 ? 6 : 1) * unit]));
  const agent = await writeAgent(scratch.path, seconds);
  const tickets = ids.map((id) => ({ id }));
  const batchPath = await writeBatch(scratch.path, { name: "refill", repo, agent, workers: 2, tickets });
  const home = join(scratch.path, "state");
  const { stdout } = await runBatch({ scratch: scratch.path, home, batchPath, mode: "--json" });
  return makespanOf(eventsOf(stdout)) / 1_000;
}
