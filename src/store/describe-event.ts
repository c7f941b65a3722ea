import type { RunEvent } from "../domain/run/event.ts";
import type { RunState } from "../domain/run/state.ts";
import type { TicketId } from "../domain/values/ids.ts";
import { EVENT_LABELS } from "./event-labels.ts";
import { displayText } from "./format.ts";
import { baseLabels } from "./labels/base-label.ts";
import type { EventLabel, Tone } from "./labels/tone.ts";

/** One line of the event feed. `text` is safe to draw; `seq` names the line. */
export interface FeedLine {
  readonly seq: number;
  readonly at: number;
  readonly glyph: string;
  readonly text: string;
  readonly tone: Tone;
  readonly ticket?: TicketId;
}

/**
 * The lines of an event: its own, the reason of a preparation, and one if it broke a base or repaired it. Empty for progress that
 * the rows show anyway.
 */
export function describeEvents(event: RunEvent, state: RunState): readonly FeedLine[] {
  const own = describeEvent(event, state);
  const { seq, at } = event;
  const bases = baseLabels(event, state).map(([style, text]) => ({ seq: seq + 0.5, at, ...style, text: displayText(text) }));
  if (own === undefined) return bases;
  // Both would not fit into 80 columns.
  const why =
    event.type === "prepared" && event.why ? [{ ...own, seq: seq + 0.5, text: displayText(`because ${event.why}`) }] : [];
  return [own, ...why, ...bases];
}

/** Describes an event in a few words. Undefined if it is not worth a line: progress that the rows show anyway. */
export function describeEvent(event: RunEvent, state: RunState): FeedLine | undefined {
  const label = (EVENT_LABELS[event.type] as (event: RunEvent, state: RunState) => EventLabel | undefined)(event, state);
  if (label === undefined) return undefined;
  const [{ glyph, tone }, text] = label;
  const base = { seq: event.seq, at: event.at, glyph, tone, text: displayText(text) };
  return "ticket" in event ? { ...base, ticket: event.ticket } : base;
}
