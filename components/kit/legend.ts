import { cutSpans, type SpanLine, spansWidth } from "./spans.tsx";

const MORE: SpanLine = [{ text: " …", tone: "waiting" }];

/** The pieces of a legend that fit `width` columns, each of them whole, and a mark in the place of the others. */
export function fitLegend(pieces: readonly SpanLine[], width: number): SpanLine {
  if (spansWidth(pieces.flat()) <= width) return pieces.flat();
  let count = pieces.length - 1;
  const withMark = (): SpanLine => [...pieces.slice(0, count).flat(), ...MORE];
  while (count > 1 && spansWidth(withMark()) > width) count -= 1;
  return cutSpans(withMark(), width);
}
