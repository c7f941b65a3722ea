import type { RunEvent } from "../domain/run/event.ts";
import { type RunState, ticketOf } from "../domain/run/state.ts";
import { errorMessage } from "../domain/values/error-text.ts";
import { plainText } from "../domain/values/text.ts";
import { describeEvents } from "../store/describe-event.ts";
import { formatClock } from "../store/format.ts";
import { ticketLinks, withLinks } from "../store/links.ts";
import { printedLine } from "./links.ts";
import { writeAll } from "./print.ts";

/**
 * Prints a run as it happens, without Ink: one plain line per event that people care about, or every event as JSON. Never throws:
 * an unwritable output (a full disk, for example) stops the printing, not the run.
 */
export function linePrinter(format: "lines" | "json", fd = 1): (event: RunEvent, state: RunState) => void {
  let told = true;
  return (event, state) => {
    const text = told ? (format === "json" ? `${JSON.stringify(event)}\n` : lineOf(event, state)) : undefined;
    if (text === undefined) return;
    try {
      writeAll(fd, text);
    } catch (error) {
      told = false;
      const why = plainText(errorMessage(error));
      writeAll(2, `loopdash: output stopped (${why}); the run continues\n`);
    }
  };
}

function lineOf(event: RunEvent, state: RunState): string | undefined {
  const lines = describeEvents(event, state).map(({ ticket, glyph, text }) => {
    const line = `${formatClock(event.at)}  ${ticket ?? "·"}  ${glyph} ${text}`;
    return `${printedLine(withLinks(line, ticket === undefined ? [] : ticketLinks(state, ticketOf(state, ticket))))}\n`;
  });
  return lines.length === 0 ? undefined : lines.join("");
}
