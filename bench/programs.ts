import { mkdir, readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { scratchFolder } from "./children.ts";
import { type Bench, type Figure, noteFigure, valueFigure } from "./figure.ts";
import { runBatch, writeBatch } from "./loopdash.ts";
import { ticketIds } from "./overhead.ts";
import { createRepository, writeAgent } from "./repository.ts";

const WORKERS = 3;
/** Issue 33, "Figures". */
const MOST_PROGRAMS = 35;

/** A program that was started, as strace(1) writes it; a failed start along PATH ends with another number. */
const STARTED = /^execve(?:at)?\((?:AT_FDCWD, )?"([^"]*)".* = 0$/gm;

/** Programs by name, and how often each was started. */
type Counts = ReadonlyMap<string, number>;

/**
 * Programs that a further ticket starts with the sandbox on: two batches that differ by some tickets, under strace. What a run starts
 * once cancels out.
 */
export const programs: Bench = {
  name: "programs",
  about: "programs started per further ticket, sandbox on, one check, 3 workers (counted by strace)",
  async run(options): Promise<readonly Figure[]> {
    const [small, large] = options.quick ? [2, 5] : [4, 16];
    const few = await countPrograms(small);
    options.log(`${small} tickets: ${sum(few)} programs`);
    const many = await countPrograms(large);
    options.log(`${large} tickets: ${sum(many)} programs`);
    const further = [...many]
      .map(([name, count]) => ({ name, value: (count - (few.get(name) ?? 0)) / (large - small) }))
      .filter(({ value }) => value >= 0.1)
      .toSorted((a, b) => b.value - a.value);
    return [
      valueFigure({
        item: "programs",
        what: `per further ticket (${small} to ${large})`,
        value: (sum(many) - sum(few)) / (large - small),
        unit: "programs",
        max: MOST_PROGRAMS,
      }),
      ...further.map(({ name, value }) => noteFigure({ item: "programs", what: name, value, unit: "programs" })),
    ];
  },
};

/** The programs of a whole run. Throws if strace is missing, or may trace nothing here. */
async function countPrograms(tickets: number): Promise<Counts> {
  await using scratch = await scratchFolder("programs");
  const repo = await createRepository(scratch.path, "repo");
  const batchPath = await writeBatch(scratch.path, {
    name: "programs",
    repo,
    agent: await writeAgent(scratch.path),
    workers: WORKERS,
    tickets: ticketIds(tickets).map((id) => ({ id })),
    check: ["test", "-d", "src"],
  });
  const traces = join(scratch.path, "traces");
  await mkdir(traces);
  // A file per process: in a file for all, strace splits the lines of calls that overlap.
  const strace = ["strace", "-ff", "-qq", "--seccomp-bpf", "-e", "trace=execve,execveat", "-e", "signal=none", "-s", "256"];
  await runBatch({
    scratch: scratch.path,
    home: join(scratch.path, "state"),
    batchPath,
    mode: "--headless",
    prefix: [...strace, "-o", join(traces, "of")],
  });
  return await countIn(traces);
}

async function countIn(folder: string): Promise<Counts> {
  const counts = new Map<string, number>();
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name), "utf8");
    for (const [, program = ""] of text.matchAll(STARTED)) {
      counts.set(basename(program), (counts.get(basename(program)) ?? 0) + 1);
    }
  }
  return counts;
}

function sum(counts: Counts): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
