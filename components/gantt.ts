import type { RunState } from "../src/domain/state.ts";
import { vecItems } from "../src/domain/vec.ts";
import { formatLong } from "../src/store/format.ts";
import type { Tone } from "../src/store/tone.ts";
import { widthOf } from "./fit.ts";
import type { Span, SpanLine } from "./spans.tsx";

interface Bar {
  readonly slot: number;
  readonly from: number;
  readonly to: number;
  readonly label: string;
  readonly shipped: boolean;
}

const LABEL_WIDTH = 5;

/**
 * Whose agent worked in which slot when: one line per slot, time from left to right over `width` columns. Full bars shipped,
 * dotted ones did not. Empty where nothing was tried.
 */
export function ganttLines(run: RunState, width: number): readonly SpanLine[] {
  const bars = barsOf(run);
  const end = run.end?.at ?? run.lastEventAt;
  const room = width - LABEL_WIDTH - 1;
  if (bars.length === 0 || room < 20) return [];
  const column = (at: number): number => Math.round(((at - run.startedAt) / Math.max(1, end - run.startedAt)) * (room - 1));
  const slots = [...new Set(bars.map((bar) => bar.slot))].toSorted((a, b) => a - b);
  const lines = slots.map((slot): SpanLine => {
    const own = bars.filter((bar) => bar.slot === slot).toSorted((a, b) => a.from - b.from);
    return [{ text: String(slot + 1).padStart(LABEL_WIDTH - 2), tone: "waiting" }, { text: "  " }, ...slotSpans(own, column)];
  });
  const time = formatLong(end - run.startedAt);
  const axis = `${" ".repeat(LABEL_WIDTH)}0${"┄".repeat(Math.max(0, room - 2 - time.length))} ${time}`;
  return [...lines, [{ text: axis, tone: "waiting" }]];
}

function barsOf(run: RunState): readonly Bar[] {
  return [...vecItems(run.tickets)].flatMap((ticket) =>
    ticket.history.map((past) => ({
      slot: past.slot,
      from: past.startedAt,
      to: past.slotLeftAt,
      label: ticket.id,
      shipped: past.outcome === "done",
    })),
  );
}

function slotSpans(bars: readonly Bar[], column: (at: number) => number): readonly Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const bar of bars) {
    const from = Math.max(at, column(bar.from));
    const length = Math.max(1, column(bar.to) - from);
    if (from > at) spans.push({ text: " ".repeat(from - at) });
    const tone: Tone = bar.shipped ? "good" : "bad";
    const [first, fill] = bar.shipped ? ["┣", "━"] : ["┋", "┅"];
    const label = length >= widthOf(bar.label) + 2 ? bar.label : "";
    const text = length === 1 ? fill : `${first}${label}${fill.repeat(length - 1 - widthOf(label))}`;
    spans.push({ text, tone });
    at = from + length;
  }
  return spans;
}
