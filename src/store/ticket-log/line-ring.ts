import type { Tone } from "../labels/tone.ts";
import type { TextLink } from "../links.ts";

/** One line of a ticket view: safe to draw, with its spaces kept. */
export interface LogLine {
  readonly text: string;
  readonly tone: Tone;
  /** Pieces of it that lead somewhere. */
  readonly links?: readonly TextLink[];
}

/** The maximum of lines kept of one text: older ones are dropped. */
export const MAX_LINES = 20_000;
export const MAX_CHARS = 4_000_000;
/** Dropped lines before their slots are compacted. */
const TIDY = 2_000;

/** The newest lines of a text, bounded. Line numbers count from the first line ever. */
export class LineRing {
  #lines: LogLine[] = [];
  /** Dropped slots at the start of `#lines`. */
  #gone = 0;
  #chars = 0;
  /** Number of the oldest kept line. */
  first = 0;

  get count(): number {
    return this.#lines.length - this.#gone;
  }

  /** The i-th kept line. */
  at(i: number): LogLine | undefined {
    return i < 0 ? undefined : this.#lines[this.#gone + i];
  }

  push(line: LogLine): void {
    this.#lines.push(line);
    this.#chars += line.text.length;
    while (this.count > MAX_LINES || (this.#chars > MAX_CHARS && this.count > 1)) this.#dropFirst();
  }

  /** Replaces the newest line. */
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
