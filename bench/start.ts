import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { alternate, timed } from "./alternate.ts";
import { ROOT, type Scratch, scratchFolder } from "./children.ts";
import { type Bench, type BenchOptions, type Figure, ratioFigure } from "./figure.ts";
import { loopdashArgv, writeBatch } from "./loopdash.ts";
import { createRepository } from "./repository.ts";
import { endRun, openTerminal } from "./terminal.ts";

/** Time until the version is printed, and until the first frame of the dashboard. */
export const start: Bench = {
  name: "start",
  about:
    "loopdash --version against node -e 0, and by its launcher; first frame of the dashboard against importing ink and react",
  async run(options): Promise<readonly Figure[]> {
    await using scratch = await scratchFolder("start");
    return [await version(scratch, options), await launched(scratch, options), await firstFrame(scratch, options)];
  },
};

async function version(scratch: Scratch, options: BenchOptions): Promise<Figure> {
  const rounds = options.quick ? 5 : 20;
  const [value, floor] = await alternate(rounds, [
    () => timed(scratch, loopdashArgv("--version")),
    () => timed(scratch, ["node", "-e", "0"]),
  ]);
  return ratioFigure({
    item: "start",
    what: "loopdash --version",
    value: value ?? Number.NaN,
    unit: "ms",
    floor: { what: "node -e 0", value: floor ?? Number.NaN },
    max: 2,
    note: `medians of ${rounds} alternating runs`,
  });
}

/** The cost of the launcher before Node starts: it asks `node` for its version. */
async function launched(scratch: Scratch, options: BenchOptions): Promise<Figure> {
  const rounds = options.quick ? 5 : 20;
  const [value, floor] = await alternate(rounds, [
    () => timed(scratch, [join(ROOT, "bin/loopdash"), "--version"]),
    () => timed(scratch, loopdashArgv("--version")),
  ]);
  return ratioFigure({
    item: "start",
    what: "loopdash --version by its launcher",
    value: value ?? Number.NaN,
    unit: "ms",
    floor: { what: "without it", value: floor ?? Number.NaN },
    max: 2,
    note: `medians of ${rounds} alternating runs`,
  });
}

async function firstFrame(scratch: Scratch, options: BenchOptions): Promise<Figure> {
  const rounds = options.quick ? 3 : 10;
  const imports = join(scratch.path, "imports.mjs");
  const ink = import.meta.resolve("ink");
  const react = import.meta.resolve("react");
  await writeFile(imports, `import ${JSON.stringify(ink)};\nimport ${JSON.stringify(react)};\n`);
  const [value, floor] = await alternate(rounds, [(round) => frameOnce(scratch, round), () => timed(scratch, ["node", imports])]);
  return ratioFigure({
    item: "start",
    what: "first frame of the dashboard, with its engine",
    value: value ?? Number.NaN,
    unit: "ms",
    floor: { what: "importing ink and react", value: floor ?? Number.NaN },
    max: 2,
    note: `medians of ${rounds} alternating runs`,
  });
}

/** Starts a batch in a terminal and waits until its name is drawn; then ends both processes. */
async function frameOnce(scratch: Scratch, round: number): Promise<number> {
  const repo = await createRepository(scratch.path, `repo-${round}`);
  const home = join(scratch.path, `state-${round}`);
  const batch = {
    name: `first-frame-${round}`,
    repo,
    agent: ["sleep", "30"],
    workers: 2,
    tickets: [{ id: "F-1" }, { id: "F-2" }],
  };
  const terminal = openTerminal({ scratch: scratch.path, home, args: [await writeBatch(scratch.path, batch)] });
  try {
    return await terminal.seen(batch.name);
  } finally {
    await endRun(terminal, scratch.path, home);
  }
}
