import { memo, type ReactNode } from "react";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import type { TimelineBar } from "../../../src/store/views/timeline-bars.ts";
import { type Ground, paintBars } from "../../kit/bars.ts";
import { useDrawn } from "../../kit/dashboard-context.ts";
import { Spans } from "../../kit/spans.tsx";
import type { TimeFrame } from "./time-frame.ts";
import { LANE_LABEL, laneBars } from "./timeline-layout.ts";

/** One slot's agents, or the finish lines of those that left it, over the time that is shown. */
export const Lane = memo(function Lane({
  slot,
  part,
  bars,
  frame,
  selected,
  ground,
}: {
  readonly slot: number;
  readonly part: TimelineBar["part"];
  readonly bars: readonly TimelineBar[];
  readonly frame: TimeFrame;
  readonly ground: Ground;
  readonly selected: TicketId | undefined;
}): ReactNode {
  useDrawn(`lane ${slot} ${part}`);
  const label = part === "agent" ? String(slot + 1) : "";
  const { spans } = paintBars(laneBars(bars, frame, selected), frame.columns, ground);
  return <Spans line={[{ text: `${label.padStart(LANE_LABEL - 2)}  `, tone: "waiting" }, ...spans]} />;
});
