import type { RunState } from "../../domain/run/state.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { formatDuration } from "../../domain/values/time.ts";
import { vecItems } from "../../domain/values/vec.ts";
import { attemptEnd, BAR_FILLS, BARS, type BarStyle, type ShownEnd } from "../labels/tone.ts";

/** One attempt in its slot. Times in milliseconds since the epoch. */
export interface TimelineSegment {
  readonly ticket: TicketId;
  readonly n: number;
  readonly from: number;
  /** The time at which its agent left the slot. The finish line runs beside the slots. */
  readonly slotLeftAt: number;
  readonly to: number;
  /** Absent while the attempt runs. */
  readonly outcome?: ShownEnd;
}

export interface TimelineRow {
  readonly slot: number;
  /** In the order of their start. */
  readonly bars: readonly TimelineSegment[];
}

/** The span of the run so far, in milliseconds since the epoch. */
export function runSpan(state: RunState): { readonly from: number; readonly to: number } {
  return { from: state.startedAt, to: Math.max(state.startedAt + 1, state.end?.at ?? state.lastEventAt) };
}

/** The attempts of each slot, running ones included. Slots in which nothing started are left out. */
export function timelineRows(state: RunState): readonly TimelineRow[] {
  const { to } = runSpan(state);
  const slots = new Map<number, TimelineSegment[]>();
  for (const ticket of vecItems(state.tickets)) {
    for (const { slot, ...bar } of ticketSegments(ticket, to)) slots.set(slot, [...(slots.get(slot) ?? []), bar]);
  }
  return [...slots]
    .toSorted(([a], [b]) => a - b)
    .map(([slot, bars]) => ({ slot, bars: bars.toSorted((a, b) => a.from - b.from) }));
}

function ticketSegments(ticket: TicketState, now: number): readonly (TimelineSegment & { readonly slot: number })[] {
  const { id, history, attempt, phase } = ticket;
  const past = history.map((one) => ({
    ...{ ticket: id, slot: one.slot, n: one.n },
    ...{ from: one.startedAt, slotLeftAt: one.slotLeftAt, to: one.endedAt },
    outcome: shownOutcome(attemptEnd(ticket, one), phase),
  }));
  if (attempt === undefined) return past;
  const { slot, n, startedAt, slotLeftAt = now } = attempt;
  return [...past, { ticket: id, slot, n, from: startedAt, slotLeftAt, to: now }];
}

/** The end of an attempt as it has turned out: what landed and has become live since has shipped. */
export function shownOutcome(outcome: ShownEnd, phase: TicketState["phase"]): ShownEnd {
  return outcome === "landed" && phase === "done" ? "done" : outcome;
}

/** The bar of an ended attempt where only what shipped and what landed is told apart. */
export function shipStyle(outcome: ShownEnd): BarStyle {
  if (outcome === "done") return BARS.shipped;
  return outcome === "landed" ? BARS.landed : BARS.notShipped;
}

/** The segments as plain text of at most `width` characters, with a legend. Empty if there was no attempt. */
export function slotText(state: RunState, width: number): readonly string[] {
  const rows = timelineRows(state);
  if (rows.length === 0) return [];
  const { from, to } = runSpan(state);
  const room = width - LABEL;
  const column = (at: number): number => Math.min(room - 1, Math.round(((at - from) / (to - from)) * (room - 1)));
  const time = formatDuration(to - from);
  const legend = formatLegend(rows.flatMap(({ bars }) => bars));
  return [
    ...rows.map(({ slot, bars }) => `${String(slot + 1).padStart(LABEL - 2)}  ${rowText(bars, column)}`.trimEnd()),
    `${" ".repeat(LABEL)}0${"┄".repeat(Math.max(0, room - 2 - time.length))} ${time}`,
    ...(legend.length > room ? [] : [`${" ".repeat(LABEL)}${legend}`]),
  ];
}

/** The meaning of the bars that there are. */
function formatLegend(bars: readonly TimelineSegment[]): string {
  const outcomes = new Set(bars.map(({ outcome }) => outcome));
  const isNotShipped = [...outcomes].some((each) => each !== undefined && each !== "done" && each !== "landed");
  return [
    ...(outcomes.has("done") ? [`${BARS.shipped.fill} shipped`] : []),
    ...(outcomes.has("landed") ? [`${BARS.landed.cap} landed, not live`] : []),
    ...(isNotShipped ? [`${BARS.notShipped.fill} not shipped`] : []),
    ...(outcomes.has(undefined) ? [`${BAR_FILLS.running} running`] : []),
  ].join("  ");
}

/** Columns before the segments: the slot's number and two spaces. */
const LABEL = 5;

function rowText(bars: readonly TimelineSegment[], column: (at: number) => number): string {
  let text = "";
  for (const { ticket, from, slotLeftAt, outcome } of bars) {
    const start = Math.max(text.length, column(from));
    const length = Math.max(1, column(slotLeftAt) - start);
    const fill = outcome === undefined ? BAR_FILLS.running : shipStyle(outcome).fill;
    const cap = outcome === "landed" ? BARS.landed.cap : fill;
    const label = length >= ticket.length + 2 ? `${cap}${ticket}` : cap;
    text = text.padEnd(start) + label + fill.repeat(length - label.length);
  }
  return text;
}
