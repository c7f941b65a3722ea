import type { AttemptOutcome } from "../../../src/domain/run/attempt-fact.ts";
import { formatAge } from "../../../src/store/format.ts";
import { STYLES } from "../../../src/store/labels/tone.ts";
import type { TimelineBar } from "../../../src/store/views/timeline-bars.ts";
import { type BarStyle, SHIPPED_BAR } from "../../kit/bars.ts";
import type { SpanLine } from "../../kit/spans.tsx";

const GATED: BarStyle = { cap: STYLES.needsYou.glyph, fill: "━", tone: STYLES.needsYou.tone };
const FAILED: BarStyle = { cap: "×", fill: "×", tone: STYLES.failed.tone };
const KILLED: BarStyle = { cap: "■", fill: "■", tone: "bad" };
const CUT_OFF: BarStyle = { cap: "·", fill: "·", tone: STYLES.cutOff.tone };
const AT_WORK: BarStyle = { cap: "▸", fill: "▸", tone: "running" };
/** Its agent has ended, and its work is not judged yet. */
const UNJUDGED: BarStyle = { cap: "▸", fill: "─", tone: "running" };

const BY_OUTCOME: Readonly<Record<AttemptOutcome, BarStyle>> = {
  done: SHIPPED_BAR,
  gated: GATED,
  failed: FAILED,
  silent: FAILED,
  "out-of-time": FAILED,
  killed: KILLED,
  closed: CUT_OFF,
  stopped: CUT_OFF,
  lost: CUT_OFF,
};

const FINISH_FILL = "░";

/** By pattern and tone: the outcome of the attempt, or that it is running. A finish line has a pattern of its own. */
export function segmentStyle({ outcome, part, to }: Pick<TimelineBar, "outcome" | "part" | "to">): BarStyle {
  const running = to === undefined ? AT_WORK : UNJUDGED;
  const style = outcome === undefined ? running : BY_OUTCOME[outcome];
  return part === "agent" ? style : { cap: FINISH_FILL, fill: FINISH_FILL, tone: style.tone };
}

const LEGEND: readonly (readonly [BarStyle, word: string])[] = [
  [AT_WORK, "at work"],
  [UNJUDGED, "finishing"],
  [SHIPPED_BAR, "shipped"],
  [GATED, "yours"],
  [FAILED, "failed"],
  [KILLED, "killed"],
  [CUT_OFF, "cut off"],
];

/** From this many columns on the whole legend fits. */
const WIDE = 120;

/** The meanings of the patterns, and the length of a column (milliseconds), a piece each; the finish line if it is shown. */
export function legend(options: { readonly finish: boolean; readonly width: number; readonly ms: number }): readonly SpanLine[] {
  const wide = options.width >= WIDE;
  const gap = wide ? " " : "";
  const word = (text: string) => ({ text: `${gap}${text}${gap}`, tone: "waiting" as const });
  const parts = LEGEND.map(([{ cap, fill, tone }, text]): SpanLine => {
    const sign = ` ${wide ? cap : ""}${cap === GATED.cap && !wide ? cap : fill}`;
    return [{ text: sign, tone }, word(text)];
  });
  const finish: SpanLine = options.finish ? [{ text: ` ${FINISH_FILL}` }, word("finish line")] : [];
  const count: SpanLine = wide ? [{ text: " 3", bold: true }, word("attempts")] : [];
  return [[{ text: ` ${formatAge(options.ms)}${wide ? " a column" : "/column"} `, tone: "waiting" }], ...parts, finish, count];
}
