import { type AttemptOutcome, type Evidence, isFromForge } from "../run/attempt-fact.ts";
import { plainText } from "../values/text.ts";
import { findAlerts } from "./alerts.ts";
import type { ReflectedChange } from "./reflected-change.ts";
import { isFailure, type ReflectedAttempt, type ReflectedPattern, type Reflection } from "./reflection.ts";
import { GATES, type GateLevel, type GateName, type Signals } from "./signals.ts";

/** Entries of the log that are kept, per ticket (S3.16). */
const WINDOW = 30;
const SUMMARY_CHARS = 300;
const STEP_CHARS = 160;

/** What the log is told of an attempt that has ended. */
export interface LoggedAttempt {
  readonly n: number;
  readonly at: number;
  readonly outcome: AttemptOutcome;
  readonly evidence: Evidence | undefined;
  readonly signals: Signals | undefined;
  readonly changed: ReflectedChange | undefined;
  readonly files: number;
  readonly passedSteps: number;
  readonly steps: number;
}

/** The log with an entry for an attempt that has ended. */
export function withReflection(log: readonly Reflection[], ended: LoggedAttempt): readonly Reflection[] {
  const { n: attempt, at, outcome, evidence, signals, changed, files, passedSteps, steps } = ended;
  const failed = outcome === "done" || evidence === undefined ? undefined : failedStepName(evidence);
  const what: ReflectedAttempt = {
    attempt,
    outcome,
    failedAt: failed,
    gates: signals && gateLevels(signals),
    isLoop: signals?.momentum.isLoop,
    change: changed,
    files,
    passedSteps,
    steps,
  };
  const why = { summary: plainText(evidence?.summary ?? "", SUMMARY_CHARS), cause: evidence?.cause };
  const attempts = [...log.map((entry) => entry.what), what].slice(-WINDOW);
  return [...log, { at, what, why, pattern: findPattern(attempts) }].slice(-WINDOW);
}

function gateLevels(signals: Signals): Readonly<Record<GateName, GateLevel>> {
  return Object.fromEntries(GATES.map((gate) => [gate, signals[gate].level])) as Record<GateName, GateLevel>;
}

/** A step by kind and name, so that two checks are two steps. */
function failedStepName(evidence: Evidence): string {
  if (isFromForge(evidence)) return "checks at the forge";
  const { step, name } = evidence;
  return plainText(step === name ? step : `${step} ${name}`, STEP_CHARS);
}

const SUCCESSES: ReadonlySet<AttemptOutcome> = new Set(["done", "landed", "gated"]);

/** Attempts of which the pass rate is told (S3.18). */
const RATED = 5;

function findPattern(all: readonly ReflectedAttempt[]): ReflectedPattern {
  const judged = all.filter((each) => isFailure(each) || SUCCESSES.has(each.outcome));
  const failed = lastRun(judged, isFailure);
  const last = failed.at(-1);
  const same = last?.failedAt === undefined ? [] : lastRun(failed, ({ failedAt }) => failedAt === last.failedAt);
  const rated = judged.slice(-RATED);
  const passRate = rated.length === 0 ? 1 : rated.filter((each) => !isFailure(each)).length / rated.length;
  const speed = classifySpeed(judged);
  const hotFiles = findHotFiles(judged);
  return {
    failuresInARow: failed.length,
    sameStepInARow: same.length,
    passRate,
    hotFiles,
    speed,
    alerts: findAlerts(judged, { hotFiles, sameStep: same.length, speed }),
  };
}

/** The entries at the end for which a condition holds. */
function lastRun<T>(all: readonly T[], holds: (each: T) => boolean): readonly T[] {
  return all.slice(all.findLastIndex((each) => !holds(each)) + 1);
}

/** Failed attempts that hot files are looked for in, and in how many of them one is hot (S3.12, S3.18). */
const HOT = { among: 10, in: 3 };
const MOST_HOT = 5;

/** Files that at least three of the last ten failed attempts changed, the most often changed first. */
function findHotFiles(judged: readonly ReflectedAttempt[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { change } of judged.filter(isFailure).slice(-HOT.among))
    for (const path of new Set(change?.paths)) counts.set(path, (counts.get(path) ?? 0) + 1);
  const hot = [...counts].filter(([, times]) => times >= HOT.in);
  return hot
    .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, MOST_HOT)
    .map(([path]) => path);
}

/** The fewest attempts that are compared by halves, and the difference that counts (S3.18). */
const SPEED = { least: 6, delta: 0.3 };

function classifySpeed(judged: readonly ReflectedAttempt[]): ReflectedPattern["speed"] {
  if (judged.length < SPEED.least) return undefined;
  const shares = judged.map(({ passedSteps, steps }) => (steps === 0 ? 1 : passedSteps / steps));
  const half = Math.floor(shares.length / 2);
  const change = mean(shares.slice(-half)) - mean(shares.slice(0, half));
  if (change <= -SPEED.delta) return "slower";
  return change >= SPEED.delta ? "faster" : "steady";
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
