import { Box, Text, Transform, useIsScreenReaderEnabled } from "ink";
import { memo, type ReactNode, use, useCallback, useMemo } from "react";
import type { Tone } from "../../src/store/labels/tone.ts";
import { type TextLink, withLinks } from "../../src/store/links.ts";
import { LinePlaceholdersContext } from "../terminal/line-placeholders.ts";
import { useDashboard, useHasLinks, useTheme } from "./dashboard-context.ts";
import { cut, widthOf } from "./fit.ts";
import { paint, type Span, type SpanLine } from "./paint.ts";
import type { Theme } from "./theme.ts";

export type { Span, SpanLine };

/** A span that depends on the clock, given at `now` (milliseconds since the epoch). Its width never changes. */
export type TimedSpan = (now: number) => Span;

/** Columns that a line takes. */
export function spansWidth(line: SpanLine): number {
  return line.reduce((sum, span) => sum + widthOf(span.text), 0);
}

/** Cuts a line to `width` columns, keeping styles. */
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

/** Merges neighbours of one style: fewer spans are drawn sooner. */
export function joinSpans(cells: readonly Span[]): SpanLine {
  const spans: Span[] = [];
  for (const cell of cells) {
    const last = spans.at(-1);
    const same =
      last !== undefined &&
      last.tone === cell.tone &&
      last.bold === cell.bold &&
      last.inverse === cell.inverse &&
      last.link === cell.link;
    if (same) spans[spans.length - 1] = { ...last, text: last.text + cell.text };
    else spans.push(cell);
  }
  return spans;
}

/** The line with each of these pieces of text leading to its address, where it stands first. No cell moves by it. */
export function linkSpans<T extends Span | TimedSpan>(
  line: readonly T[],
  links: readonly (TextLink | undefined)[],
): readonly (T | Span)[] {
  let left = links.filter((link) => link !== undefined);
  if (left.length === 0) return line;
  return line.flatMap((span): readonly (T | Span)[] => {
    if (typeof span === "function") return [span];
    const pieces = withLinks(span.text, left);
    left = left.filter((link) => !pieces.includes(link));
    return pieces.map((piece) =>
      typeof piece === "string" ? { ...span, text: piece } : { ...span, text: piece.text, link: piece.url },
    );
  });
}

/** A text of at most `width` columns as such a piece, as `fitTo` cuts it; undefined without an address. */
export function linkOf(text: string, width: number, url: string | undefined): TextLink | undefined {
  return url === undefined ? undefined : { text: cut(text, width), url };
}

/** A line without changes over time. */
export const Spans = memo(function Spans({ line }: { readonly line: SpanLine }): ReactNode {
  return <Painted text={usePainted(line)} width={spansWidth(line)} />;
});

/** The spans of a line, within another. One string, because each separate text costs Ink time in every frame. */
export function Inner({ line }: { readonly line: SpanLine }): ReactNode {
  return usePainted(line);
}

function usePainted(line: SpanLine): string {
  return painted(line, useTheme(), { hasLinks: useHasLinks(), hasScreenReader: useIsScreenReaderEnabled() });
}

/** A line with spans that depend on the clock: a tick redraws it only if its text changes, and nothing around it. */
export function TimedSpans({ line }: { readonly line: readonly (Span | TimedSpan)[] }): ReactNode {
  const theme = useTheme();
  const hasLinks = useHasLinks();
  const hasScreenReader = useIsScreenReaderEnabled();
  const [textAt, width] = useMemo(() => {
    const spansAt = (now: number): SpanLine => line.map((span) => (typeof span === "function" ? span(now) : span));
    let last = { now: Number.NaN, text: "" };
    const at = (now: number): string => {
      if (now !== last.now) last = { now, text: painted(spansAt(now), theme, { hasLinks, hasScreenReader }) };
      return last.text;
    };
    return [at, spansWidth(spansAt(0))] as const;
  }, [line, theme, hasLinks, hasScreenReader]);
  return <Painted text={useDashboard((s) => textAt(s.now))} width={width} />;
}

/** A screen reader ignores styles. */
function painted(
  line: SpanLine,
  theme: Theme,
  { hasLinks, hasScreenReader }: { readonly hasLinks: boolean; readonly hasScreenReader: boolean },
): string {
  return hasScreenReader ? line.map(({ text }) => text).join("") : paint(line, theme, hasLinks);
}

/**
 * A painted text of so many columns as a line. Ink measures and lays out its placeholder, which changes only with the width, and
 * takes the text itself only to write it: Ink measures the whole screen in every frame.
 */
function Painted({ text, width }: { readonly text: string; readonly width: number }): ReactNode {
  const hasScreenReader = useIsScreenReaderEnabled();
  const prepared = use(LinePlaceholdersContext);
  const drawn = useCallback(
    ({ length }: string, row: number) => {
      if (row > 0) return "";
      const shown = length === width ? text : cut(text, length);
      return prepared?.standIn(shown, length) ?? shown;
    },
    [text, width, prepared],
  );
  if (hasScreenReader || width === 0) return <Line>{text}</Line>;
  return (
    <Box height={1}>
      <Transform transform={drawn}>{"x".repeat(width)}</Transform>
    </Box>
  );
}

const MORE: SpanLine = [{ text: " …", tone: "waiting" }];

/** The pieces of a legend that fit `width` columns, each whole, and a mark for the others. */
export function fitLegend(pieces: readonly SpanLine[], width: number): SpanLine {
  if (spansWidth(pieces.flat()) <= width) return pieces.flat();
  let count = pieces.length - 1;
  const withMark = (): SpanLine => [...pieces.slice(0, count).flat(), ...MORE];
  while (count > 1 && spansWidth(withMark()) > width) count -= 1;
  return cutSpans(withMark(), width);
}

/** One line of the screen. Its content is measured beforehand; text that is still too long is cut, never wrapped. */
export function Line({ children }: { readonly children: ReactNode }): ReactNode {
  return <Text wrap="truncate">{children}</Text>;
}

/** A run of text within a Line, with the style of its meaning. */
export function Say({
  tone,
  bold,
  inverse,
  children,
}: {
  readonly tone?: Tone;
  readonly bold?: boolean;
  readonly inverse?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const style = useTheme()[tone ?? "plain"];
  return (
    <Text {...style} bold={bold ?? style.bold ?? false} inverse={inverse ?? false}>
      {children}
    </Text>
  );
}
