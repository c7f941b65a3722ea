import { Box } from "ink";
import { memo, type ReactNode, use, useEffect, useMemo } from "react";
import { useShallow } from "zustand/react/shallow";
import { ticketIn } from "../../../src/store/dashboard-state.ts";
import type { FeedLine } from "../../../src/store/describe-event.ts";
import { formatClock } from "../../../src/store/format.ts";
import { overviewKey } from "../../../src/store/keymap/key-labels.ts";
import { landingLink, ticketUrl } from "../../../src/store/links.ts";
import { idWidth, type Layout } from "../../frame/layout.ts";
import { DashboardContext, useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { cut, fitTo } from "../../kit/fit.ts";
import { linkSpans, Rule, Spans, toLink } from "../../kit/spans.tsx";

type Line = Omit<FeedLine, "seq">;

/** What has become of each attempt, or every event; newest last. */
export const FeedView = memo(function FeedView({ layout }: { readonly layout: Layout }): ReactNode {
  useDrawn("feed");
  const showsEvents = useDashboard((s) => s.ui.showsEvents);
  const lines: readonly Line[] = useDashboard((s) => (s.ui.showsEvents ? s.feed : s.lists.outcomes));
  const plan = useDashboard((s) => s.run?.plan);
  const scroll = useDashboard((s) => s.ui.panes.feed.scroll);
  const back = useDashboard((s) => overviewKey(s, "feed-back"));
  const store = use(DashboardContext)?.store;
  const rows = layout.feed.height - 1;
  const max = Math.max(0, lines.length - rows);
  useEffect(() => store?.dispatch({ type: "pane", pane: "feed", action: { type: "max", max } }), [store, max]);
  const later = Math.min(scroll, max);
  const earlier = max - later;
  const hidden = [...(earlier > 0 ? [`${earlier} earlier`] : []), ...(later > 0 ? [`${later} later`] : [])];
  const ids = plan === undefined ? 4 : idWidth(plan);
  return (
    <Box flexDirection="column" width={layout.columns} height={layout.feed.height} flexShrink={0}>
      <Rule
        title={showsEvents ? "EVENTS" : "OUTCOMES"}
        width={layout.columns}
        joint={layout.wide ? layout.workers.width : undefined}
        note={hidden.length > 0 ? `${hidden.join(" · ")}${back === "" ? "" : ` ${back}`}` : undefined}
      />
      {lines.slice(earlier, lines.length - later).map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place among the lines
        <FeedRow key={i} line={line} idWidth={ids} width={layout.columns} />
      ))}
    </Box>
  );
});

/** Facts are bright; a worker's claims are dim. */
const FeedRow = memo(function FeedRow(options: {
  readonly line: Line;
  readonly idWidth: number;
  readonly width: number;
}): ReactNode {
  const { line } = options;
  const room = options.width - 1 - 8 - 2 - options.idWidth - 1 - 2 - 1;
  const quiet = line.tone === "claim" || line.tone === "waiting";
  const { ticket = "" } = line;
  const url = useDashboard((s) => (line.ticket === undefined ? undefined : ticketUrl(ticketIn(s, line.ticket))));
  const landing = useDashboard(
    useShallow((s) => (line.ticket === undefined ? undefined : landingLink(s.run, ticketIn(s, line.ticket)))),
  );
  const spans = useMemo(
    () =>
      linkSpans(
        [
          { text: ` ${formatClock(line.at)}  `, tone: "waiting" },
          { text: fitTo(ticket, options.idWidth), bold: ticket !== "" && !quiet },
          { text: ` ${line.glyph} `, tone: line.tone },
          { text: cut(line.text, room), tone: line.tone === "running" ? "plain" : line.tone },
        ],
        [toLink(ticket, options.idWidth, url), landing],
      ),
    [line, ticket, options.idWidth, quiet, room, url, landing],
  );
  return <Spans line={spans} />;
});
