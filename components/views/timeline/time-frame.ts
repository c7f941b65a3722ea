import { formatClock, formatDay, formatMinute } from "../../../src/store/format.ts";
import type { TimelineUi } from "../../../src/store/views/timeline.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Distances of marks on the axis. Milliseconds. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12, 24, 168].map((n) => n * HOUR),
] as const;
const LONGEST = 168 * HOUR;

/** The mapping of times to columns: `start` is the time of the first, `ms` the length of each, `now` the present one. */
export interface TimeFrame {
  readonly start: number;
  readonly ms: number;
  readonly columns: number;
  readonly now: number;
}

/** The length of a column grows by this factor: it stays for a while, and the run always takes more than nine tenths of the width. */
const GROWTH = 1.08;

/**
 * The time shown over so many columns. Without zoom it is the whole run. With zoom, each step halves it: it is the page with the
 * present, turned by a quarter at a time, or the page that a person has moved to.
 */
export function timeFrame(options: {
  readonly startedAt: number;
  readonly until: number;
  readonly columns: number;
  readonly ui: Pick<TimelineUi, "zoom" | "end">;
}): TimeFrame {
  const { startedAt, until, ui } = options;
  const columns = Math.max(2, options.columns);
  const least = Math.max(SECOND, until - startedAt) / (columns - 1);
  const ms = GROWTH ** Math.ceil(Math.log(least) / Math.log(GROWTH)) / 2 ** ui.zoom;
  const present = timeColumn(until, startedAt, ms);
  const quarter = Math.max(1, Math.floor(columns / 4));
  const turned = Math.max(0, Math.ceil((present + 1 - columns) / quarter) * quarter);
  const latest = startedAt + turned * ms;
  const start = ui.end === undefined ? latest : Math.min(latest, Math.max(startedAt, ui.end - columns * ms));
  return { start, ms, columns, now: timeColumn(until, start, ms) };
}

/** The column of a time, possibly out of sight. */
export function timeColumn(at: number, start: number, ms: number): number {
  return Math.floor((at - start) / ms);
}

/** A mark on the axis. */
interface Tick {
  readonly column: number;
  readonly label: string;
}

/** Room for a label, its line and a gap. */
const LABEL_ROOM = 11;

/** Marks on full steps of the local clock, as close as their labels allow. */
export function axisTicks({ start, ms, columns }: TimeFrame): readonly Tick[] {
  const least = LABEL_ROOM * ms;
  const step = STEPS.find((each) => each >= least) ?? Math.ceil(least / LONGEST) * LONGEST;
  const offset = new Date(start).getTimezoneOffset() * MINUTE;
  const first = Math.ceil((start - offset) / step) * step + offset;
  const ticks: Tick[] = [];
  for (let at = first; timeColumn(at, start, ms) < columns; at += step)
    ticks.push({ column: timeColumn(at, start, ms), label: formatTick(at, step) });
  return ticks;
}

const MIDNIGHT = "00:00:00";

/** The local time of a mark; at midnight the day. */
function formatTick(at: number, step: number): string {
  if (step >= 24 * HOUR || formatClock(at) === MIDNIGHT) return formatDay(at);
  return step < MINUTE ? formatClock(at) : formatMinute(at);
}
