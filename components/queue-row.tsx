import { memo, type ReactNode, useMemo } from "react";
import { useShallow } from "zustand/react/shallow";
import type { TicketId } from "../src/domain/ids.ts";
import { ticketIn } from "../src/store/dashboard-state.ts";
import { useDashboard, useDrawn } from "./dashboard-context.ts";
import { cut, fitTo, widthOf } from "./fit.ts";
import { queueWord, titleOf, titleWord } from "./queue-word.ts";
import type { SectionName } from "./sections.ts";
import { type Span, type TimedSpan, TimedSpans } from "./spans.tsx";
import { timeSpan } from "./time.tsx";

/**
 * Columns that the word gets where the title stands beside it: a fixed part of the row for short reasons, so that
 * titles stand under each other, and all of it for long ones.
 */
function wordWidth(section: SectionName, text: string, room: number): number {
  if (section === "done") return 8;
  if (section !== "waiting" && section !== "finishing" && room < 90) return room;
  const beside = Math.min(40, Math.floor(room * 0.45));
  return widthOf(text) <= beside ? beside : room;
}

const TIME_WIDTH = 7;

interface RowOf {
  readonly id: TicketId;
  readonly section: SectionName;
  readonly idWidth: number;
  readonly width: number;
  readonly selected: boolean;
  /** What stands in the first column: the line between the blocks. */
  readonly left: string;
}

/** One ticket without a row among the workers. */
export const QueueRow = memo(function QueueRow(of: RowOf): ReactNode {
  useDrawn(`queue ${of.id}`);
  const word = useDashboard(useShallow((s) => queueWord(s, of.id)));
  // What is said of a ticket that waits tells who found it.
  const title = useDashboard((s) => (of.section === "waiting" ? titleOf(s, of.id) : titleWord(s, of.id)));
  const startedAt = useDashboard((s) => ticketIn(s, of.id)?.attempt?.startedAt);
  const line = useMemo(() => lineOf(of, { word, title, startedAt }), [of, word, title, startedAt]);
  return <TimedSpans line={line} />;
});

function lineOf(
  of: RowOf,
  said: { readonly word: ReturnType<typeof queueWord>; readonly title: string; readonly startedAt: number | undefined },
): readonly (Span | TimedSpan)[] {
  const { glyph, tone, text } = said.word;
  const { startedAt } = said;
  const whole = of.width - widthOf(of.left) - 3 - of.idWidth - 1 - 1;
  const timed = startedAt !== undefined && whole >= 40;
  const room = timed ? whole - TIME_WIDTH - 1 : whole;
  const word = wordWidth(of.section, text, room);
  const rest = room - word - 2;
  const needsYou = of.section === "needsYou";
  const title: readonly Span[] =
    rest >= 6 ? [{ text: `  ${timed ? fitTo(said.title, rest) : cut(said.title, rest)}`, tone: "waiting" }] : [];
  return [
    { text: of.left, tone: "waiting" },
    { text: of.selected ? "▌" : " ", tone: "running" },
    { text: `${glyph} `, tone },
    { text: fitTo(of.id, of.idWidth), bold: of.selected, inverse: of.selected },
    { text: ` ${fitTo(text, word)}`, tone: needsYou ? "plain" : tone, bold: needsYou },
    ...title,
    ...(timed ? [timeSpan({ since: startedAt, format: "elapsed", width: TIME_WIDTH + 1 })] : []),
  ];
}
