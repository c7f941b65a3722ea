import { MAX_INPUT, type TextInput } from "../src/store/text-input.ts";
import { widthOf } from "./fit.ts";
import type { Span, SpanLine } from "./spans.tsx";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * A text field on at most `most` lines of `width` columns, around its cursor. At the end of the text the cursor is a
 * block, within it an inverted character, so that it is seen with and without colours.
 */
export function fieldLines(input: TextInput, width: number, most: number): readonly SpanLine[] {
  const lines: Span[][] = [[]];
  let used = 0;
  let cursorLine = 0;
  const put = (span: Span): void => {
    const w = widthOf(span.text);
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
    put({ text: segment, bold: true, ...(at ? { inverse: true } : {}) });
  }
  if (input.cursor >= input.text.length) put({ text: "█", tone: "running" });
  const start = Math.max(0, Math.min(cursorLine - most + 1, lines.length - most));
  return lines.slice(start, start + most).map(joined);
}

/** Neighbours of one look as one stretch. */
function joined(spans: readonly Span[]): SpanLine {
  const out: Span[] = [];
  for (const span of spans) {
    const last = out.at(-1);
    if (last !== undefined && last.inverse === span.inverse && last.tone === span.tone)
      out[out.length - 1] = { ...last, text: last.text + span.text };
    else out.push(span);
  }
  return out;
}

/** How much of the field is used. */
export function fieldCount(input: TextInput): string {
  return `${input.text.length} of ${MAX_INPUT}`;
}
