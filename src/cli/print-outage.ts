import type { Outage } from "../domain/run/outage-fact.ts";
import { errorMessage, plainText } from "../domain/values/text.ts";
import { formatClock, formatElapsed } from "../store/format.ts";
import { STYLES } from "../store/labels/tone.ts";
import { writeAll } from "./print.ts";

/**
 * An outage of the journal as a line, because no event tells of it: the reason, its begin, the next try, and the time of giving
 * up.
 */
export function journalOutageLine({ since, why, nextAt, until }: Outage, now: number): string {
  const waits = `next try in ${formatElapsed(Math.round((nextAt - now) / 1_000) * 1_000)}, gives up at ${formatClock(until)}`;
  const what = `the engine has been waiting since ${formatClock(since)}: ${plainText(why)}`;
  return `${formatClock(now)}  ·  ${STYLES.heldUp.glyph} ${what}; no agent is at work; ${waits}\n`;
}

/** Prints that line. Never throws. */
export function printJournalOutage(outage: Outage, fd: 1 | 2): void {
  try {
    writeAll(fd, journalOutageLine(outage, Date.now()));
  } catch (error) {
    process.emitWarning(`output stopped: ${errorMessage(error)}`);
  }
}
