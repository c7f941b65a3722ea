import { memo, type ReactNode } from "react";
import type { Tone } from "../src/store/tone.ts";
import { cut, widthOf } from "./fit.ts";
import { Line, Say } from "./text.tsx";

/** A stretch of text with one look. */
export interface Span {
  readonly text: string;
  readonly tone?: Tone;
  readonly bold?: boolean;
  readonly inverse?: boolean;
}

/** A line as data: what is computed apart from drawing it. */
export type SpanLine = readonly Span[];

/** Columns that a line takes. */
export function spansWidth(line: SpanLine): number {
  return line.reduce((sum, span) => sum + widthOf(span.text), 0);
}

/** Cuts a line to `width` columns, keeping looks. */
export function cutSpans(line: SpanLine, width: number): SpanLine {
  const out: Span[] = [];
  let left = width;
  const total = spansWidth(line);
  for (const span of line) {
    if (left <= 0) break;
    const last = total > width && widthOf(span.text) >= left;
    const text = last ? cut(`${span.text}…`, left) : span.text;
    out.push({ ...span, text });
    left -= widthOf(text);
    if (last) break;
  }
  return out;
}

/** A line as it is. */
export const Spans = memo(function Spans({ line }: { readonly line: SpanLine }): ReactNode {
  return (
    <Line>
      <Inner line={line} />
    </Line>
  );
});

/** The stretches of a line, to stand within another. */
export function Inner({ line }: { readonly line: SpanLine }): ReactNode {
  return line.map((span, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: stretches have no names; the line is drawn whole
    <Say key={i} tone={span.tone ?? "plain"} bold={span.bold ?? false} inverse={span.inverse ?? false}>
      {span.text}
    </Say>
  ));
}
