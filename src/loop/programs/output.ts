import { plainText } from "../../domain/values/text.ts";
import type { Clock } from "../../ports/clock.ts";

/** Least time between two activity reports of one worker. Milliseconds. */
const EVERY_MS = 250;
/** Characters of a line that reach the journal. */
const LINE_CHARS = 200;

/**
 * Thins an agent's output to a few lines a second: the newest line and how many there were since the last report.
 * `end` reports what is left. Lines are made safe for a terminal here.
 */
export function thinActivity(
  clock: Clock,
  report: (text: string, lines: number) => void,
): { line(text: string): void; end(): void } {
  let waiting: string | undefined;
  let lines = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  let off: (() => void) | undefined;
  const flush = (): void => {
    off?.();
    off = undefined;
    if (waiting === undefined) return;
    const text = plainText(waiting, LINE_CHARS);
    const count = lines;
    waiting = undefined;
    lines = 0;
    lastAt = clock.now();
    report(text, count);
  };
  return {
    line(text) {
      if (text.trim() === "") return;
      waiting = text;
      lines += 1;
      if (off !== undefined) return;
      const left = EVERY_MS - (clock.now() - lastAt);
      if (left <= 0) flush();
      else off = clock.after(left, flush);
    },
    end: flush,
  };
}
