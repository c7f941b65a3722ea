import type { VerdictWord } from "../run/event.ts";
import type { RunState } from "../run/state.ts";
import { vecItems } from "../values/vec.ts";
import { computeLedger } from "./ledger.ts";
import { countSettlements } from "./settlement.ts";

/**
 * Numbers of a run by name: the flattened ledger (`interventions.work`, `costUsd`). Unknown numbers are absent, never 0, so that
 * records of other versions can be read.
 */
export type Numbers = Readonly<Record<string, number>>;

/** A run of the same batch file that started earlier. */
export interface EarlierRun {
  readonly run: string;
  readonly startedAt: number;
  /** Absent if there is no verdict. */
  readonly verdict?: VerdictWord;
  /** Absent if none were stored. */
  readonly numbers?: Numbers;
  /** True if the batch file was the same, to the byte. */
  readonly sameBatch: boolean;
}

/** Number of earlier runs that are shown. */
export const MOST_EARLIER = 8;

/** One run of the trend, the newest of which is the reported one. Part of the contract of `report --json`. */
export interface TrendPoint {
  readonly run: string;
  readonly startedAt: string;
  readonly verdict: VerdictWord;
  /** The oracle found every ticket done or human-gated. A run that was left early also needed few interventions. */
  readonly complete: boolean;
  readonly sameBatch: boolean;
  readonly interventions: number | null;
  readonly costUsd: number | null;
  readonly shipped: number | null;
  readonly tickets: number | null;
}

/** The numbers of a run as it stands. */
export function runNumbers(state: RunState): Numbers {
  const out: Record<string, number> = {};
  flatten(computeLedger(state), "", out);
  const done = [...vecItems(state.tickets)].filter((t) => t.phase === "done");
  const { before, shipped, "by-person": closed } = countSettlements(done);
  return { ...out, "tickets.before": before, "tickets.closedByPerson": closed, "tickets.shipped": shipped };
}

function flatten(value: unknown, name: string, out: Record<string, number>): void {
  if (typeof value === "number") out[name] = value;
  else if (typeof value === "object" && value !== null)
    for (const [key, part] of Object.entries(value)) flatten(part, name === "" ? key : `${name}.${key}`, out);
}

/** The trend, oldest first: the earlier runs (given newest first) and then this one. */
export function computeTrend(state: RunState, earlier: readonly EarlierRun[]): readonly TrendPoint[] {
  const { run, startedAt, end } = state;
  const verdict = end?.verdict ?? "unjudged";
  return [...earlier.toReversed(), { run, startedAt, verdict, numbers: runNumbers(state), sameBatch: true }].map(trendPoint);
}

function trendPoint({ run, startedAt, verdict = "unjudged", numbers = {}, sameBatch }: EarlierRun): TrendPoint {
  return {
    run,
    startedAt: new Date(startedAt).toISOString(),
    verdict,
    complete: verdict === "done",
    sameBatch,
    interventions: numbers["interventions.total"] ?? null,
    costUsd: numbers["costUsd"] ?? null,
    shipped: numbers["tickets.shipped"] ?? null,
    tickets: numbers["tickets.total"] ?? null,
  };
}
