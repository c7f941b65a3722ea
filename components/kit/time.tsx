import { memo, type ReactNode } from "react";
import { formatAge, formatElapsed, formatLeft, formatLong } from "../../src/store/format.ts";
import type { Tone } from "../../src/store/labels/tone.ts";
import { useDashboard } from "./dashboard-context.ts";
import { fitTo } from "./fit.ts";
import { Say, type Span, type TimedSpan } from "./spans.tsx";

const FORMATS = { elapsed: formatElapsed, long: formatLong, age: formatAge, left: formatLeft } as const;

/** The time since `since` (or until it, if `until` is set), in exactly `width` columns. */
interface TimeProps {
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
export function timeSpan(options: TimeProps): TimedSpan {
  return (now) => spanAt(options, now);
}

function spanAt(options: TimeProps, now: number): Span {
  const ms = (options.stop ?? now) - options.since;
  const text = FORMATS[options.format](options.until === true ? -ms : ms);
  return {
    text: fitTo(`${options.prefix ?? ""}${text}${options.suffix ?? ""}`, options.width, options.align ?? "right"),
    tone: toneAt(ms, options.warn, options.tone ?? "plain"),
    bold: options.bold ?? false,
  };
}

/** A time among other texts. A tick redraws only it, and only if its text changes. */
export const Time = memo(function Time(options: TimeProps): ReactNode {
  const text = useDashboard((s) => spanAt(options, s.now).text);
  const tone = useDashboard((s) => spanAt(options, s.now).tone ?? "plain");
  return (
    <Say tone={tone} bold={options.bold ?? false}>
      {text}
    </Say>
  );
});

function toneAt(ms: number, warn: readonly [number, number] | undefined, otherwise: Tone): Tone {
  if (warn === undefined || ms < warn[0]) return otherwise;
  return ms < warn[1] ? "plain" : "bad";
}
