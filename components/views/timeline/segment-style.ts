import { formatAge } from "../../../src/store/format.ts";
import { BAR_FILLS, BARS, type BarStyle, type ShownEnd } from "../../../src/store/labels/tone.ts";
import type { TimelineBar } from "../../../src/store/views/timeline-bars.ts";
import { type Span, type SpanLine, spansWidth } from "../../kit/spans.tsx";

const BY_OUTCOME: Readonly<Record<ShownEnd, BarStyle>> = {
  done: BARS.shipped,
  landed: BARS.landed,
  planned: BARS.finishing,
  gated: BARS.gated,
  failed: BARS.failed,
  silent: BARS.failed,
  "out-of-time": BARS.failed,
  killed: BARS.killed,
  closed: BARS.cutOff,
  stopped: BARS.cutOff,
  lost: BARS.cutOff,
  "awaits-approval": BARS.awaitsApproval,
  "awaited-approval": BARS.awaitedApproval,
  held: BARS.held,
};

const FINISH_FILL = BAR_FILLS.finishLine;

/** By pattern and tone: the outcome of the attempt, or that it is running. A finish line has a pattern of its own. */
export function segmentStyle({ outcome, part, to }: Pick<TimelineBar, "outcome" | "part" | "to">): BarStyle {
  const running = to === undefined ? BARS.working : BARS.finishing;
  const style = outcome === undefined ? running : BY_OUTCOME[outcome];
  return part === "agent" ? style : { cap: FINISH_FILL, fill: FINISH_FILL, tone: style.tone };
}

/** A sign, its word, and the word where there is little room. */
type LegendEntry = readonly [BarStyle, word: string, short?: string];

const LEGEND: readonly LegendEntry[] = [
  [BARS.working, "at work"],
  [BARS.finishing, "finishing"],
  [BARS.shipped, "shipped"],
  [BARS.gated, "yours"],
  [BARS.failed, "failed"],
  [BARS.killed, "killed"],
  [BARS.cutOff, "cut off", "cut"],
  [BARS.awaitsApproval, "waits"],
];

/** The caps of bars that share their fill with another: a narrow legend shows the cap instead. */
const DISTINCTIVE_CAPS: ReadonlySet<string> = new Set([BARS.gated.cap, BARS.awaitsApproval.cap]);

/** From this many columns on the whole legend fits. */
const WIDE = 130;

/** The facts that a legend explains: the finish line if it is shown, and the length of a column in milliseconds. */
interface LegendOptions {
  readonly finish: boolean;
  readonly ms: number;
}

/**
 * The meanings of the patterns, and the length of a column, a piece each; the finish line if it is shown. `width`: the columns that
 * it has. The shortest words fit 80.
 */
export function legend({ width, ...options }: LegendOptions & { readonly width: number }): readonly SpanLine[] {
  if (width >= WIDE) return wideLegend(options);
  const whole = narrowLegend(options, false);
  return spansWidth(whole.flat()) <= width ? whole : narrowLegend(options, true);
}

function wideLegend({ finish, ms }: LegendOptions): readonly SpanLine[] {
  return [
    [said(` ${formatAge(ms)} a column `)],
    ...LEGEND.map(([{ cap, fill, tone }, word]): SpanLine => [{ text: ` ${cap}${fill}`, tone }, said(` ${word} `)]),
    finish ? [{ text: ` ${FINISH_FILL}` }, said(" finish line ")] : [],
    [{ text: " 3", bold: true }, said(" attempts ")],
  ];
}

function narrowLegend({ finish, ms }: LegendOptions, isShort: boolean): readonly SpanLine[] {
  return [
    [said(` ${formatAge(ms)}/${isShort ? "col" : "column"} `)],
    ...LEGEND.map(([{ cap, fill, tone }, word, short = word]): SpanLine => {
      const sign = DISTINCTIVE_CAPS.has(cap) ? cap : fill;
      return [{ text: ` ${sign}`, tone }, said(isShort ? short : word)];
    }),
    finish ? [{ text: ` ${FINISH_FILL}` }, said(isShort ? "line" : "finish line")] : [],
  ];
}

function said(text: string): Span {
  return { text, tone: "waiting" };
}
