/**
 * `npm run fuzz -- [--inputs N] [--seed N] [--only TARGET] [--input N] [--minutes N]`: runs the readers of a worker's files on
 * hostile inputs. Without --seed the day's date is the seed, so each day has other inputs. With --input, only that input runs
 * again. Exits with 1 if loopdash did something wrong. In CI, each target counts as one test (.ci/out/fuzz/numbers).
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { campaign, type Done, type Findings, replayCommand } from "../test/fuzz/campaign.ts";
import type { Target } from "../test/fuzz/target.ts";
import { TARGETS } from "../test/fuzz/targets.ts";

/** The shares of the inputs. Some repairs run with their runner. A worktree costs some 20 times as much as a report: 2 seconds of processor time. */
const SHARES: Readonly<Record<string, number>> = { worktrees: 0.05, reports: 0.6, outboxes: 0.35, repairs: 0.2 };
const OUT = resolve(import.meta.dirname, "../.ci/out/fuzz");

function today(): string {
  return new Date().toISOString().slice(0, 10).replaceAll("-", "");
}

function wholeNumber(text: string, name: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  console.error(`--${name} must be a whole number, not ${JSON.stringify(text)}.`);
  process.exit(2);
}

function line(done: Done | undefined, say: (done: Done) => string): string {
  return done === undefined ? "none" : `${say(done)} (input ${done.index}: ${done.input})`;
}

function report(target: Target, seed: number, found: Findings, seconds: number): void {
  const { tried, failures, outcomes, slowest, largest } = found;
  console.log(`${target.name}: ${tried} inputs in ${seconds} s, ${failures.length} failed`);
  console.log(`  outcomes: ${[...outcomes].map(([outcome, n]) => `${outcome} ${n}`).join(", ")}`);
  console.log(`  slowest: ${line(slowest, ({ ms }) => `${ms} ms`)}`);
  console.log(`  most memory: ${line(largest, ({ bytes }) => `${Math.round(bytes / 1e6)} MB`)}`);
  for (const { index, input, problem = "" } of failures.slice(0, 20)) {
    console.log(
      `  FAILED input ${index}: ${input}\n    ${problem.slice(0, 400).replaceAll("\n", "\n    ")}\n    again: ${replayCommand(target.name, seed, index)}`,
    );
  }
}

interface Choice {
  readonly targets: readonly Target[];
  readonly seed: number;
  readonly inputs: number;
  /** The one input to run again. */
  readonly one: number | undefined;
  readonly signal: AbortSignal;
}

function choice(): Choice {
  const text = { type: "string" } as const;
  const { values } = parseArgs({ options: { inputs: text, seed: text, only: text, input: text, minutes: text } });
  const targets = TARGETS.filter(({ name }) => values.only?.split(",").includes(name) ?? true);
  if (targets.length === 0) {
    console.error(`There is no target ${values.only}. Targets: ${TARGETS.map(({ name }) => name).join(", ")}.`);
    process.exit(2);
  }
  return {
    targets,
    seed: wholeNumber(values.seed ?? today(), "seed"),
    inputs: wholeNumber(values.inputs ?? "10000", "inputs"),
    one: values.input === undefined ? undefined : wholeNumber(values.input, "input"),
    signal: AbortSignal.timeout(wholeNumber(values.minutes ?? "60", "minutes") * 60_000),
  };
}

/** True if every input of a target ran and did no harm. */
async function holds(target: Target, wanted: number, { seed, one, signal }: Choice): Promise<boolean> {
  const begun = performance.now();
  const found = await campaign({ target, seed, inputs: wanted, first: one ?? 0, processes: one === undefined ? 2 : 1, signal });
  report(target, seed, found, Math.round((performance.now() - begun) / 1000));
  const left = wanted - found.tried;
  if (left > 0) console.log(`  FAILED: there was no time for ${left} inputs`);
  return left === 0 && found.failures.length === 0;
}

async function main(chosen: Choice): Promise<number> {
  const { targets, inputs, one } = chosen;
  const shares = targets.reduce((sum, { name }) => sum + (SHARES[name] ?? 0), 0);
  let passed = 0;
  for (const target of targets) {
    const wanted = one === undefined ? Math.round((inputs * (SHARES[target.name] ?? 0)) / shares) : 1;
    if (await holds(target, wanted, chosen)) passed += 1;
  }
  if (process.env["CI"] === "true") {
    mkdirSync(OUT, { recursive: true });
    writeFileSync(join(OUT, "numbers"), `${passed} passed, ${targets.length - passed} failed\n`);
  }
  return passed === targets.length ? 0 : 1;
}

process.exitCode = await main(choice());
