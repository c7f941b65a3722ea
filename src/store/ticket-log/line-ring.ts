import type { Tone } from "../labels/tone.ts";

/** One line of what a ticket view shows: safe to draw, its spaces as they were. */
export interface LogLine {
  readonly text: string;
  readonly tone: Tone;
}

/** The most that is kept of one text: what is older is let go. */
export const MAX_LINES = 20_000;
export const MAX_CHARS = 4_000_000;
/** Lines that are let go before their places are tidied up. */
const TIDY = 2_000;

/** The newest lines of a text, bounded. A line's number counts from the first that there ever was. */
export class LineRing {
  #lines: LogLine[] = [];
  /** Places at the start of `#lines` that are let go. */
  #gone = 0;
  #chars = 0;
  /** Number of the oldest line that is kept. */
  first = 0;

  get count(): number {
    return this.#lines.length - this.#gone;
  }

  /** The i-th line of those that are kept. */
  at(i: number): LogLine | undefined {
    return i < 0 ? undefined : this.#lines[this.#gone + i];
  }

  push(line: LogLine): void {
    this.#lines.push(line);
    this.#chars += line.text.length;
    while (this.count > MAX_LINES || (this.#chars > MAX_CHARS && this.count > 1)) this.#dropFirst();
  }

  /** Puts another line in the place of the newest. */
  replaceLast(line: LogLine): void {
    const last = this.at(this.count - 1);
    if (last === undefined) return this.push(line);
    this.#chars += line.text.length - last.text.length;
    this.#lines[this.#lines.length - 1] = line;
  }

  clear(): void {
    this.#lines = [];
    this.#gone = 0;
    this.#chars = 0;
    this.first = 0;
  }

  #dropFirst(): void {
    this.#chars -= this.at(0)?.text.length ?? 0;
    this.#gone += 1;
    this.first += 1;
    if (this.#gone < TIDY) return;
    this.#lines = this.#lines.slice(this.#gone);
    this.#gone = 0;
  }
}
