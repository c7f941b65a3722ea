import { Box } from "ink";
import { memo, type ReactNode, useMemo } from "react";
import { useShallow } from "zustand/react/shallow";
import { ticketIn } from "../../../src/store/dashboard-state.ts";
import type { FeedLine } from "../../../src/store/describe-event.ts";
import { formatClock, formatElapsed } from "../../../src/store/format.ts";
import { landingLink, ticketUrl } from "../../../src/store/links.ts";
import { idWidth, type Layout } from "../../frame/layout.ts";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { cut, fitTo } from "../../kit/fit.ts";
import { linkSpans, Rule, type Span, type TimedSpan, TimedSpans, toLink } from "../../kit/spans.tsx";

/** The past events, newest last. */
export const FeedView = memo(function FeedView({ layout }: { readonly layout: Layout }): ReactNode {
  useDrawn("feed");
  const feed = useDashboard((s) => s.feed);
  const plan = useDashboard((s) => s.run?.plan);
  const rows = layout.feed.height - 1;
  const shown = feed.slice(-rows);
  const earlier = feed.length - shown.length;
  const ids = plan === undefined ? 4 : idWidth(plan);
  return (
    <Box flexDirection="column" width={layout.columns} height={layout.feed.height} flexShrink={0}>
      <Rule
        title="EVENTS"
        width={layout.columns}
        joint={layout.wide ? layout.workers.width : undefined}
        note={earlier > 0 ? `+${earlier} earlier` : undefined}
      />
      {shown.map((line) => (
        // One event can have several lines.
        <FeedRow key={`${line.seq} ${line.text}`} line={line} idWidth={ids} width={layout.columns} />
      ))}
    </Box>
  );
});

/** Facts are bright; a worker's claims are dim. */
const FeedRow = memo(function FeedRow(options: {
  readonly line: FeedLine;
  readonly idWidth: number;
  readonly width: number;
}): ReactNode {
  const { line } = options;
  const room = options.width - 1 - 8 - 2 - options.idWidth - 1 - 2 - 1;
  const { nextAt } = line.outage ?? {};
  const isLive = useDashboard((s) => s.ui.connection.state === "live" && s.playback === undefined);
  const clock = useMemo(() => (nextAt === undefined || !isLive ? undefined : nextTry(nextAt)), [nextAt, isLive]);
  const quiet = line.tone === "claim" || line.tone === "waiting";
  const { ticket = "" } = line;
  const url = useDashboard((s) => (line.ticket === undefined ? undefined : ticketUrl(ticketIn(s, line.ticket))));
  const landing = useDashboard(
    useShallow((s) => (line.ticket === undefined ? undefined : landingLink(s.run, ticketIn(s, line.ticket)))),
  );
  const spans = useMemo(
    () =>
      linkSpans<Span | TimedSpan>(
        [
          { text: ` ${formatClock(line.at)}  `, tone: "waiting" },
          { text: fitTo(ticket, options.idWidth), bold: ticket !== "" && !quiet },
          { text: ` ${line.glyph} `, tone: line.tone },
          ...(clock === undefined ? [] : [clock]),
          {
            text: cut(line.text, clock === undefined ? room : room - TRY_WIDTH),
            tone: line.tone === "running" ? "plain" : line.tone,
          },
        ],
        [toLink(ticket, options.idWidth, url), landing],
      ),
    [line, ticket, options.idWidth, quiet, room, url, landing, clock],
  );
  return <TimedSpans line={spans} />;
});

/** Columns of `next try in 1:00:12 · `. */
const TRY_WIDTH = 22;

/** The time until what is away is tried again. */
function nextTry(at: number): TimedSpan {
  return (now) => ({
    text: fitTo(now < at ? `next try in ${formatElapsed(at - now)} · ` : "trying now · ", TRY_WIDTH),
    tone: "waiting",
  });
}
