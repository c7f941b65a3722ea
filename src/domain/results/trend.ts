import type { VerdictWord } from "../run/event.ts";
import type { RunState } from "../run/state.ts";
import { vecItems } from "../values/vec.ts";
import { ledgerOf } from "./ledger.ts";

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

/** The trend, oldest first: the earlier runs (given newest first) and then this one. */
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

const BARS = "▁▂▃▄▅▆▇█";

/** Characters of a sparkline for an incomplete run, and for an unknown number. */
export const NOT_COMPLETE = "×";
export const NOT_KNOWN = "?";

/**
 * One character per run: a bar between 0 and the maximum of all complete runs. An incomplete run has no bar, because leaving
 * early keeps every number low.
 */
export function sparkline(points: readonly TrendPoint[], options: (point: TrendPoint) => number | null): string {
  const known = points.flatMap((point) => (point.complete ? [options(point) ?? 0] : []));
  const most = Math.max(1e-9, ...known);
  return points
    .map((point) => {
      const value = options(point);
      if (!point.complete) return NOT_COMPLETE;
      return value === null ? NOT_KNOWN : (BARS[Math.round((value / most) * (BARS.length - 1))] ?? NOT_KNOWN);
    })
    .join("");
}

/** The trend in one line for people, or undefined if there are no earlier runs: `interventions ▇▅× 7 5 (1) · cost …`. */
export function trendLine(points: readonly TrendPoint[]): string | undefined {
  if (points.length < 2) return undefined;
  const number = (value: number | null, point: TrendPoint, digits: number) => {
    const text = value === null ? NOT_KNOWN : value.toFixed(digits);
    return point.complete ? text : `(${text})`;
  };
  const part = (name: string, options: (point: TrendPoint) => number | null, digits: number) =>
    `${name} ${sparkline(points, options)}  ${points.map((point) => number(options(point), point, digits)).join(" ")}`;
  const left = points.some((point) => !point.complete) ? ` · ${NOT_COMPLETE} and (): not complete` : "";
  return `last ${points.length} runs: ${part("interventions", interventionsOf, 0)} · ${part("cost $", costOf, 2)}${left}`;
}

export const interventionsOf = (point: TrendPoint): number | null => point.interventions;
export const costOf = (point: TrendPoint): number | null => point.costUsd;
