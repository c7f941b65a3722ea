import { formatAge } from "../../../src/store/format.ts";
import type { AttemptEnd } from "../../../src/store/labels/outcome-label.ts";
import { BAR_FILLS, BARS, type BarStyle } from "../../../src/store/labels/tone.ts";
import type { TimelineBar } from "../../../src/store/views/timeline-bars.ts";
import type { SpanLine } from "../../kit/spans.tsx";

const BY_OUTCOME: Readonly<Record<AttemptEnd, BarStyle>> = {
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

const LEGEND: readonly (readonly [BarStyle, word: string])[] = [
  [BARS.working, "at work"],
  [BARS.finishing, "finishing"],
  [BARS.shipped, "shipped"],
  [BARS.gated, "yours"],
  [BARS.failed, "failed"],
  [BARS.killed, "killed"],
  [BARS.cutOff, "cut off"],
  [BARS.awaitsApproval, "waits"],
];

/** The caps of bars that share their fill with another: a narrow legend shows the cap instead. */
const DISTINCTIVE_CAPS: ReadonlySet<string> = new Set([BARS.gated.cap, BARS.awaitsApproval.cap]);

/** From this many columns on the whole legend fits. */
const WIDE = 130;

/** The meanings of the patterns, and the length of a column (milliseconds), a piece each; the finish line if it is shown. */
export function legend(options: { readonly finish: boolean; readonly width: number; readonly ms: number }): readonly SpanLine[] {
  const wide = options.width >= WIDE;
  const gap = wide ? " " : "";
  const word = (text: string) => ({ text: `${gap}${text}${gap}`, tone: "waiting" as const });
  const parts = LEGEND.map(([{ cap, fill, tone }, text]): SpanLine => {
    const sign = ` ${wide ? cap : ""}${DISTINCTIVE_CAPS.has(cap) && !wide ? cap : fill}`;
    return [{ text: sign, tone }, word(text)];
  });
  const finish: SpanLine = options.finish ? [{ text: ` ${FINISH_FILL}` }, word("finish line")] : [];
  const count: SpanLine = wide ? [{ text: " 3", bold: true }, word("attempts")] : [];
  return [[{ text: ` ${formatAge(options.ms)}${wide ? " a column" : "/column"} `, tone: "waiting" }], ...parts, finish, count];
}
