import { memo, type ReactNode } from "react";
import type { TicketId } from "../../src/domain/ids.ts";
import type { TimelineBar } from "../../src/store/views/timeline-bars.ts";
import { type Ground, paintBars } from "../bars.ts";
import { useDrawn } from "../dashboard-context.ts";
import { Spans } from "../spans.tsx";
import { barLook } from "./bar-looks.ts";
import { columnOf, type TimeFrame } from "./time-frame.ts";

/** Columns before a lane: which slot it is. */
export const LANE_LABEL = 6;

/** One slot's agents, or the finish lines of those that left it, over the time that is shown. */
export const Lane = memo(function Lane(of: {
  readonly slot: number;
  readonly part: TimelineBar["part"];
  readonly bars: readonly TimelineBar[];
  readonly frame: TimeFrame;
  readonly ground: Ground;
  readonly selected: TicketId | undefined;
}): ReactNode {
  useDrawn(`lane ${of.slot} ${of.part}`);
  const { start, ms, columns, now } = of.frame;
  const bars = of.bars.map((bar) => ({
    from: columnOf(bar.from, start, ms),
    to: bar.to === undefined ? Math.max(now + 1, columnOf(bar.from, start, ms) + 1) : columnOf(bar.to, start, ms),
    label: bar.ticket,
    look: barLook(bar),
    lit: bar.ticket === of.selected,
  }));
  const label = of.part === "agent" ? String(of.slot + 1) : "";
  const { spans } = paintBars(bars, columns, of.ground);
  return <Spans line={[{ text: `${label.padStart(LANE_LABEL - 2)}  `, tone: "waiting" }, ...spans]} />;
});
