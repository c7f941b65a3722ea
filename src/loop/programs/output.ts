import type { AgentStop } from "../../domain/run/agent-event.ts";
import type { SanitizedStop } from "../../domain/run/attempt-fact.ts";
import { plainText } from "../../domain/values/text.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ExecResult } from "../../ports/executor.ts";

/** Least time between two activity reports of one worker. Milliseconds. */
const EVERY_MS = 250;
/** Characters of a line that reach the journal. */
const LINE_CHARS = 200;

/**
 * Reduces an agent's output to a few lines a second: the newest line and the number of lines since the last report. `end` reports
 * the rest. Makes lines safe for a terminal.
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

/** A command's stdout, line by line, up to a size. */
export class Stdout {
  readonly #most: number;
  readonly #lines: string[] = [];
  #size = 0;

  /** `most` characters are kept, line ends included. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a line and drops those of stderr. */
  readonly onLine = (line: string, stream: "stdout" | "stderr"): void => {
    if (stream !== "stdout") return;
    this.#size += line.length + 1;
    if (this.#size <= this.#most) this.#lines.push(line);
  };

  /** All of it, each line with its end; undefined if it was longer than the bound. */
  text(): string | undefined {
    return this.#size > this.#most ? undefined : this.#lines.map((line) => `${line}\n`).join("");
  }
}

/** The longest wait that is believed: a longer one is no real wait, and more than a date can hold. Milliseconds: a year. */
const LONGEST_WAIT_MS = 365 * 24 * 3_600_000;

/** A program's stop reason, safe to be shown and kept. */
export function sanitizeStopReason({ kind, says, retryAfterMs, answered }: AgentStop): SanitizedStop {
  const told = retryAfterMs !== undefined && retryAfterMs >= 0;
  const wait = told ? { retryAfterMs: Math.min(retryAfterMs, LONGEST_WAIT_MS) } : {};
  return { kind, says: plainText(says, 300), ...wait, ...(answered ? { answered } : {}) };
}

/** Lines of output that say nothing about the cause: pointers to logs, and loopdash's own notes. */
const NO_CAUSE = /complete log of this run|^npm (?:notice|warn)|^\[loopdash: |^\s*[-=~^]+\s*$/i;
const CAUSE = /error|fatal|fail|cannot|can't|could not|denied|refused|not found|no such|missing|invalid|unable/i;
const CAUSE_LINES = 3;
const LOOKED_THROUGH = 40;

/** The lines near the end of an output that tell why a command failed, as one safe line; empty if it printed nothing. */
export function causeIn(tail: string): string {
  const lines = tail
    .split("\n")
    .slice(-LOOKED_THROUGH)
    .filter((line) => !NO_CAUSE.test(line.trim()));
  const telling = lines.filter((line) => CAUSE.test(line));
  // The name of the program that prefixes each line of npm's says nothing either.
  const words = (some: readonly string[]) =>
    some.map((line) => line.replace(/^npm (?:error|ERR!)/, "").trim()).filter((line) => line !== "");
  const told = words(telling).slice(0, CAUSE_LINES);
  return plainText((told.length > 0 ? told : words(lines).slice(-2)).join(" | "), 240);
}

/** The end of a process, in words. */
export function howItEnded(result: Pick<ExecResult, "ending" | "exitCode" | "signal" | "message">): string {
  switch (result.ending) {
    case "exited":
      return result.signal === null ? `exited with code ${result.exitCode}` : `was ended by ${result.signal}`;
    case "silent":
      return "printed nothing for too long and was killed";
    case "out-of-time":
      return "ran out of time and was killed";
    case "over-quota":
      return `was ended: ${plainText(result.message ?? "it wrote too much", 300)}`;
    case "blocked":
      return `was ended: ${plainText(result.message ?? "the sandbox blocked every connection", 300)}`;
    case "aborted":
      return "was cancelled";
    case "failed-to-start":
      return `did not start: ${plainText(result.message ?? "no reason given", 300)}`;
  }
}
