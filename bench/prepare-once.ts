import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { childEnvironment, run, type Scratch, scratchFolder } from "./children.ts";
import { type Bench, type BenchOptions, type Figure, noteFigure, ratioFigure } from "./figure.ts";
import { runBatch } from "./loopdash.ts";
import { cpuOfFamily } from "./processes.ts";
import { git, writeAgent } from "./repository.ts";
import { type SlowRegistry, slowRegistry } from "./slow-registry.ts";

const TICKETS = 10;
const WORKERS = 4;
/** npm asks for 15 archives at a time, so an installation takes some two delays. */
const PACKAGES = 30;
const DELAY_MS = 9_500;
const QUICK_DELAY_MS = 1_000;
/** Largest allowed time with kept preparations, as a share of the time without any and one preparation. */
const MOST = 1.25;
const INSTALL = ["npm", "ci", "--no-audit", "--no-fund"] as const;

/** Fails unless there are as many packages as its argument says. */
const CHECK = `import { existsSync, readdirSync } from "node:fs";
const found = existsSync("node_modules") ? readdirSync("node_modules").filter((name) => !name.startsWith(".")).length : 0;
if (found !== Number(process.argv[2])) throw new Error(found + " packages are installed");
`;

/** Ten tickets on a repository that is prepared by npm, in the sandbox: with kept preparations, without them, without any. */
export const prepareOnce: Bench = {
  name: "prepare-once",
  about: `${TICKETS} tickets whose prepare is npm ci from a slow registry on loopback, against the same without it and one npm ci`,
  async run(options): Promise<readonly Figure[]> {
    await using scratch = await scratchFolder("prepare-once");
    await using registry = await slowRegistry(scratch, { count: PACKAGES, delayMs: options.quick ? QUICK_DELAY_MS : DELAY_MS });
    return await measure(scratch, registry, options);
  },
};

async function measure(scratch: Scratch, registry: SlowRegistry, { log }: BenchOptions): Promise<readonly Figure[]> {
  const agent = await writeAgent(scratch.path);
  const batch = async (name: string, prepare: object): Promise<number> => {
    const [sent, cpu] = [registry.sent(), cpuOfFamily()];
    const ms = await timedBatch(scratch, { name, agent, prepare, registry });
    log(`${name}: ${ms.toFixed(0)} ms, ${(cpuOfFamily() - cpu).toFixed(1)} s of CPU, ${registry.sent() - sent} archives`);
    return ms;
  };
  // On both sides of the run that is measured: a busy moment of the machine then weighs on all of them.
  const floor = async (when: string): Promise<number> => {
    const without = await batch(`without-prepare-${when}`, {});
    const one = await install(scratch, registry, when);
    log(`one npm ci ${when}: ${one.toFixed(0)} ms`);
    return without + one;
  };
  const before = await floor("before");
  const sent = registry.sent();
  const kept = await batch("prepared-once", { prepare: [INSTALL] });
  if (registry.sent() - sent !== PACKAGES) throw new Error(`${registry.sent() - sent} archives were sent, not ${PACKAGES}`);
  const after = await floor("after");
  const off = await batch("cache-off", { prepare: [INSTALL], cache: false });
  const common = {
    ...({ item: "prepare-once", unit: "s" } as const),
    floor: { what: "without prepare, and one npm ci", value: (before + after) / 2_000 },
  };
  const note = "the floor is the mean of two, before and after";
  return [
    ratioFigure({ ...common, what: `${TICKETS} tickets, prepared once`, value: kept / 1_000, max: MOST, note }),
    noteFigure({ ...common, what: `${TICKETS} tickets, the cache off`, value: off / 1_000 }),
  ];
}

/** Milliseconds of one installation without loopdash, into a folder of its own and with an empty cache. */
async function install(scratch: Scratch, registry: SlowRegistry, name: string): Promise<number> {
  const folder = join(scratch.path, `alone-${name}`);
  await writeFiles(folder, registry.files);
  const env = childEnvironment(scratch.path, { npm_config_cache: join(scratch.path, `npm-cache-${name}`) });
  const { code, stderr, ms } = await run({ argv: INSTALL, cwd: folder, env });
  if (code !== 0) throw new Error(`npm ci ended with ${code}: ${stderr.slice(-500)}`);
  return ms;
}

/** Milliseconds of a run of loopdash on a fresh repository, with a state folder of its own. */
async function timedBatch(
  scratch: Scratch,
  {
    agent,
    name,
    prepare,
    registry,
  }: {
    readonly name: string;
    readonly agent: readonly string[];
    /** Keys of the repository in the batch. */
    readonly prepare: object;
    readonly registry: SlowRegistry;
  },
): Promise<number> {
  const repo = join(scratch.path, name);
  await writeFiles(repo, { ...registry.files, "check.mjs": CHECK });
  await git(scratch.path, repo, "init", "--quiet", "--initial-branch=main", "--template=");
  await git(scratch.path, repo, "add", "--all");
  await git(scratch.path, repo, "commit", "--quiet", "--message", "base");
  const isPrepared = Object.keys(prepare).length > 0;
  const check = ["node", "check.mjs", isPrepared ? String(PACKAGES) : "0"];
  const host = { host: "127.0.0.1", port: registry.port, addresses: ["127.0.0.1"] };
  const content = {
    name,
    repos: { main: { path: repo, base: "main", ...prepare } },
    agent: { kind: "command", command: agent },
    sandbox: "required",
    sandboxPolicy: { hosts: { prepare: [host] } },
    limits: { workers: WORKERS, attempts: 1 },
    finish: [{ step: "gates" }, { step: "check", name: "installed", command: check }, { step: "merge" }, { step: "assert" }],
    tickets: Array.from({ length: TICKETS }, (_, n) => ({ id: `P-${n + 1}`, title: `Ticket ${n + 1}`, repo: "main" })),
  };
  const batchPath = join(scratch.path, `${name}.json`);
  await writeFile(batchPath, JSON.stringify(content, undefined, 2));
  const home = join(scratch.path, `state-${name}`);
  return (await runBatch({ scratch: scratch.path, home, batchPath, mode: "--headless" })).ms;
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
}
