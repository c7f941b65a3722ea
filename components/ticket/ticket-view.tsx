import { Box } from "ink";
import type { ReactNode } from "react";
import { ticketIn } from "../../src/store/dashboard-state.ts";
import { useDashboard, useDrawn } from "../dashboard-context.ts";
import { WIDE_COLUMNS } from "../layout.ts";
import { Line, Say } from "../text.tsx";
import { FRAME_LINES, ViewFrame } from "../view-frame.tsx";
import type { ViewSize } from "../view-size.ts";
import { LifeList, TryLines } from "./life-list.tsx";
import { TextPane } from "./text-pane.tsx";
import { HEAD_LINES, TicketHead } from "./ticket-head.tsx";

/** Columns of the life of a ticket, where it stands beside the text. */
const LIFE_COLUMNS = 38;

/** All about the selected ticket: its tries with their steps, and what each has left. */
export function TicketView({ columns, height }: ViewSize): ReactNode {
  useDrawn("ticket");
  const selected = useDashboard((s) => s.ui.selected !== undefined && ticketIn(s, s.ui.selected) !== undefined);
  return (
    <ViewFrame columns={columns} height={height}>
      {selected ? (
        <>
          <TicketHead width={columns} />
          <Body columns={columns} height={height - FRAME_LINES - HEAD_LINES} />
        </>
      ) : (
        <Line>
          <Say tone="waiting"> no ticket is selected; scrolling selects the first one</Say>
        </Line>
      )}
    </ViewFrame>
  );
}

function Body({ columns, height }: ViewSize): ReactNode {
  const tries = useDashboard((s) => {
    const ticket = s.ui.selected === undefined ? undefined : ticketIn(s, s.ui.selected);
    return (ticket?.history.length ?? 0) + (ticket?.attempt === undefined ? 0 : 1);
  });
  if (tries === 0) return <Untried />;
  if (columns >= WIDE_COLUMNS)
    return (
      <Box flexDirection="row" height={height} flexShrink={0}>
        <LifeList columns={LIFE_COLUMNS} height={height} />
        <TextPane columns={columns - LIFE_COLUMNS} height={height} left="│ " />
      </Box>
    );
  const lines = Math.min(tries, Math.max(1, Math.floor(height / 5)));
  return (
    <>
      <TryLines columns={columns} height={lines} />
      <TextPane columns={columns} height={height - lines} left=" " />
    </>
  );
}

function Untried(): ReactNode {
  return (
    <Line>
      <Say tone="waiting"> no try yet: there is no log, no change and no cost</Say>
    </Line>
  );
}
