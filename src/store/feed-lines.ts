import type { RunEvent } from "../domain/run/event.ts";
import { isOutageEvent } from "../domain/run/reduce-outage.ts";
import type { RunState } from "../domain/run/state.ts";
import { describeEvents, type FeedLine } from "./describe-event.ts";
import { displayText } from "./format.ts";
import { outageUnderWay } from "./labels/progress-label.ts";

/** Lines that the event feed keeps. */
export const FEED_LIMIT = 500;

/** The lines of an event for the feed. `state` is the run's after the event. That of an outage can be replaced by `appendLines`. */
export function feedLines(event: RunEvent, state: RunState): readonly FeedLine[] {
  const lines = describeEvents(event, state);
  if (event.type === "oracle-judged")
    return lines.map((line) => ({ ...line, judgement: { text: line.text, isUnjudged: event.judgement.verdict === "unjudged" } }));
  if (!isOutageEvent(event)) return lines;
  const { what } = event;
  if (event.type === "outage-ended") return lines.map((line) => ({ ...line, outage: { what } }));
  const { nextAt } = event;
  const text = displayText(outageUnderWay(event, state.outages?.[what]?.tries));
  return lines.map((line) => ({ ...line, text, outage: { what, nextAt } }));
}

/**
 * The feed with more lines behind it. An outage has one line: while it lasts, it stays in its place, and each try changes it; its end
 * takes its place at the end of the feed. Judgements that fail for the same reason, one after the other, have one line, too.
 */
export function appendLines(feed: readonly FeedLine[], lines: readonly FeedLine[]): readonly FeedLine[] {
  const all = [...feed];
  for (const line of lines) {
    const at = replacedLineIndex(line, all);
    const before = all[at];
    if (before === undefined) all.push(line);
    else if (line.outage !== undefined && line.outage.nextAt === undefined) {
      all.splice(at, 1);
      all.push(line);
    } else all[at] = { ...(line.judgement === undefined ? line : oneMore(before)), seq: before.seq, at: before.at };
  }
  return all.slice(-FEED_LIMIT);
}

/** The index of the line that another one replaces; -1 if it is a line of its own. */
function replacedLineIndex({ outage, judgement }: FeedLine, all: readonly FeedLine[]): number {
  if (outage !== undefined) return all.findLastIndex((line) => isUnderWay(line.outage, outage.what));
  if (judgement?.isUnjudged !== true) return -1;
  const last = all.findLastIndex((line) => line.judgement !== undefined);
  return all[last]?.judgement?.text === judgement.text ? last : -1;
}

/** The line of a judgement that failed once more for the same reason. */
function oneMore(line: FeedLine): FeedLine {
  const { judgement } = line;
  if (judgement === undefined) return line;
  const times = (judgement.times ?? 1) + 1;
  return { ...line, text: `${times} times: ${judgement.text}`, judgement: { ...judgement, times } };
}

function isUnderWay(outage: FeedLine["outage"], what: string | undefined): boolean {
  return outage?.nextAt !== undefined && outage.what === what;
}
