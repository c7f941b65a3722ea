import { memo, type ReactNode } from "react";
import { useShallow } from "zustand/react/shallow";
import type { TicketId } from "../src/domain/ids.ts";
import { displayText } from "../src/store/display-text.ts";
import { useDashboard, useDrawn } from "./dashboard-context.ts";
import { cut, fitTo, widthOf } from "./fit.ts";
import { queueWord } from "./queue-word.ts";
import type { SectionName } from "./sections.ts";
import { Line, Say } from "./text.tsx";

/**
 * Columns that the word gets where the title stands beside it: a fixed part of the row for short reasons, so that
 * titles stand under each other, and all of it for long ones.
 */
function wordWidth(section: SectionName, text: string, room: number): number {
  if (section === "done") return 8;
  if (section !== "waiting" && room < 90) return room;
  const beside = Math.min(40, Math.floor(room * 0.45));
  return widthOf(text) <= beside ? beside : room;
}

/** One ticket that nobody works on. */
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
  const title = useDashboard((s) => s.run?.plan.tickets[s.run.plan.index[of.id] ?? -1]?.title ?? "");
  const room = of.width - widthOf(of.left) - 3 - of.idWidth - 1 - 1;
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
      {rest >= 6 && <Say tone="waiting">{`  ${cut(displayText(title), rest)}`}</Say>}
    </Line>
  );
});
