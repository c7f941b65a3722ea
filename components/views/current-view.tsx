import { Box } from "ink";
import { memo, type ReactNode, useMemo } from "react";
import { shownLists } from "../../src/store/lists.ts";
import type { ViewName } from "../../src/store/views/view-name.ts";
import { divideTerminal, LAYOUT_LINES } from "../frame/layout.ts";
import { useDashboard } from "../kit/dashboard-context.ts";
import type { ViewSize } from "../kit/window.ts";
import { GraphView } from "./graph/graph-view.tsx";
import { LedgerView } from "./ledger/ledger-view.tsx";
import { OraclePanel, OracleView } from "./oracle/oracle-view.tsx";
import { FeedView } from "./overview/feed-view.tsx";
import { countNeedLines, Needs } from "./overview/needs.tsx";
import { Queue } from "./overview/queue.tsx";
import { Workers } from "./overview/workers.tsx";
import { RunsView } from "./runs/runs-view.tsx";
import { Summary } from "./summary/summary.tsx";
import { TicketView } from "./ticket/ticket-view.tsx";
import { TimelineView } from "./timeline/timeline-view.tsx";

const VIEW: Readonly<Record<Exclude<ViewName, "overview">, (size: ViewSize) => ReactNode>> = {
  ticket: TicketView,
  graph: GraphView,
  timeline: TimelineView,
  oracle: OracleView,
  ledger: LedgerView,
  runs: RunsView,
};

/** The view in front, between the top lines and the bottom one. */
export const CurrentView = memo(function CurrentView({ columns, height }: ViewSize): ReactNode {
  const view = useDashboard((s) => s.ui.view);
  const ended = useDashboard((s) => s.run?.end !== undefined);
  if (view === "overview")
    return ended ? <Summary columns={columns} height={height} /> : <Overview columns={columns} height={height} />;
  const View = VIEW[view];
  return <View columns={columns} height={height} />;
});

/** Needs, workers, queue and feed. */
function Overview({ columns, height }: ViewSize): ReactNode {
  const workers = useDashboard((s) => s.run?.slots.length ?? 0);
  const rows = useDashboard((s) => s.lists.rows.length);
  const needs = useDashboard((s) => shownLists(s).needs);
  const plan = useDashboard((s) => s.run?.plan);
  const needLines = useMemo(() => countNeedLines(needs, plan, columns), [needs, plan, columns]);
  const layout = useMemo(
    () => divideTerminal(columns, height + LAYOUT_LINES, { workers, rows, needs: needLines }),
    [columns, height, workers, rows, needLines],
  );
  return (
    <>
      <Box flexDirection={layout.wide ? "row" : "column"} flexShrink={0}>
        {!layout.wide && <Needs layout={layout} />}
        <Workers layout={layout} />
        <Box flexDirection="column" flexShrink={0}>
          {layout.wide && <Needs layout={layout} />}
          <Queue layout={layout} />
          {layout.panel.height > 0 && <OraclePanel width={layout.queue.width} height={layout.panel.height} />}
        </Box>
      </Box>
      {layout.feed.height > 0 && <FeedView layout={layout} />}
    </>
  );
}
