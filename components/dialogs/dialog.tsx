import { Box } from "ink";
import type { ReactNode } from "react";
import type { Tone } from "../../src/store/labels/tone.ts";
import { cut, textWidth } from "../kit/fit.ts";
import { cutSpans, type SpanLine, Spans, spansWidth } from "../kit/spans.tsx";

const WIDEST = 76;
const LEAST = 40;

/** Columns that a dialog offers for its text. */
export function dialogWidth(columns: number): number {
  return Math.min(WIDEST, columns - 4) - 4;
}

/** The position of a dialog with so many lines, and the columns of its text. */
export function dialogLayout({
  rows,
  lines,
  columns,
  room,
}: {
  readonly columns: number;
  readonly rows: number;
  readonly lines: number;
  readonly room: number;
}) {
  return {
    top: Math.max(0, Math.floor((rows - lines - 2) / 2)),
    left: Math.max(0, Math.floor((columns - room - 4) / 2)),
  };
}

/** A box in front of the views, in the middle. Every cell of it is written, so nothing shines through. */
export function Dialog(options: {
  readonly title: string;
  readonly tone: Tone;
  readonly lines: readonly SpanLine[];
  readonly columns: number;
  readonly rows: number;
  /** As wide as possible, regardless of the content: for text that is being typed. */
  readonly wide: boolean;
  /** Columns of the text, if it is wider than a question. */
  readonly room?: number;
}): ReactNode {
  const natural = Math.max(LEAST, textWidth(options.title) + 2, ...options.lines.map(spansWidth));
  const room = options.room ?? (options.wide ? dialogWidth(options.columns) : Math.min(dialogWidth(options.columns), natural));
  const most = options.rows - 4;
  const lines =
    options.lines.length <= most ? options.lines : [...options.lines.slice(0, most - 1), more(options.lines.length - most + 1)];
  const title = cut(options.title, room - 2);
  const { top, left } = dialogLayout({ ...options, lines: lines.length, room });
  return (
    <Box position="absolute" top={top} left={left} width={room + 4} flexDirection="column">
      <Spans
        line={[
          { text: "╭─ ", tone: options.tone },
          { text: title, tone: options.tone, bold: true },
          { text: ` ${"─".repeat(Math.max(0, room - textWidth(title) - 1))}╮`, tone: options.tone },
        ]}
      />
      {lines.map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names; the dialog is drawn whole
        <Spans key={i} line={framed(cutSpans(line, room), room, options.tone)} />
      ))}
      <Spans line={[{ text: `╰${"─".repeat(room + 2)}╯`, tone: options.tone }]} />
    </Box>
  );
}

function more(n: number): SpanLine {
  return [{ text: `+${n} more lines`, tone: "waiting" }];
}

function framed(line: SpanLine, room: number, tone: Tone): SpanLine {
  const rest = " ".repeat(Math.max(0, room - spansWidth(line)));
  return [{ text: "│ ", tone }, ...line, { text: rest }, { text: " │", tone }];
}
