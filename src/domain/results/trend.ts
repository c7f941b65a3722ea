import type { VerdictWord } from "../run/event.ts";
import type { RunState } from "../run/state.ts";
import { vecItems } from "../values/vec.ts";
import { ledgerOf } from "./ledger.ts";

/**
 * Numbers of a run by name: the ledger laid flat (`interventions.work`, `costUsd`). What is not known of a run is not there, so
 * that records of other versions can be read: never 0 for unknown.
 */
export type Numbers = Readonly<Record<string, number>>;

/** A run of the same batch file that began before. */
export interface EarlierRun {
  readonly run: string;
  readonly startedAt: number;
  /** Absent where nobody has judged it. */
  readonly verdict?: VerdictWord;
  /** Absent where none were kept. */
  readonly numbers?: Numbers;
  /** Whether the batch file was the same then, to the byte. */
  readonly sameBatch: boolean;
}

/** How many earlier runs are looked at. */
export const MOST_EARLIER = 8;

/** One run in the row of runs, the newest of which is the one that is told about. Part of the contract of `report --json`. */
export interface TrendPoint {
  readonly run: string;
  readonly startedAt: string;
  readonly verdict: VerdictWord;
  /** The oracle found every ticket done or human-gated. A run that was left early took few interventions, too. */
  readonly complete: boolean;
  readonly sameBatch: boolean;
  readonly interventions: number | null;
  readonly costUsd: number | null;
  readonly shipped: number | null;
  readonly tickets: number | null;
}

/** The numbers of a run as it stands. */
export function numbersOf(state: RunState): Numbers {
  const out: Record<string, number> = {};
  flatten(ledgerOf(state), "", out);
  const before = [...vecItems(state.tickets)].filter((t) => t.phase === "done" && t.history.length === 0).length;
  return { ...out, "tickets.before": before, "tickets.shipped": state.counts.done - before };
}

function flatten(value: unknown, name: string, out: Record<string, number>): void {
  if (typeof value === "number") out[name] = value;
  else if (typeof value === "object" && value !== null)
    for (const [key, part] of Object.entries(value)) flatten(part, name === "" ? key : `${name}.${key}`, out);
}

/** The row of runs, oldest first: earlier ones (given newest first) and then this. */
export function trendOf(state: RunState, earlier: readonly EarlierRun[]): readonly TrendPoint[] {
  const { run, startedAt, end } = state;
  const verdict = end?.verdict ?? "unjudged";
  return [...earlier.toReversed(), { run, startedAt, verdict, numbers: numbersOf(state), sameBatch: true }].map(pointOf);
}

function pointOf({ run, startedAt, verdict = "unjudged", numbers = {}, sameBatch }: EarlierRun): TrendPoint {
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
