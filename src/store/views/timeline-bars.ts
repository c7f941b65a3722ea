import type { AttemptOutcome } from "../../domain/run/attempt-fact.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { vecItems } from "../../domain/values/vec.ts";

/** A segment of an attempt: its agent in its slot, or its finish line beside the slots. Times in milliseconds since the epoch. */
export interface TimelineBar {
  readonly slot: number;
  readonly ticket: TicketId;
  readonly n: number;
  readonly part: "agent" | "finish";
  readonly from: number;
  /** Absent while it runs. */
  readonly to?: number;
  /** The outcome of the whole attempt; absent while it runs. */
  readonly outcome?: AttemptOutcome;
}

/** All attempts of a run as segments, in ticket order. */
export function timelineBars(run: RunState): readonly TimelineBar[] {
  return [...vecItems(run.tickets)].flatMap(barsOfTicket);
}

function barsOfTicket({ id: ticket, history, attempt }: TicketState): readonly TimelineBar[] {
  const bars: TimelineBar[] = [];
  for (const { n, slot, startedAt, slotLeftAt, endedAt, outcome } of history) {
    bars.push({ slot, ticket, n, part: "agent", from: startedAt, to: slotLeftAt, outcome });
    if (endedAt > slotLeftAt) bars.push({ slot, ticket, n, part: "finish", from: slotLeftAt, to: endedAt, outcome });
  }
  if (attempt === undefined) return bars;
  const { n, slot, startedAt: from, slotLeftAt: to } = attempt;
  bars.push({ slot, ticket, n, part: "agent", from, ...(to === undefined ? {} : { to }) });
  if (to !== undefined) bars.push({ slot, ticket, n, part: "finish", from: to });
  return bars;
}

/** Makes a reader of a run's bars that returns the same list until one changes: agent output changes none. */
export function keepBars(): (run: RunState | undefined) => readonly TimelineBar[] {
  let kept: readonly TimelineBar[] = [];
  return (run) => {
    const bars = run === undefined ? [] : timelineBars(run);
    if (bars.length !== kept.length || bars.some((bar, i) => !same(bar, kept[i]))) kept = bars;
    return kept;
  };
}

function same(a: TimelineBar, b: TimelineBar | undefined): boolean {
  return (
    b !== undefined &&
    a.ticket === b.ticket &&
    a.n === b.n &&
    a.part === b.part &&
    a.slot === b.slot &&
    a.from === b.from &&
    a.to === b.to &&
    a.outcome === b.outcome
  );
}
