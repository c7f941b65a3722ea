import { Box } from "ink";
import type { ReactNode } from "react";
import { ticketIn } from "../../../src/store/dashboard-state.ts";
import { keyIn } from "../../../src/store/keymap/key-labels.ts";
import { FRAME_LINES, ViewFrame } from "../../frame/view-frame.tsx";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import type { ViewSize } from "../../kit/geometry.ts";
import { Line, Say } from "../../kit/text.tsx";
import { AttemptList, AttemptRows } from "./attempt-list.tsx";
import { headHeight } from "./head-lines.ts";
import { TextPane } from "./text-pane.tsx";
import { HeadParts, TicketHead } from "./ticket-head.tsx";
import { ticketLayout } from "./ticket-layout.ts";

/** All about the selected ticket: its attempts with their steps, and the files of each. */
export function TicketView({ columns, height }: ViewSize): ReactNode {
  useDrawn("ticket");
  const inside = { columns, height: height - FRAME_LINES };
  const head = useDashboard((s) => headHeight(s, inside));
  const selected = useDashboard((s) => s.ui.selected !== undefined && ticketIn(s, s.ui.selected) !== undefined);
  return (
    <ViewFrame columns={columns} height={height}>
      {selected ? (
        <>
          <TicketHead {...inside} />
          <Body columns={columns} height={inside.height - head} />
        </>
      ) : (
        <Unselected {...inside} />
      )}
    </ViewFrame>
  );
}

function Body({ columns, height }: ViewSize): ReactNode {
  const attempts = useDashboard((s) => {
    const ticket = s.ui.selected === undefined ? undefined : ticketIn(s, s.ui.selected);
    return (ticket?.history.length ?? 0) + (ticket?.attempt === undefined ? 0 : 1);
  });
  if (attempts === 0) return <NoAttempt />;
  const { wide, list, text } = ticketLayout({ columns, height }, attempts);
  if (wide)
    return (
      <Box flexDirection="row" height={height} flexShrink={0}>
        <AttemptList {...list} />
        <TextPane {...text} left="│ " />
      </Box>
    );
  return (
    <>
      <AttemptRows {...list} />
      <TextPane {...text} left=" " />
    </>
  );
}

/** Without a ticket, the view shows what the run waits for. */
function Unselected(size: ViewSize): ReactNode {
  const keys = useDashboard((s) => keyIn(s, "ticket", "down"));
  return (
    <>
      <Line>
        <Say tone="waiting">{` no ticket is selected${keys === "" ? "" : `; ${keys} select the first one`}`}</Say>
      </Line>
      <HeadParts {...size} />
    </>
  );
}

function NoAttempt(): ReactNode {
  return (
    <Line>
      <Say tone="waiting"> no attempt yet: there is no log, no change and no cost</Say>
    </Line>
  );
}
