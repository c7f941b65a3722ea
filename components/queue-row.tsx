import { memo, type ReactNode } from "react";
import { useShallow } from "zustand/react/shallow";
import type { TicketId } from "../src/domain/ids.ts";
import { ticketIn } from "../src/store/dashboard-store.ts";
import { useDashboard, useDrawn } from "./dashboard-context.ts";
import { cut, fitTo, widthOf } from "./fit.ts";
import { queueWord, titleOf, titleWord } from "./queue-word.ts";
import type { SectionName } from "./sections.ts";
import { Line, Say } from "./text.tsx";
import { Time } from "./time.tsx";

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

/** One ticket without a row among the workers. */
export const QueueRow = memo(function QueueRow(of: {
  readonly id: TicketId;
  readonly section: SectionName;
  readonly idWidth: number;
  readonly width: number;
  readonly selected: boolean;
  /** What stands in the first column: the line between the blocks. */
  readonly left: string;
}): ReactNode {
  useDrawn(`queue ${of.id}`);
  const { glyph, tone, text } = useDashboard(useShallow((s) => queueWord(s, of.id)));
  // What is said of a ticket that waits tells who found it.
  const title = useDashboard((s) => (of.section === "waiting" ? titleOf(s, of.id) : titleWord(s, of.id)));
  const startedAt = useDashboard((s) => ticketIn(s, of.id)?.attempt?.startedAt);
  const whole = of.width - widthOf(of.left) - 3 - of.idWidth - 1 - 1;
  const timed = startedAt !== undefined && whole >= 40;
  const room = timed ? whole - TIME_WIDTH - 1 : whole;
  const word = wordWidth(of.section, text, room);
  const rest = room - word - 2;
  return (
    <Line>
      <Say tone="waiting">{of.left}</Say>
      <Say tone="running">{of.selected ? "▌" : " "}</Say>
      <Say tone={tone}>{`${glyph} `}</Say>
      <Say bold={of.selected} inverse={of.selected}>
        {fitTo(of.id, of.idWidth)}
      </Say>
      <Say tone={of.section === "needsYou" ? "plain" : tone} bold={of.section === "needsYou"}>{` ${fitTo(text, word)}`}</Say>
      {rest >= 6 && <Say tone="waiting">{`  ${timed ? fitTo(title, rest) : cut(title, rest)}`}</Say>}
      {timed && <Time since={startedAt} format="elapsed" width={TIME_WIDTH + 1} />}
    </Line>
  );
});
