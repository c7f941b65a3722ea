import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { judgeCommand } from "@loopdash/guard";
import { SANDBOX_SOCKET } from "@loopdash/guard/server";
import { installedClient } from "../src/cli/guard/installed-client.ts";
import { alternate } from "./alternate.ts";
import { childEnvironment, ROOT, run, type Scratch, scratchFolder } from "./children.ts";
import { type Bench, type BenchOptions, type Figure, noteFigure, ratioFigure, valueFigure } from "./figure.ts";
import { PROGRAM } from "./loopdash.ts";
import { quantile } from "./stats.ts";

/** The command guard as a library and as a process, beside an empty Node and beside cc-safety-net on the same corpora. */
export const guard: Bench = {
  name: "guard",
  about: "the command guard against node -e 0 and against cc-safety-net: accuracy and time",
  async run(options): Promise<readonly Figure[]> {
    await using scratch = await scratchFolder("guard");
    const corpus = readCorpus();
    const other = await otherGuard(scratch);
    if (other === undefined) options.log("cc-safety-net is not installed: its figures are missing");
    return [
      ...accuracy(corpus, other),
      ...library(corpus, other, options),
      ...(await processes(scratch, other !== undefined, options)),
    ];
  },
};

interface Case {
  readonly command: string;
  readonly verdict: "allow" | "block";
}

type Decide = (command: string) => "allow" | "block";

const FILES = ["dangerous", "look-alike", "benign"] as const;
const CONTEXT = { cwd: "/home/dev/app", worktree: "/home/dev/app", home: "/home/dev" };
const own: Decide = (command) => judgeCommand(command, CONTEXT).verdict;

function readCorpus(): readonly Case[] {
  return FILES.flatMap((name) =>
    readFileSync(join(ROOT, "packages/guard/test/corpora", `${name}.jsonl`), "utf8")
      .trimEnd()
      .split("\n")
      .map((line): Case => JSON.parse(line)),
  );
}

