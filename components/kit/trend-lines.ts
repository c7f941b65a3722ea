import type { TrendPoint } from "../../src/domain/results/trend.ts";
import { formatUsd } from "../../src/store/format.ts";
import type { Tone } from "../../src/store/labels/tone.ts";
import { NOT_COMPLETE, NOT_KNOWN, pointCostUsd, pointInterventions, sparkline } from "../../src/store/results/trend-text.ts";
import { fitTo, textWidth } from "./fit.ts";
import { type Span, type SpanLine, spansWidth } from "./spans.tsx";

const NAME = 15;

/** Interventions and cost over the last runs, oldest first, as bars and as numbers; empty if this is the only run. */
export function trendLines(points: readonly TrendPoint[], width: number): readonly SpanLine[] {
  if (points.length < 2) return [];
  const lines = [
    trendLine("interventions", points, pointInterventions, String, width),
    trendLine("cost", points, pointCostUsd, formatUsd, width),
  ];
  const left = points.every((point) => point.complete) ? "" : `; ${NOT_COMPLETE} and (): not complete, so it says little`;
  return [...lines, [{ text: ` oldest run first${left}`, tone: "waiting" }]];
}

/** As many of the newest numbers as fit, with the count of omitted ones. */
function trendLine(
  name: string,
  points: readonly TrendPoint[],
  options: (point: TrendPoint) => number | null,
  format: (value: number) => string,
  width: number,
): SpanLine {
  const head: SpanLine = [
    { text: ` ${fitTo(name, NAME)}` },
    { text: sparkline(points, options), tone: "running" },
    { text: "  " },
  ];
  const numbers = points.map((point, i): Span => {
    const value = options(point);
    const text = value === null ? NOT_KNOWN : format(value);
    const now = i === points.length - 1;
    const tone: Tone = now ? "plain" : "waiting";
    return { text: `${point.complete ? text : `(${text})`} `, tone, bold: now };
  });
  let shown = numbers.length;
  const left = (): string => (shown < numbers.length ? `… ${numbers.length - shown} more ` : "");
  const used = (): number => spansWidth(head) + textWidth(left()) + spansWidth(numbers.slice(-shown));
  while (shown > 1 && used() > width) shown--;
  return [...head, { text: left(), tone: "waiting" }, ...numbers.slice(-shown)];
}
