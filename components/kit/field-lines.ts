import { MAX_INPUT, type TextInput } from "../../src/store/text-input.ts";
import { cut, textWidth } from "./fit.ts";
import { joinSpans, type Span, type SpanLine } from "./spans.tsx";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * A text field on at most `most` lines of `width` columns, around its cursor. The cursor is a block at the end of the text and an
 * inverted character within it, so that it is visible with and without colours.
 */
export function fieldLines(input: TextInput, width: number, most: number): readonly SpanLine[] {
  const lines: Span[][] = [[]];
  let used = 0;
  let cursorLine = 0;
  const put = (span: Span): void => {
    const w = textWidth(span.text);
    if (used + w > width) {
      lines.push([]);
      used = 0;
    }
    lines.at(-1)?.push(span);
    used += w;
    if (span.inverse === true || span.tone === "running") cursorLine = lines.length - 1;
  };
  for (const { segment, index } of graphemes.segment(input.text)) {
    const at = index === input.cursor;
    put({ text: segment, bold: true, inverse: at || undefined });
  }
  if (input.cursor >= input.text.length) put({ text: "█", tone: "running" });
  const start = Math.max(0, Math.min(cursorLine - most + 1, lines.length - most));
  return lines.slice(start, start + most).map(joinSpans);
}

/** A text field on one line of at most `width` columns, around its cursor; `…` at an end marks more text. */
export function lineField(input: TextInput, width: number): SpanLine {
  const [before, from] = [
    [...graphemes.segment(input.text.slice(0, input.cursor))],
    [...graphemes.segment(input.text.slice(input.cursor))],
  ];
  const [at, ...after] = from.map(({ segment }) => segment);
  const cursor: Span = at === undefined ? { text: "█", tone: "running" } : { text: at, bold: true, inverse: true };
  const room = Math.max(0, width - textWidth(cursor.text));
  const tail = cut(
    after.join(""),
    Math.max(Math.floor(room / 2), room - textWidth(before.map(({ segment }) => segment).join(""))),
  );
  const head = fitEnd(
    before.map(({ segment }) => segment),
    room - textWidth(tail),
  );
  return [{ text: head, bold: true }, cursor, { text: tail, bold: true }].filter(({ text }) => text !== "");
}

/** The end of a text that fits `width` columns, with '…' if something is missing. */
function fitEnd(characters: readonly string[], width: number): string {
  if (textWidth(characters.join("")) <= width) return characters.join("");
  let [start, used] = [characters.length, 1];
  while (start > 0 && used + textWidth(characters[start - 1] ?? "") <= width) used += textWidth(characters[--start] ?? "");
  return width < 1 ? "" : `…${characters.slice(start).join("")}`;
}

/** The used part of the field's length. */
export function fieldCount(input: TextInput): string {
  return `${input.text.length} of ${MAX_INPUT}`;
}
