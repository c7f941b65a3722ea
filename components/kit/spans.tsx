import { Box, Text, Transform, useIsScreenReaderEnabled } from "ink";
import { memo, type ReactNode, use, useCallback, useMemo } from "react";
import { formatAge, formatElapsed, formatLeft, formatLong } from "../../src/store/format.ts";
import type { Tone } from "../../src/store/labels/tone.ts";
import { type TextLink, withLinks } from "../../src/store/links.ts";
import { LinePlaceholdersContext } from "../terminal/line-placeholders.ts";
import { useDashboard, useHasLinks, useTheme } from "./dashboard-context.ts";
import { cut, fitTo, textWidth } from "./fit.ts";
import { paint, type Span, type SpanLine } from "./paint.ts";
import type { Theme } from "./theme.ts";

export type { Span, SpanLine };

/** A span that depends on the clock, given at `now` (milliseconds since the epoch). Its width never changes. */
export type TimedSpan = (now: number) => Span;

/** Columns that a line takes. */
export function spansWidth(line: SpanLine): number {
  return line.reduce((sum, span) => sum + textWidth(span.text), 0);
}

/** Cuts a line to `width` columns, keeping styles. */
export function cutSpans(line: SpanLine, width: number): SpanLine {
  const out: Span[] = [];
  let left = width;
  const total = spansWidth(line);
  for (const span of line) {
    if (left <= 0) break;
    const last = total > width && textWidth(span.text) >= left;
    const text = last ? cut(`${span.text}…`, left) : span.text;
    out.push({ ...span, text });
    left -= textWidth(text);
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
export function toLink(text: string, width: number, url: string | undefined): TextLink | undefined {
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

const FORMATS = { elapsed: formatElapsed, long: formatLong, age: formatAge, left: formatLeft } as const;

/** The time since `since` (or until it, if `until` is set), in exactly `width` columns. */
interface TimeProps {
  readonly since: number;
  readonly until?: boolean;
  /** The time at which the clock stops: the end of the measured time. */
  readonly stop?: number | undefined;
  readonly format: keyof typeof FORMATS;
  readonly width: number;
  readonly align?: "left" | "right";
  readonly prefix?: string;
  readonly suffix?: string;
  readonly tone?: Tone;
  readonly bold?: boolean;
  /** Milliseconds from which on it is bright, and from which on bad. */
  readonly warn?: readonly [number, number];
}

/** A time as a span of a line that follows the clock. */
export function timeSpan(options: TimeProps): TimedSpan {
  return (now) => spanAt(options, now);
}

function spanAt(options: TimeProps, now: number): Span {
  const ms = (options.stop ?? now) - options.since;
  const text = FORMATS[options.format](options.until === true ? -ms : ms);
  return {
    text: fitTo(`${options.prefix ?? ""}${text}${options.suffix ?? ""}`, options.width, options.align ?? "right"),
    tone: toneAt(ms, options.warn, options.tone ?? "plain"),
    bold: options.bold ?? false,
  };
}

/** A time among other texts. A tick redraws only it, and only if its text changes. */
export const Time = memo(function Time(options: TimeProps): ReactNode {
  const text = useDashboard((s) => spanAt(options, s.now).text);
  const tone = useDashboard((s) => spanAt(options, s.now).tone ?? "plain");
  return (
    <Say tone={tone} bold={options.bold ?? false}>
      {text}
    </Say>
  );
});

function toneAt(ms: number, warn: readonly [number, number] | undefined, otherwise: Tone): Tone {
  if (warn === undefined || ms < warn[0]) return otherwise;
  return ms < warn[1] ? "plain" : "bad";
}

/**
 * The title line of a block: `─ AT WORK 3 of 4 agents ─────`. `left` is the first column (a corner of the line between two blocks),
 * `note` stands at the right end, `joint` is a column in which another line ends (┴).
 */
export const Rule = memo(function Rule(options: {
  readonly title: string;
  readonly count?: string | undefined;
  readonly note?: string | undefined;
  readonly tone?: Tone | undefined;
  readonly width: number;
  readonly left?: string;
  readonly joint?: number | undefined;
}): ReactNode {
  const left = options.left ?? "";
  const title = cut(options.title, options.width - textWidth(left) - 4);
  const count = options.count === undefined ? "" : ` ${options.count}`;
  const used = textWidth(left) + 2 + textWidth(title) + textWidth(count) + 1;
  const note = options.note === undefined || options.note === "" ? "" : ` ${options.note} ─`;
  const fits = used + textWidth(note) <= options.width;
  const line = "─".repeat(Math.max(0, options.width - used - (fits ? textWidth(note) : 0)));
  const at = options.joint === undefined ? -1 : options.joint - used;
  const drawn = at >= 0 && at < line.length ? `${line.slice(0, at)}┴${line.slice(at + 1)}` : line;
  return (
    <Spans
      line={[
        { text: `${left}─ `, tone: "waiting" },
        { text: title, tone: options.tone ?? "plain", bold: true },
        { text: `${count} ${drawn}${fits ? note : ""}`, tone: "waiting" },
      ]}
    />
  );
});