/** The other guard as a library. It wants a folder that exists. */
async function otherGuard(scratch: Scratch): Promise<Decide | undefined> {
  const cwd = join(scratch.path, "app");
  await mkdir(join(cwd, ".git"), { recursive: true });
  try {
    const { checkCommand } = await import("cc-safety-net/api");
    return (command) => (checkCommand({ command, cwd }).kind === "allow" ? "allow" : "block");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

function accuracy(corpus: readonly Case[], other: Decide | undefined): readonly Figure[] {
  const figures = (["block", "allow"] as const).map((verdict): Figure => {
    const cases = corpus.filter((each) => each.verdict === verdict);
    const wrong = (decide: Decide): number =>
      (cases.filter(({ command }) => decide(command) !== verdict).length / cases.length) * 100;
    const what = verdict === "block" ? "dangerous commands allowed" : "harmless commands blocked";
    const note = `of ${cases.length}${other === undefined ? "" : `; cc-safety-net ${wrong(other).toFixed(1)} %, which has no rules for some families`}`;
    return valueFigure({ item: "guard", what, value: wrong(own), unit: "%", max: 0, note });
  });
  return figures;
}

function library(corpus: readonly Case[], other: Decide | undefined, options: BenchOptions): readonly Figure[] {
  const rounds = options.quick ? 3 : 20;
  const p95 = (decide: Decide): number => {
    const times: number[] = [];
    for (let round = 0; round <= rounds; round++)
      for (const { command } of corpus) {
        const startedAt = performance.now();
        decide(command);
        // The first round compiles.
        if (round > 0) times.push(performance.now() - startedAt);
      }
    return quantile(times, 0.95);
  };
  const value = p95(own);
  const floor = other === undefined ? {} : { floor: { what: "cc-safety-net", value: p95(other) } };
  return [
    valueFigure({
      item: "guard",
      what: "a judgement as a library, p95",
      value,
      unit: "ms",
      max: 1,
      ...floor,
      note: `${rounds} rounds`,
    }),
  ];
}

/** Starts of processes, all with a file on stdin. The served hook asks a relay, as in a worker's sandbox. */
async function processes(scratch: Scratch, hasOther: boolean, options: BenchOptions): Promise<readonly Figure[]> {
  if (!existsSync(PROGRAM)) throw new Error("dist/loopdash.js is missing: run `npm run build` first");
  const rounds = options.quick ? 20 : 100;
  const input = join(scratch.path, "hook.json");
  const payload = { session_id: "s", cwd: scratch.path, hook_event_name: "PreToolUse", tool_name: "Bash" };
  await writeFile(input, JSON.stringify({ ...payload, tool_input: { command: COMMAND } }));
  const times: Record<string, number[]> = {};
  const start =
    (name: string, ...argv: string[]) =>
    async (): Promise<number> => {
      const words = ["sh", "-c", 'exec "$@" < "$0"', input, ...argv] as const;
      const { ms } = await run({ argv: [...words], cwd: scratch.path, env: childEnvironment(scratch.path) });
      times[name] = [...(times[name] ?? []), ms];
      return ms;
    };
  const other = join(ROOT, "node_modules/cc-safety-net/dist/bin/cc-safety-net.js");
  const hook = [process.execPath, PROGRAM, "hook", "before-tool", "--agent", "claude"];
  using relay = await servingRelay(scratch);
  const served = relay === undefined ? [] : [start("served", ...relay.client, ...hook)];
  if (relay === undefined) options.log("there is no guard server here (Linux and Perl): its figures are missing");
  await alternate(rounds, [
    start("empty", "node", "-e", "0"),
    start("check", process.execPath, PROGRAM, "guard", "check", "--", COMMAND),
    ...served,
    ...(hasOther ? [start("other", "node", other, "hook", "--coding-cli")] : []),
  ]);
  return figuresOf(times, rounds);
}

const COMMAND = "git reset --hard";

/** A relay that serves the guard until it is disposed; undefined where there is no client for it. */
async function servingRelay(scratch: Scratch): Promise<({ readonly client: readonly string[] } & Disposable) | undefined> {
  const socket = `@loopdash-bench-${process.pid}`;
  const [...client] = installedClient(SANDBOX_SOCKET);
  if (client.length === 0) return undefined;
  client.splice(-1, 1, socket);
  const child = spawn(process.execPath, [PROGRAM, "__relay", "/nowhere", "--guard-socket", socket, "--", "cat"], {
    cwd: scratch.path,
    env: childEnvironment(scratch.path),
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ask = {
    argv: ["env", ...client, "/nowhere/node", PROGRAM, "guard", "check", "--", COMMAND] as [string, ...string[]],
    cwd: scratch.path,
  };
  // It serves once its program has started; until then the client finds nobody, and no Node.
  for (let tries = 0; (await run({ ...ask, env: childEnvironment(scratch.path) })).code !== 2; tries++)
    if (tries > 1_000) throw new Error("the relay does not serve the guard");
  return { client, [Symbol.dispose]: () => void child.stdin?.end() };
}

function figuresOf(
  { empty = [], check = [], served = [], other = [] }: Readonly<Record<string, readonly number[]>>,
  rounds: number,
): readonly Figure[] {
  const note = `${rounds} alternating runs`;
  const quantiles = [0.5, 0.95];
  const floorOf = (q: number) => ({ what: "node -e 0", value: quantile(empty, q) });
  const figures = [
    ...quantiles.map((q) =>
      ratioFigure({
        ...{ item: "guard", what: `guard check as a process, p${q * 100}`, value: quantile(check, q), unit: "ms" },
        ...{ floor: floorOf(q), max: 1.6, note },
      }),
    ),
    ...(served.length === 0 ? [] : quantiles).map((q) =>
      valueFigure({
        ...{ item: "guard", what: `a hook that a guard server answers, as a process, p${q * 100}`, value: quantile(served, q) },
        ...{ unit: "ms", max: 30, floor: floorOf(q), note },
      }),
    ),
  ];
  if (other.length === 0) return figures;
  const floor = { what: "cc-safety-net's hook", value: quantile(other, 0.5) };
  const shared = { item: "guard", unit: "ms", floor } as const;
  return [
    ...figures,
    noteFigure({ ...shared, what: "guard check as a process, p50", value: quantile(check, 0.5) }),
    ...(served.length === 0
      ? []
      : [noteFigure({ ...shared, what: "a hook that a guard server answers, p50", value: quantile(served, 0.5) })]),
  ];
}
