import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { childEnvironment, ROOT, type RunResult, run } from "./children.ts";
import { watchPeakMemory } from "./processes.ts";

/** The built program. */
export const PROGRAM = join(ROOT, "dist", "loopdash.js");

export interface BenchTicket {
  readonly id: string;
  readonly dependsOn?: readonly string[];
}

export interface BenchBatch {
  readonly name: string;
  readonly repo: string;
  readonly agent: readonly string[];
  readonly workers: number;
  readonly tickets: readonly BenchTicket[];
  /** A command that checks each change, in the sandbox, as agents are then; without it nothing is confined: the floor has no sandbox. */
  readonly check?: readonly string[];
}

/** The command line of the built program. Throws if it was not built. */
export function loopdashArgv(...args: string[]): [string, ...string[]] {
  if (!existsSync(PROGRAM)) throw new Error("dist/loopdash.js is missing: run `npm run build` first");
  return ["node", PROGRAM, ...args];
}

/** The environment of loopdash: its state below `home`. */
export function loopdashEnvironment(scratch: string, home: string): Record<string, string> {
  return childEnvironment(scratch, { LOOPDASH_HOME: home });
}

/** Writes a batch file with gates, the check if there is one, merge and assert as its finish line. */
export async function writeBatch(folder: string, batch: BenchBatch): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${batch.name}.json`);
  const content = {
    name: batch.name,
    repos: { main: { path: batch.repo, base: "main" } },
    agent: { kind: "command", command: batch.agent },
    ...(batch.check === undefined && { sandbox: "off" }),
    limits: { workers: batch.workers, attempts: 1 },
    finish: [
      { step: "gates" },
      ...(batch.check === undefined ? [] : [{ step: "check", command: batch.check }]),
      { step: "merge" },
      { step: "assert" },
    ],
    tickets: batch.tickets.map((ticket) => ({ ...ticket, title: `Ticket ${ticket.id}`, repo: "main" })),
  };
  await writeFile(path, JSON.stringify(content, undefined, 2));
  return path;
}

export interface RunOutcome extends RunResult {
  /** Highest resident memory of the engine, megabytes. */
  readonly peakMb: number;
}

/** Runs a batch to its end without a terminal. Throws unless the oracle's verdict is done. */
export async function runBatch(options: {
  scratch: string;
  home: string;
  batchPath: string;
  mode: "--headless" | "--json";
  /** A program that starts loopdash. */
  prefix?: readonly string[];
}): Promise<RunOutcome> {
  let peak: (() => number) | undefined;
  const [program, ...args] = loopdashArgv(options.batchPath, options.mode, "--fresh");
  const [first, ...rest] = [...(options.prefix ?? []), program];
  const result = await run({
    argv: [first ?? program, ...rest, ...args],
    cwd: options.scratch,
    env: loopdashEnvironment(options.scratch, options.home),
    onStart: (child) => {
      peak = watchPeakMemory(child);
    },
  });
  if (result.code !== 0) {
    throw new Error(`loopdash ended with ${result.code}: ${(result.stderr || result.stdout).slice(-2_000).trim()}`);
  }
  return { ...result, peakMb: peak?.() ?? 0 };
}

/** An event of `--json`: only the fields that the benchmark reads. */
export interface SeenEvent {
  readonly type: string;
  readonly at: number;
  readonly ticket?: string;
  readonly outcome?: string;
  readonly ms?: number;
}

/** The events of a `--json` run, in order. */
export function eventsOf(stdout: string): readonly SeenEvent[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => toEvent(JSON.parse(line)));
}

function toEvent(value: unknown): SeenEvent {
  if (typeof value !== "object" || value === null || !("type" in value) || !("at" in value)) {
    throw new Error(`not an event: ${JSON.stringify(value).slice(0, 200)}`);
  }
  const { type, at } = value;
  const ticket = "ticket" in value && typeof value.ticket === "string" ? { ticket: value.ticket } : {};
  const outcome = "outcome" in value && typeof value.outcome === "string" ? { outcome: value.outcome } : {};
  const ms = "ms" in value && typeof value.ms === "number" ? { ms: value.ms } : {};
  return { type: String(type), at: Number(at), ...ticket, ...outcome, ...ms };
}

/** Milliseconds from the first claim to the moment the last ticket was done. */
export function makespanOf(events: readonly SeenEvent[]): number {
  const first = events.find((event) => event.type === "attempt-claimed");
  const last = events.findLast((event) => event.type === "attempt-ended" && event.outcome === "done");
  if (first === undefined || last === undefined) throw new Error("no ticket was claimed and done in this run");
  return last.at - first.at;
}
