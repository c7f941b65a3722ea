import type { RunEvent } from "../domain/run/event.ts";
import { isOutageEvent } from "../domain/run/reduce-outage.ts";
import type { RunState } from "../domain/run/state.ts";
import { describeEvents, type FeedLine } from "./describe-event.ts";
import { displayText } from "./display-text.ts";
import { outageUnderWay } from "./labels/outage-label.ts";

/** Lines that the event feed keeps. */
export const FEED_LIMIT = 500;

/** The lines of an event for the feed. `state` is the run's after the event. That of an outage can be replaced by `appendLines`. */
export function feedLines(event: RunEvent, state: RunState): readonly FeedLine[] {
  const lines = describeEvents(event, state);
  if (!isOutageEvent(event)) return lines;
  const { what } = event;
  if (event.type === "outage-ended") return lines.map((line) => ({ ...line, outage: { what } }));
  const { nextAt } = event;
  const text = displayText(outageUnderWay(event, state.outages?.[what]?.tries));
  return lines.map((line) => ({ ...line, text, outage: { what, nextAt } }));
}

/**
 * The feed with more lines behind it. An outage has one line: while it lasts, it stays in its place, and each try changes it; its end
 * takes its place at the end of the feed.
 */
export function appendLines(feed: readonly FeedLine[], lines: readonly FeedLine[]): readonly FeedLine[] {
  const all = [...feed];
  for (const line of lines) {
    const at = line.outage === undefined ? -1 : all.findLastIndex(({ outage }) => isUnderWay(outage, line.outage?.what));
    const before = all[at];
    if (before === undefined) all.push(line);
    else if (line.outage?.nextAt !== undefined) all[at] = { ...line, seq: before.seq, at: before.at };
    else {
      all.splice(at, 1);
      all.push(line);
    }
  }
  return all.slice(-FEED_LIMIT);
}

function isUnderWay(outage: FeedLine["outage"], what: string | undefined): boolean {
  return outage?.nextAt !== undefined && outage.what === what;
}
