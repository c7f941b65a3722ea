import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { compareRuns } from "@loopdash/test-evidence";
import type { ResultsFormat, ResultsReading } from "@loopdash/test-evidence/reports";
import { parseResults } from "@loopdash/test-evidence/reports";
import { createTestResultsReader } from "../../src/adapters/test-results/results-reader.ts";
import type { Random } from "./random.ts";
import { aHorror } from "./report-horrors.ts";
import { modelOf, unproven } from "./report-model.ts";
import { mutate } from "./report-mutation.ts";
import { aSuite, reportOf } from "./report-writing.ts";
import { type Target, type Trial, unfitSentence } from "./target.ts";

const SEEDS = join(import.meta.dirname, "seeds");
const MAIN = resolve(import.meta.dirname, "../../src/cli/main.ts");
const FORMATS: readonly ResultsFormat[] = ["tap", "junit", "vitest", "jest"];
const ROOTS = ["/home/somebody/app"];
const NO_ALLOWANCE = { testsRemoved: [], testsSkipped: [], suppressions: false };
/** The share of inputs that take the whole way: a file, read in a thread. Starting one takes longer than most inputs. */
const WHOLE_WAY = 0.03;

/** The report of a base on which every test passed, and that of a candidate, which may hold anything. */
interface Pair {
  readonly format: ResultsFormat;
  readonly base: Uint8Array;
  readonly candidate: Uint8Array;
  readonly input: string;
}

/** Real reports, each in a file whose ending is its format. */
function aSeed(random: Random): { readonly format: ResultsFormat; readonly text: string } {
  const name = random.pick(readdirSync(SEEDS).toSorted());
  return { format: extname(name).slice(1) as ResultsFormat, text: readFileSync(join(SEEDS, name), "utf8") };
}

export function aPair(random: Random): Pair {
  const fromSeed = random.chance(0.5);
  const format = random.pick(FORMATS);
  const base = fromSeed ? aSeed(random) : { format, text: reportOf(format, aSuite(random)) };
  const bytes = new TextEncoder().encode(base.text);
  if (random.chance(0.2)) {
    const horror = aHorror(base.format, random);
    return { format: base.format, base: bytes, candidate: horror.bytes, input: `${base.format}: ${horror.name}` };
  }
  const { text, names } = mutate(base.format, base.text, random);
  const candidate = new TextEncoder().encode(text);
  const flips = random.chance(0.1) ? random.between(1, 8) : 0;
  for (let left = flips; left > 0 && candidate.length > 0; left--) candidate[random.below(candidate.length)] = random.below(256);
  return {
    format: base.format,
    base: bytes,
    candidate,
    input: `${base.format}: ${[...names, ...(flips > 0 ? ["bytes"] : [])].join(", ")}`,
  };
}

/** Reads it as a command's report is read: it appears in a file after the start, and a thread reads that. */
async function readFile(pair: Pair, random: Random, folder: string): Promise<ResultsReading> {
  const reports = createTestResultsReader({ program: MAIN, args: ["__results"] });
  const awaited = await reports.await({ format: pair.format, folder, path: "out/report" });
  mkdirSync(join(folder, "out"));
  writeFileSync(join(folder, "out/report"), pair.candidate);
  if (random.chance(0.1)) truncateSync(join(folder, "out/report"), 10_000_000_000);
  return awaited.read(ROOTS);
}

async function attempt(random: Random, folder: string, made: (input: string) => void): Promise<Trial> {
  const pair = aPair(random);
  const { format, input } = pair;
  made(input);
  const task = { format, roots: ROOTS, notBefore: 0 };
  const base = parseResults({ ...task, bytes: pair.base });
  if (!base.ok) return { input, outcome: "error", problem: `the base's report could not be read: ${base.problem}` };
  const wholeWay = random.chance(WHOLE_WAY);
  const candidate = wholeWay ? await readFile(pair, random, folder) : parseResults({ ...task, bytes: pair.candidate });
  if (!candidate.ok) {
    const problem = unfitSentence(candidate.problem, 1_000);
    return { input, outcome: "unread", ...(problem === undefined ? {} : { problem }) };
  }
  const allPassed = { exitCode: 0, tests: base.tests };
  const { findings } = compareRuns(allPassed, { exitCode: 0, tests: candidate.tests }, NO_ALLOWANCE);
  if (findings.length > 0) return { input, outcome: findings[0]?.kind ?? "" };
  const [before, now] = [pair.base, pair.candidate].map((bytes) => modelOf(format, new TextDecoder().decode(bytes)));
  const doubt = before === undefined || now === undefined ? "it has no model" : unproven(before, now);
  return { input, outcome: "passed", ...(doubt === undefined ? {} : { problem: `a false done: ${doubt}` }) };
}

/** Reports of test runs. What is wrong beside a crash or a hang: every test of the base is taken for passed, and is not. */
export const reports: Target = {
  name: "reports",
  bounds: { ms: 60_000, bytes: 1_500_000_000 },
  outcomes: ["passed", "unread", "failing", "removed", "skipped"],
  attempt,
};
