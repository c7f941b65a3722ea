import { memo, type ReactNode } from "react";
import { formatAge, formatElapsed, formatLong } from "../src/store/format.ts";
import type { Tone } from "../src/store/tone.ts";
import { useDashboard } from "./dashboard-context.ts";
import { fitTo } from "./fit.ts";
import { Say } from "./text.tsx";

const FORMATS = { elapsed: formatElapsed, long: formatLong, age: formatAge } as const;

/**
 * The time since `since` (or until it, where `until` is set), in exactly `width` columns. The only kind of view that the
 * tick of the clock touches, and only when its text changes.
 */
export const Time = memo(function Time(of: {
  readonly since: number;
  readonly until?: boolean;
  /** Where time stands still: the end of what is measured. */
  readonly stop?: number | undefined;
  readonly format: keyof typeof FORMATS;
  readonly width: number;
  readonly align?: "left" | "right";
  readonly prefix?: string;
  readonly suffix?: string;
  readonly tone?: Tone;
  readonly bold?: boolean;
  /** From this many milliseconds on it is bright, from the next on bad. */
  readonly warn?: readonly [number, number];
}): ReactNode {
  const ms = (now: number): number => (of.stop ?? now) - of.since;
  const text = useDashboard((s) => FORMATS[of.format](of.until === true ? -ms(s.now) : ms(s.now)));
  const tone = useDashboard((s) => toneAt(ms(s.now), of.warn, of.tone ?? "plain"));
  return (
    <Say tone={tone} bold={of.bold ?? false}>
      {fitTo(`${of.prefix ?? ""}${text}${of.suffix ?? ""}`, of.width, of.align ?? "right")}
    </Say>
  );
});

function toneAt(ms: number, warn: readonly [number, number] | undefined, otherwise: Tone): Tone {
  if (warn === undefined || ms < warn[0]) return otherwise;
  return ms < warn[1] ? "plain" : "bad";
}
