import { spawnSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createFrozenOracle } from "../src/adapters/oracle/frozen-oracle.ts";
import { loadOracleBytes } from "../src/adapters/oracle/load-oracle.ts";
import { createBubblewrap } from "../src/adapters/sandbox/bubblewrap/bubblewrap.ts";
import { findProgram } from "../src/adapters/sandbox/find-program.ts";
import { seedEmbeddedTracker } from "../src/adapters/tracker/embedded.ts";
import { TicketId } from "../src/domain/values/ids.ts";
import { alternate, timed } from "./alternate.ts";
import { ROOT, type Scratch, scratchFolder } from "./children.ts";
import { type Bench, type BenchOptions, type Figure, noteFigure, ratioFigure, valueFigure } from "./figure.ts";
import { eventsOf, runBatch, writeBatch } from "./loopdash.ts";
import { createRepository, writeAgent } from "./repository.ts";

/** The cost of verification: the oracle, the tripwire, and the start of a sandbox. */
export const verifier: Bench = {
  name: "verifier",
  about: "oracle on 1,000 tickets against node -e 0; the tripwire beside two agents; what a sandbox adds to a start",
  async run(options): Promise<readonly Figure[]> {
    await using scratch = await scratchFolder("verifier");
    return [await oracle(scratch, options), await tripwire(scratch, options), ...(await sandbox(scratch, options))];
  },
};

async function oracle(scratch: Scratch, options: BenchOptions): Promise<Figure> {
  const rounds = options.quick ? 3 : 15;
  const ids = Array.from({ length: 1_000 }, (_, i) => TicketId.parse(`T-${i + 1}`));
  const file = join(scratch.path, "tracker.json");
  await seedEmbeddedTracker(
    file,
    ids.map((id) => ({ id, title: `Ticket ${id}`, body: "What is to be done. ".repeat(20) })),
  );
  const frozen = createFrozenOracle({
    bytes: await loadOracleBytes(join(ROOT, "dist", "oracle.cjs")),
    batch: { version: 1, tracker: { kind: "embedded", file }, tickets: ids },
    scratch: scratch.path,
  });
  const [value = Number.NaN, floor = Number.NaN] = await alternate(rounds, [
    async () => (await frozen.judge()).durationMs,
    () => timed(scratch, ["node", "-e", "0"]),
  ]);
  return ratioFigure({
    item: "verifier",
    what: "oracle on 1,000 local tickets",
    value,
    unit: "ms",
    floor: { what: "node -e 0", value: floor },
    max: 5,
    note: `medians of ${rounds} alternating runs`,
  });
}

/** Runs beside two idle agents, like the first workers of a run. */
async function tripwire(scratch: Scratch, options: BenchOptions): Promise<Figure> {
  const rounds = options.quick ? 1 : 5;
  const repo = await createRepository(scratch.path, "repo");
  const agent = await writeAgent(scratch.path, { "V-1": 5, "V-2": 5 });
  const tickets = [{ id: "V-1" }, { id: "V-2" }];
  const batchPath = await writeBatch(scratch.path, { name: "verifier", repo, agent, workers: 2, tickets });
  const [ms = Number.NaN] = await alternate(rounds, [
    async (round) => {
      const home = join(scratch.path, `state-${round}`);
      const { stdout } = await runBatch({ scratch: scratch.path, home, batchPath, mode: "--json" });
      return eventsOf(stdout).find((event) => event.type === "tripwire-ended")?.ms ?? Number.NaN;
    },
  ]);
  return valueFigure({
    item: "verifier",
    what: "the tripwire's whole set",
    value: ms / 1_000,
    unit: "s",
    max: 3,
    note: `median of ${rounds} runs, beside two agents`,
  });
}

async function sandbox(scratch: Scratch, options: BenchOptions): Promise<readonly Figure[]> {
  const rounds = options.quick ? 5 : 31;
  const PATH = process.env["PATH"] ?? "";
  const program = findProgram("bwrap", { cwd: "/", path: PATH });
  if (program === undefined) throw new Error("bwrap is missing: sudo apt install bubblewrap");
  const work = join(scratch.path, "work");
  await mkdir(work);
  const box = createBubblewrap({ program, home: join(scratch.path, "home"), readOverlays: true });
  const [confined = Number.NaN, plain = Number.NaN] = await alternate(rounds, [
    async () => {
      const begun = performance.now();
      const launch = { argv: ["/bin/true"], cwd: work, env: { PATH } };
      const { argv, env, settle } = await box.confine(launch, { write: [work], read: [], mounts: [], sockets: [] });
      start(argv, env);
      const ms = performance.now() - begun;
      await settle();
      return ms;
    },
    () => {
      const begun = performance.now();
      start(["/bin/true"], { PATH });
      return Promise.resolve(performance.now() - begun);
    },
  ]);
  const item = { item: "verifier", unit: "ms", note: `medians of ${rounds} alternating starts` } as const;
  return [
    valueFigure({ ...item, what: "what a sandbox adds to a start", value: confined - plain, max: 30 }),
    noteFigure({ ...item, what: "a start in a sandbox", value: confined, floor: { what: "the same bare", value: plain } }),
  ];
}

function start(argv: readonly string[], env: Readonly<Record<string, string>>): void {
  const { status, stderr } = spawnSync(argv[0] ?? "", argv.slice(1), { env, stdio: ["ignore", "pipe", "pipe"] });
  if (status !== 0) throw new Error(`${argv[0]} ended with ${status}: ${stderr.toString().slice(0, 500)}`);
}
