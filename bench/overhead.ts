import { join } from "node:path";
import { scratchFolder } from "./children.ts";
import { type Bench, type Figure, noteFigure, ratioFigure } from "./figure.ts";
import { runFloor } from "./floor.ts";
import { runBatch, writeBatch } from "./loopdash.ts";
import { cpuOfFamily } from "./processes.ts";
import { createRepository, git, writeAgent } from "./repository.ts";
import { median } from "./stats.ts";

const WORKERS = 4;

interface Sizes {
  readonly small: number;
  readonly main: number;
  readonly large: number;
  readonly rounds: number;
}

/** Independent tickets with an agent that commits one file at once: loopdash against the bare commands. */
export const overhead: Bench = {
  name: "overhead",
  about: "independent tickets, 4 workers, instant agent: loopdash against the bare git commands and spawns",
  async run(options): Promise<readonly Figure[]> {
    // A run costs some 25 starts of Node whatever its size, most of them for the canaries of the tripwire: with fewer tickets only they would be
    // measured.
    const sizes = options.quick ? { small: 20, main: 80, large: 100, rounds: 1 } : { small: 20, main: 50, large: 60, rounds: 3 };
    const floor = new Map<number, number[]>();
    const mine = new Map<number, number[]>();
    const peaks: number[] = [];
    const cpu = { floor: 0, mine: 0 };
    for (let round = 1; round <= sizes.rounds; round += 1) {
      for (const count of [sizes.small, sizes.main, sizes.large]) {
        const before = cpuOfFamily();
        const floorMs = await floorOnce(count);
        const between = cpuOfFamily();
        const { ms, peakMb } = await loopdashOnce(count, WORKERS);
        cpu.floor += between - before;
        cpu.mine += cpuOfFamily() - between;
        options.log(`round ${round}: ${count} tickets, floor ${floorMs.toFixed(0)} ms, loopdash ${ms.toFixed(0)} ms`);
        floor.set(count, [...(floor.get(count) ?? []), floorMs]);
        mine.set(count, [...(mine.get(count) ?? []), ms]);
        peaks.push(peakMb);
      }
    }
    return [
      ...figures(sizes, floor, mine, peaks),
      ratioFigure({
        item: "overhead",
        what: "CPU time, all runs and all processes",
        value: cpu.mine,
        unit: "s",
        floor: { what: "same commands bare", value: cpu.floor },
        max: 1.5,
      }),
    ];
  },
};

function figures(sizes: Sizes, floor: Measured, mine: Measured, peaks: readonly number[]): readonly Figure[] {
  const at = (measured: Measured, count: number) => median(measured.get(count) ?? []);
  const slope = (measured: Measured) => (at(measured, sizes.large) - at(measured, sizes.small)) / (sizes.large - sizes.small);
  const common = { item: "overhead", note: `medians of ${sizes.rounds} alternating rounds` };
  return [
    ratioFigure({
      ...common,
      what: `wall time of ${sizes.main} tickets`,
      value: at(mine, sizes.main),
      unit: "ms",
      floor: { what: "same commands bare", value: at(floor, sizes.main) },
      // A single short run contains the start and the tripwire's proof, some 40 starts of Node, which the floor has not.
      max: sizes.rounds === 1 ? 1.95 : 1.3,
    }),
    ratioFigure({
      ...common,
      what: `per further ticket (${sizes.small} to ${sizes.large})`,
      value: slope(mine),
      unit: "ms/ticket",
      floor: { what: "same commands bare", value: slope(floor) },
      max: 1.3,
    }),
    noteFigure({ item: "overhead", what: "peak memory of the engine", value: Math.max(...peaks), unit: "MB" }),
  ];
}

type Measured = ReadonlyMap<number, readonly number[]>;

export function ticketIds(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `B-${i + 1}`);
}

async function floorOnce(count: number): Promise<number> {
  await using scratch = await scratchFolder("floor");
  const repo = await createRepository(scratch.path, "repo");
  const agent = await writeAgent(scratch.path);
  const ms = await runFloor({ scratch: scratch.path, repo, agent, workers: WORKERS, tickets: ticketIds(count) });
  await assertLanded(scratch.path, repo, count);
  return ms;
}

/** One whole run of loopdash on `count` independent tickets with an instant agent. */
export async function loopdashOnce(count: number, workers: number): Promise<{ ms: number; peakMb: number }> {
  await using scratch = await scratchFolder("loopdash");
  const repo = await createRepository(scratch.path, "repo");
  const agent = await writeAgent(scratch.path);
  const tickets = ticketIds(count).map((id) => ({ id }));
  const batchPath = await writeBatch(scratch.path, { name: "overhead", repo, agent, workers, tickets });
  const home = join(scratch.path, "state");
  const { ms, peakMb } = await runBatch({ scratch: scratch.path, home, batchPath, mode: "--headless" });
  await assertLanded(scratch.path, repo, count);
  return { ms, peakMb };
}

/** Throws unless main contains every ticket's file, the checkout is clean and nothing was left behind. */
async function assertLanded(scratch: string, repo: string, count: number): Promise<void> {
  const files = (await git(scratch, repo, "ls-tree", "--name-only", "main"))
    .split("\n")
    .filter((name) => name.startsWith("ticket-"));
  if (files.length !== count) throw new Error(`${files.length} of ${count} tickets are on main`);
  const left = await git(scratch, repo, "status", "--porcelain");
  if (left !== "") throw new Error(`the checkout is dirty: ${left}`);
  const worktrees = (await git(scratch, repo, "worktree", "list", "--porcelain")).match(/^worktree /gm)?.length;
  if (worktrees !== 1) throw new Error(`${worktrees} worktrees are left`);
}
