import type { RunEvent } from "../domain/event.ts";
import type { RunState } from "../domain/state.ts";
import { describeEvent } from "../store/describe-event.ts";
import { writeAll } from "./print.ts";

/** Prints a run as it happens, without Ink: one plain line per event that people care about, or every event as JSON. */
export function linePrinter(format: "lines" | "json"): (event: RunEvent, state: RunState) => void {
  if (format === "json") return (event) => writeAll(1, `${JSON.stringify(event)}\n`);
  return (event, state) => {
    const line = describeEvent(event, state);
    if (line !== undefined) writeAll(1, `${clockTime(event.at)}  ${line.ticket ?? "·"}  ${line.glyph} ${line.text}\n`);
  };
}

function clockTime(at: number): string {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((n) => String(n).padStart(2, "0")).join(":");
}
