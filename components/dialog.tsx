import { Box } from "ink";
import type { ReactNode } from "react";
import type { Tone } from "../src/store/tone.ts";
import { cut, widthOf } from "./fit.ts";
import { cutSpans, Inner, type SpanLine, spansWidth } from "./spans.tsx";
import { Line, Say } from "./text.tsx";

const WIDEST = 76;
const LEAST = 40;

/** Columns that a dialog offers for its text. */
export function dialogRoom(columns: number): number {
  return Math.min(WIDEST, columns - 4) - 4;
}

/** A box in front of the views, in the middle. Every cell of it is written, so nothing shines through. */
export function Dialog(of: {
  readonly title: string;
  readonly tone: Tone;
  readonly lines: readonly SpanLine[];
  readonly columns: number;
  readonly rows: number;
  /** As wide as it can be, whatever is in it: for text that is being written. */
  readonly wide: boolean;
}): ReactNode {
  const natural = Math.max(LEAST, widthOf(of.title) + 2, ...of.lines.map(spansWidth));
  const room = of.wide ? dialogRoom(of.columns) : Math.min(dialogRoom(of.columns), natural);
  const most = of.rows - 4;
  const lines = of.lines.length <= most ? of.lines : [...of.lines.slice(0, most - 1), more(of.lines.length - most + 1)];
  const title = cut(of.title, room - 2);
  const top = Math.max(0, Math.floor((of.rows - lines.length - 2) / 2));
  const left = Math.max(0, Math.floor((of.columns - room - 4) / 2));
  return (
    <Box position="absolute" top={top} left={left} width={room + 4} flexDirection="column">
      <Line>
        <Say tone={of.tone}>{"╭─ "}</Say>
        <Say tone={of.tone} bold>
          {title}
        </Say>
        <Say tone={of.tone}>{` ${"─".repeat(Math.max(0, room - widthOf(title) - 1))}╮`}</Say>
      </Line>
      {lines.map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names; the dialog is drawn whole
        <DialogLine key={i} line={cutSpans(line, room)} room={room} tone={of.tone} />
      ))}
      <Line>
        <Say tone={of.tone}>{`╰${"─".repeat(room + 2)}╯`}</Say>
      </Line>
    </Box>
  );
}

function more(n: number): SpanLine {
  return [{ text: `+${n} more lines`, tone: "waiting" }];
}

function DialogLine({ line, room, tone }: { readonly line: SpanLine; readonly room: number; readonly tone: Tone }): ReactNode {
  return (
    <Line>
      <Say tone={tone}>{"│ "}</Say>
      <Inner line={line} />
      <Say>{" ".repeat(Math.max(0, room - spansWidth(line)))}</Say>
      <Say tone={tone}>{" │"}</Say>
    </Line>
  );
}
