import type { RunState } from "../../../src/domain/run/state.ts";
import { vecItems } from "../../../src/domain/values/vec.ts";
import { formatLong } from "../../../src/store/format.ts";
import { shipStyle, shownOutcome } from "../../../src/store/results/timeline-segments.ts";
import { type Bar, paintBars } from "../../kit/bars.ts";
import type { SpanLine } from "../../kit/spans.tsx";

const LABEL_WIDTH = 5;

/**
 * The agents of each slot over time: one line per slot, from left to right over `width` columns. Full bars shipped or landed, dotted ones
 * did not. Empty if there was no attempt.
 */
export function ganttLines(run: RunState, width: number): readonly SpanLine[] {
  const end = run.end?.at ?? run.lastEventAt;
  const room = width - LABEL_WIDTH - 1;
  if (room < 20) return [];
  const column = (at: number): number => Math.round(((at - run.startedAt) / Math.max(1, end - run.startedAt)) * (room - 1));
  const slots = barsBySlot(run, column);
  if (slots.size === 0) return [];
  const painted = [...slots].toSorted(([a], [b]) => a - b).map(([slot, bars]) => ({ slot, ...paintBars(bars, room) }));
  const lines = painted.map(
    ({ slot, spans }): SpanLine => [
      { text: String(slot + 1).padStart(LABEL_WIDTH - 2), tone: "waiting" },
      { text: "  " },
      ...trimmed(spans),
    ],
  );
  const time = formatLong(end - run.startedAt);
  const axis = `${" ".repeat(LABEL_WIDTH)}0${"┄".repeat(Math.max(0, room - 2 - time.length))} ${time}`;
  const counts = painted.some(({ counted }) => counted) ? [COUNTS] : [];
  return [...lines, [{ text: axis, tone: "waiting" }], ...counts];
}

/** Drops empty spans at the end. */
function trimmed(spans: SpanLine): SpanLine {
  return spans.at(-1)?.text.trim() === "" ? spans.slice(0, -1) : spans;
}

const COUNTS: SpanLine = [{ text: `${" ".repeat(LABEL_WIDTH)}a number counts attempts too short to draw`, tone: "waiting" }];

function barsBySlot(run: RunState, column: (at: number) => number): ReadonlyMap<number, readonly Bar[]> {
  const slots = new Map<number, Bar[]>();
  for (const { id, history, phase } of vecItems(run.tickets)) {
    for (const { slot, startedAt, slotLeftAt, outcome } of history) {
      const style = shipStyle(shownOutcome(outcome, phase));
      const bar = { from: column(startedAt), to: column(slotLeftAt), label: id, style };
      slots.set(slot, [...(slots.get(slot) ?? []), bar]);
    }
  }
  return slots;
}
