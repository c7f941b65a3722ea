import cliTruncate from "cli-truncate";
import stringWidth from "string-width";

/** Text of characters that take one column each and never join another: ASCII, Latin, and the views' own signs. */
const SINGLE = /^[ -~¡-¬®-˿‐-‧‰-⁞←-⋿─-◼✓-✘]*$/;

const widths = new Map<string, number>();
const MOST_WIDTHS = 4_096;
/** A longer text is hardly ever measured twice. */
const LONGEST_KNOWN = 200;

/** Columns that a text takes on a terminal. */
export function textWidth(text: string): number {
  if (SINGLE.test(text)) return text.length;
  if (text.length > LONGEST_KNOWN) return stringWidth(text);
  const known = widths.get(text);
  if (known !== undefined) return known;
  const width = stringWidth(text);
  if (widths.size >= MOST_WIDTHS) widths.clear();
  widths.set(text, width);
  return width;
}

/** The text cut to `width` columns, with '…' if something is missing. */
export function cut(text: string, width: number): string {
  if (width <= 0) return "";
  if (textWidth(text) <= width) return text;
  return SINGLE.test(text) ? `${text.slice(0, width - 1)}…` : cliTruncate(text, width);
}

/** The text in exactly `width` columns: cut or padded. */
export function fitTo(text: string, width: number, align: "left" | "right" = "left"): string {
  const shown = cut(text, width);
  const pad = " ".repeat(Math.max(0, width - textWidth(shown)));
  return align === "left" ? shown + pad : pad + shown;
}

/**
 * Picks for each part one of its variants, longest first, so that together they fit `width`. `order` names the parts in the order
 * in which they give up a variant; a part named twice gives up two.
 */
export function fitParts<K extends string>(
  parts: Readonly<Record<K, readonly string[]>>,
  order: readonly K[],
  width: number,
): Record<K, string> {
  const names = Object.keys(parts) as K[];
  const left = new Map<K, readonly string[]>(names.map((name) => [name, parts[name]]));
  const at = (name: K): string => left.get(name)?.[0] ?? "";
  const total = (): number => names.reduce((sum, name) => sum + textWidth(at(name)), 0);
  for (const name of order) {
    if (total() <= width) break;
    const rest = (left.get(name) ?? []).slice(1);
    if (rest.length > 0) left.set(name, rest);
  }
  return Object.fromEntries(names.map((name) => [name, at(name)])) as Record<K, string>;
}

/** The first parts of a line that fit `width` columns, each whole, with a mark if others follow. The first one is cut if it must be. */
export function firstParts([first = "", ...rest]: readonly string[], width: number): string {
  let line = first;
  for (const [i, part] of rest.entries()) {
    const longer = `${line} · ${part}`;
    const mark = i === rest.length - 1 ? "" : " …";
    if (textWidth(longer) + textWidth(mark) > width) return cut(`${line} …`, width);
    line = longer;
  }
  return cut(line, width);
}

/**
 * Breaks a text into lines of at most `width` columns, at spaces if there are any. A word longer than a line begins on its own
 * line; `wrap-ansi` cuts it at the end of the line before. With `keepsWords` it stays whole, to be copied.
 */
export function wrapWords(text: string, width: number, { keepsWords = false } = {}): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((w) => (keepsWords ? [w] : pieces(w, width)))) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || textWidth(longer) <= width) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
  }
  return [...lines, line];
}

/** Breaks a text into at most `most` lines of at most `width` columns; if there is more, the last one ends with a mark. */
export function wrapTo(text: string, width: number, most: number): readonly string[] {
  const lines = wrapWords(text, width);
  return lines.length <= most
    ? lines
    : [...lines.slice(0, most - 1), ...lines.slice(most - 1, most).map((line) => cut(`${line} …`, width))];
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** A word wider than a line, in pieces that fit; any other word unchanged. */
export function pieces(word: string, width: number): readonly string[] {
  if (textWidth(word) <= width) return [word];
  const out: string[] = [];
  let piece = "";
  for (const { segment } of graphemes.segment(word)) {
    if (piece !== "" && textWidth(piece + segment) > width) {
      out.push(piece);
      piece = "";
    }
    piece += segment;
  }
  return [...out, piece];
}
