import { memo, type ReactNode } from "react";
import { formatAge, formatElapsed, formatLeft, formatLong } from "../../src/store/format.ts";
import type { Tone } from "../../src/store/labels/tone.ts";
import { useDashboard } from "./dashboard-context.ts";
import { fitTo } from "./fit.ts";
import type { Span, TimedSpan } from "./spans.tsx";
import { Say } from "./text.tsx";

const FORMATS = { elapsed: formatElapsed, long: formatLong, age: formatAge, left: formatLeft } as const;

/** The time since `since` (or until it, if `until` is set), in exactly `width` columns. */
interface TimeOf {
  readonly since: number;
  readonly until?: boolean;
  /** The time at which the clock stops: the end of the measured time. */
  readonly stop?: number | undefined;
  readonly format: keyof typeof FORMATS;
  readonly width: number;
  readonly align?: "left" | "right";
  readonly prefix?: string;
  readonly suffix?: string;
  readonly tone?: Tone;
  readonly bold?: boolean;
  /** Milliseconds from which on it is bright, and from which on bad. */
  readonly warn?: readonly [number, number];
}

/** A time as a span of a line that follows the clock. */
export function timeSpan(timeOf: TimeOf): TimedSpan {
  return (now) => spanAt(timeOf, now);
}

function spanAt(timeOf: TimeOf, now: number): Span {
  const ms = (timeOf.stop ?? now) - timeOf.since;
  const text = FORMATS[timeOf.format](timeOf.until === true ? -ms : ms);
  return {
    text: fitTo(`${timeOf.prefix ?? ""}${text}${timeOf.suffix ?? ""}`, timeOf.width, timeOf.align ?? "right"),
    tone: toneAt(ms, timeOf.warn, timeOf.tone ?? "plain"),
    bold: timeOf.bold ?? false,
  };
}

/** A time among other texts. A tick redraws only it, and only if its text changes. */
export const Time = memo(function Time(timeOf: TimeOf): ReactNode {
  const text = useDashboard((s) => spanAt(timeOf, s.now).text);
  const tone = useDashboard((s) => spanAt(timeOf, s.now).tone ?? "plain");
  return (
    <Say tone={tone} bold={timeOf.bold ?? false}>
      {text}
    </Say>
  );
});

function toneAt(ms: number, warn: readonly [number, number] | undefined, otherwise: Tone): Tone {
  if (warn === undefined || ms < warn[0]) return otherwise;
  return ms < warn[1] ? "plain" : "bad";
}
