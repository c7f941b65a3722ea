import { memo, type ReactNode, useMemo } from "react";
import { useShallow } from "zustand/react/shallow";
import type { TicketId } from "../../../src/domain/ids.ts";
import { ticketIn } from "../../../src/store/dashboard-state.ts";
import { useDashboard, useDrawn } from "../../dashboard-context.ts";
import { cut, fitTo, widthOf } from "../../kit/fit.ts";
import { type Span, type SpanLine, type TimedSpan, TimedSpans } from "../../kit/spans.tsx";
import { timeSpan } from "../../kit/time.tsx";
import { queueLabel, titleLabel, titleOf } from "./queue-label.ts";
import type { SectionName } from "./sections.ts";

/** Columns that a word gets, so that the titles beside short words stand under each other. */
function wordWidth(section: SectionName, room: number): number {
  if (section === "done") return 8;
  if (section !== "waiting" && section !== "finishing" && room < 90) return 0;
  return Math.min(40, Math.floor(room * 0.45));
}

const BETWEEN = "  ";
const LEAST_TITLE = 6;

/**
 * The word, and behind it the title, in `room` columns, and one more for a mark: where the title has no room, the mark stands for it,
 * apart from a word that is whole.
 */
export function saidOf(section: SectionName, word: Span, title: string, room: number): SpanLine {
  const beside = wordWidth(section, room);
  const isShort = widthOf(word.text) <= beside && room - beside >= LEAST_TITLE + widthOf(BETWEEN);
  const text = isShort ? fitTo(word.text, beside) : cut(word.text, room);
  const left = room - widthOf(text) - widthOf(BETWEEN);
  const isWhole = isShort || text === word.text;
  const fits = left >= Math.min(LEAST_TITLE, widthOf(title));
  const mark = isWhole ? cut(" …", room + 1 - widthOf(text)) : "";
  const behind = title === "" ? "" : fits ? `${BETWEEN}${cut(title, left)}` : mark;
  const pad = " ".repeat(Math.max(0, room + 1 - widthOf(text) - widthOf(behind)));
  return [
    { ...word, text },
    { text: `${behind}${pad}`, tone: "waiting" },
  ];
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
  const word = useDashboard(useShallow((s) => queueLabel(s, of.id)));
  // What is said of a ticket that waits tells who found it.
  const title = useDashboard((s) => (of.section === "waiting" ? titleOf(s, of.id) : titleLabel(s, of.id)));
  const startedAt = useDashboard((s) => ticketIn(s, of.id)?.attempt?.startedAt);
  const line = useMemo(() => lineOf(of, { word, title, startedAt }), [of, word, title, startedAt]);
  return <TimedSpans line={line} />;
});

function lineOf(
  of: RowOf,
  said: { readonly word: ReturnType<typeof queueLabel>; readonly title: string; readonly startedAt: number | undefined },
): readonly (Span | TimedSpan)[] {
  const { glyph, tone, text } = said.word;
  const { startedAt } = said;
  const whole = of.width - widthOf(of.left) - 3 - of.idWidth - 1 - 1;
  const timed = startedAt !== undefined && whole >= 40;
  const room = timed ? whole - TIME_WIDTH - 1 : whole;
  const needsYou = of.section === "needsYou";
  const word: Span = { text, tone: needsYou ? "plain" : tone, bold: needsYou };
  return [
    { text: of.left, tone: "waiting" },
    { text: of.selected ? "▌" : " ", tone: "running" },
    { text: `${glyph} `, tone },
    { text: fitTo(of.id, of.idWidth), bold: of.selected, inverse: of.selected },
    { text: " " },
    ...saidOf(of.section, word, said.title, room),
    ...(timed ? [timeSpan({ since: startedAt, format: "elapsed", width: TIME_WIDTH })] : []),
  ];
}
