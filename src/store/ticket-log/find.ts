import type { TextSource } from "./log-text.ts";
import type { TextRange } from "./rows.ts";

/** The matches of a search in a text: lines by number, in order. */
export class Finder {
  readonly #needle: string;
  readonly #textKey: string;
  #lines: readonly number[] = [];
  /** Lines before this one have been searched; the last line may still grow. */
  #seen = 0;

  constructor(needle: string, textKey: string) {
    this.#needle = needle;
    this.#textKey = textKey;
  }

  isFor(needle: string, source: TextSource): boolean {
    return needle === this.#needle && source.key === this.#textKey;
  }

  /** The matching lines. Only new lines since the last call are searched. */
  lines(source: TextSource): readonly number[] {
    const end = source.first + source.count;
    const found = this.#lines.filter((line) => line >= source.first && line < this.#seen);
    for (let line = Math.max(source.first, this.#seen); line < end; line++)
      if (hitsIn(source.line(line - source.first).text, this.#needle).length > 0) found.push(line);
    this.#seen = Math.max(source.first, end - 1);
    this.#lines = found;
    return found;
  }
}

/** The matches of the needle in a line, from left to right. Case counts only if the needle has capitals. */
export function hitsIn(text: string, needle: string): readonly TextRange[] {
  if (needle === "") return [];
  const exact = needle !== needle.toLowerCase();
  const [hay, sought] = exact ? [text, needle] : [lowered(text), lowered(needle)];
  const hits: TextRange[] = [];
  for (let from = hay.indexOf(sought); from >= 0; from = hay.indexOf(sought, from + sought.length))
    hits.push({ from, to: from + sought.length });
  return hits;
}

/** In small letters, every character in its position: a few letters (İ) would become longer, and stay as they are. */
function lowered(text: string): string {
  const low = text.toLowerCase();
  return low.length === text.length
    ? low
    : [...text].map((c) => (c.toLowerCase().length === c.length ? c.toLowerCase() : c)).join("");
}
