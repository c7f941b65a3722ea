import type { RunEvent } from "../domain/run/event.ts";
import { type RunState, ticketById } from "../domain/run/state.ts";
import { errorMessage, jsonText, plainText } from "../domain/values/text.ts";
import type { Clock } from "../ports/clock.ts";
import { describeEvents } from "../store/describe-event.ts";
import { formatClock, formatStopwatch } from "../store/format.ts";
import { lastingWork } from "../store/labels/progress-label.ts";
import { STYLES } from "../store/labels/tone.ts";
import { ticketLinks, withLinks } from "../store/links.ts";
import { printedLine } from "./links.ts";
import { writeAll } from "./print.ts";

/**
 * Prints a run as it happens, without Ink: one plain line per event that people care about, or every event as JSON. Never throws:
 * an unwritable output (a full disk, for example) stops the printing, not the run.
 */
export function linePrinter(format: "lines" | "json", fd = 1): (event: RunEvent, state: RunState) => void {
  const write = untilItFails(fd);
  return (event, state) => {
    const text = format === "json" ? jsonText(event) : lineOf(event, state);
    if (text !== undefined) write(text);
  };
}

/** Writes texts until one of them cannot be written, which stderr tells. */
function untilItFails(fd: number): (text: string) => void {
  let isOpen = true;
  return (text) => {
    if (!isOpen) return;
    try {
      writeAll(fd, text);
    } catch (error) {
      isOpen = false;
      const why = plainText(errorMessage(error));
      writeAll(2, `loopdash: output stopped (${why}); the run continues\n`);
    }
  };
}

/** The time after which a run without news says what lasts. Milliseconds. */
const QUIET_MS = 30_000;

/** Prints lines of a run, and what lasts while there is nothing else to print. */
export interface LastingPrinter {
  readonly print: (event: RunEvent, state: RunState) => void;
  /** Ends the lines about what lasts. */
  readonly stop: () => void;
}

/**
 * Prints a run as lines. While a check, a proof or a wait lasts and nothing happens that has a line, one line every 30 s says so. It
 * comes from the state and the clock: no event tells of it. `state`: undefined before it is known.
 */
export function lastingPrinter(
  state: () => RunState | undefined,
  { clock, fd = 1 }: { clock: Clock; fd?: number },
): LastingPrinter {
  const write = untilItFails(fd);
  let toldAt = clock.now();
  let cancel: () => void;
  const wait = (): void => {
    cancel = clock.after(QUIET_MS, () => {
      const line = lastingLine(state(), { toldAt, now: clock.now() });
      if (line !== undefined) write(line);
      wait();
    });
  };
  wait();
  return {
    print: (event, after) => {
      const text = lineOf(event, after);
      if (text === undefined) return;
      write(text);
      toldAt = clock.now();
      cancel();
      wait();
    },
    stop: () => cancel(),
  };
}

/** `15:27:13  ·  · waiting 2:00: S-0 check tests 0:31 of about 0:42`; undefined if nothing lasts. */
function lastingLine(
  state: RunState | undefined,
  { toldAt, now }: { readonly toldAt: number; readonly now: number },
): string | undefined {
  const lasting = state === undefined || state.end !== undefined ? undefined : lastingWork(state, now);
  if (lasting === undefined) return undefined;
  return `${formatClock(now)}  ·  ${STYLES.waits.glyph} waiting ${formatStopwatch(now - toldAt)}: ${plainText(lasting)}\n`;
}

function lineOf(event: RunEvent, state: RunState): string | undefined {
  const lines = describeEvents(event, state).map(({ ticket, glyph, text }) => {
    const line = `${formatClock(event.at)}  ${ticket ?? "·"}  ${glyph} ${text}`;
    return `${printedLine(withLinks(line, ticket === undefined ? [] : ticketLinks(state, ticketById(state, ticket))))}\n`;
  });
  return lines.length === 0 ? undefined : lines.join("");
}
