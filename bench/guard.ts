import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { judgeCommand } from "../src/domain/guard/judge-command.ts";
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
    readFileSync(join(ROOT, "test/corpora/guard", `${name}.jsonl`), "utf8")
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

/** Starts of processes, all with a file on stdin. */
async function processes(scratch: Scratch, hasOther: boolean, options: BenchOptions): Promise<readonly Figure[]> {
  if (!existsSync(PROGRAM)) throw new Error("dist/loopdash.js is missing: run `npm run build` first");
  const rounds = options.quick ? 20 : 100;
  const command = "git reset --hard";
  const input = join(scratch.path, "hook.json");
  await writeFile(
    input,
    JSON.stringify({
      session_id: "s",
      cwd: scratch.path,
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command },
    }),
  );
  const times: number[][] = [[], [], []];
  const start =
    (index: number, ...args: string[]) =>
    async (): Promise<number> => {
      const argv = ["sh", "-c", 'exec node "$@" < "$0"', input, ...args] as const;
      const { ms } = await run({ argv: [...argv], cwd: scratch.path, env: childEnvironment(scratch.path) });
      times[index]?.push(ms);
      return ms;
    };
  const hook = join(ROOT, "node_modules/cc-safety-net/dist/bin/cc-safety-net.js");
  await alternate(rounds, [
    start(0, "-e", "0"),
    start(1, PROGRAM, "guard", "check", "--", command),
    ...(hasOther ? [start(2, hook, "hook", "--coding-cli")] : []),
  ]);
  return figuresOf(times, hasOther, rounds);
}

function figuresOf(
  [empty = [], ours = [], others = []]: readonly number[][],
  hasOther: boolean,
  rounds: number,
): readonly Figure[] {
  const figures = [0.5, 0.95].map((q) =>
    ratioFigure({
      item: "guard",
      what: `guard check as a process, p${q * 100}`,
      value: quantile(ours, q),
      unit: "ms",
      floor: { what: "node -e 0", value: quantile(empty, q) },
      max: 1.6,
      note: `${rounds} alternating runs`,
    }),
  );
  if (!hasOther) return figures;
  const floor = { what: "cc-safety-net's hook", value: quantile(others, 0.5) };
  return [
    ...figures,
    noteFigure({ item: "guard", what: "guard check as a process, p50", value: quantile(ours, 0.5), unit: "ms", floor }),
  ];
}
