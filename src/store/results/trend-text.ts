import type { TrendPoint } from "../../domain/results/trend.ts";

const BARS = "▁▂▃▄▅▆▇█";

/** The marks of a sparkline for a run that is not complete, and for an unknown number. */
export const NOT_COMPLETE = "×";
export const NOT_KNOWN = "?";

/**
 * One character per run: a bar from nothing to the most of all complete runs. A run that is not complete has no bar, because
 * leaving early keeps every number low.
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
  return `last ${points.length} runs: ${part("interventions", pointInterventions, 0)} · ${part("cost $", pointCostUsd, 2)}${left}`;
}

export const pointInterventions = (point: TrendPoint): number | null => point.interventions;
export const pointCostUsd = (point: TrendPoint): number | null => point.costUsd;
