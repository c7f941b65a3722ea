import type { Tone } from "../../../src/store/labels/tone.ts";
import { hitsIn } from "../../../src/store/ticket-log/find.ts";
import type { TextRow } from "../../../src/store/ticket-log/rows.ts";
import type { ShownText } from "../../../src/store/ticket-log/source.ts";
import { cut } from "../../kit/fit.ts";
import type { Span, SpanLine } from "../../kit/spans.tsx";

/** A row of text as it is drawn: what is looked for is inverted. */
export function rowSpans({ source, room }: ShownText, { line, stretch }: TextRow, needle: string): SpanLine {
  const { text, tone } = source.line(line - source.first);
  const shown = room.wrap ? text.slice(stretch.from, stretch.to).trimEnd() : cutTo(text, room.columns);
  const hits = hitsIn(text, needle).flatMap(({ from, to }) => {
    const [start, end] = [Math.max(from, stretch.from) - stretch.from, Math.min(to, stretch.to) - stretch.from];
    return start < end && start < shown.length ? [{ from: start, to: Math.min(end, shown.length) }] : [];
  });
  return marked(shown, tone, hits);
}

/** A line cut to the columns; of a very long one no more is measured than can be seen. */
function cutTo(text: string, columns: number): string {
  const most = columns * 4;
  return cut(text.length > most ? `${text.slice(0, most)}…` : text, columns);
}

function marked(text: string, tone: Tone, hits: readonly { readonly from: number; readonly to: number }[]): SpanLine {
  // An empty line has no height.
  if (text === "") return [{ text: " " }];
  const spans: Span[] = [];
  let at = 0;
  for (const { from, to } of hits) {
    if (from > at) spans.push({ text: text.slice(at, from), tone });
    spans.push({ text: text.slice(from, to), inverse: true });
    at = to;
  }
  if (at < text.length) spans.push({ text: text.slice(at), tone });
  return spans;
}
