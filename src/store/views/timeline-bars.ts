import type { RunState } from "../../domain/run/state.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { vecItems } from "../../domain/values/vec.ts";
import { attemptEnd, type ShownEnd } from "../labels/tone.ts";

/** A segment of an attempt: its agent in its slot, or its finish line beside the slots. Times in milliseconds since the epoch. */
export interface TimelineBar {
  readonly slot: number;
  readonly ticket: TicketId;
  readonly n: number;
  readonly part: "agent" | "finish";
  readonly from: number;
  /** Absent while it runs. */
  readonly to?: number;
  /** The end of the whole attempt; absent while it runs. */
  readonly outcome?: ShownEnd;
}

/** All attempts of a run as segments, in ticket order. */
export function timelineBars(run: RunState): readonly TimelineBar[] {
  const heldSince = run.outages?.journal?.since;
  return [...vecItems(run.tickets)].flatMap((ticket) => barsOfTicket(ticket, heldSince));
}

/** `heldSince`: the time since when nothing runs, in milliseconds since the epoch. */
function barsOfTicket(of: TicketState, heldSince: number | undefined): readonly TimelineBar[] {
  const { id: ticket, history, attempt } = of;
  const bars: TimelineBar[] = [];
  for (const past of history) {
    const { n, slot, startedAt, slotLeftAt, endedAt } = past;
    const outcome = attemptEnd(of, past);
    bars.push({ slot, ticket, n, part: "agent", from: startedAt, to: slotLeftAt, outcome });
    if (endedAt > slotLeftAt) bars.push({ slot, ticket, n, part: "finish", from: slotLeftAt, to: endedAt, outcome });
  }
  if (attempt === undefined) return bars;
  const { n, slot, startedAt: from, slotLeftAt } = attempt;
  const held = heldSince === undefined ? {} : ({ to: heldSince, outcome: "held" } as const);
  bars.push({ slot, ticket, n, part: "agent", from, ...held, ...(slotLeftAt === undefined ? {} : { to: slotLeftAt }) });
  if (slotLeftAt !== undefined) bars.push({ slot, ticket, n, part: "finish", from: slotLeftAt, ...held });
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
