import type { TicketId } from "../../../src/domain/values/ids.ts";
import type { DashboardState } from "../../../src/store/dashboard-state.ts";
import { type TimelineBar, timelineBars } from "../../../src/store/views/timeline-bars.ts";
import { type Bar, barsAt } from "../../kit/bars.ts";
import { type Cell, rowWindow, type ViewSize } from "../../kit/window.ts";
import { segmentStyle } from "./segment-style.ts";
import { type TimeFrame, timeColumn, timeFrame } from "./time-frame.ts";

/** Columns before a lane: the slot's label. */
export const LANE_LABEL = 6;
/** From this many lines on, there is room for more than the last attempts of the selected ticket. */
const ROOMY = 16;
/** Lines beside the lanes: the clock, and the legend. */
const OTHER_LINES = 2;

/** One line of the view: the agents of a slot, or the finish lines of its former attempts. */
interface LaneOptions {
  readonly slot: number;
  readonly part: TimelineBar["part"];
}

/** The visible slots, and their lines. */
interface TimelineLayout {
  /** Lines about the selected ticket. */
  readonly detail: 2 | 4;
  /** Lines for lanes. */
  readonly room: number;
  readonly count: number;
  readonly from: number;
  readonly to: number;
  /** True if finish lines have lanes of their own. */
  readonly finish: boolean;
  readonly lanes: readonly LaneOptions[];
}

/** Finds the page of slots with the selected ticket's last attempt. */
export function timelineLayout(options: {
  readonly bars: readonly TimelineBar[];
  readonly slots: number;
  readonly height: number;
  readonly selected: TicketId | undefined;
}): TimelineLayout {
  const { bars, slots, height, selected } = options;
  const detail = height >= ROOMY ? 4 : 2;
  const room = Math.max(1, height - detail - OTHER_LINES);
  const count = Math.max(slots, ...bars.map(({ slot }) => slot + 1));
  const finish = 2 * count <= room;
  const own = bars.findLast(({ ticket }) => ticket === selected);
  const { from, to } = rowWindow(count, finish ? Math.floor(room / 2) : room, own?.slot ?? 0);
  const parts = finish ? (["agent", "finish"] as const) : (["agent"] as const);
  const lanes = Array.from({ length: to - from }, (_, i) => parts.map((part) => ({ slot: from + i, part }))).flat();
  return { detail, room, count, from, to, finish, lanes };
}

/** The shown time, over so many columns of lanes. */
export function shownFrame(
  { run, now, ui: { timeline } }: Pick<DashboardState, "run" | "now" | "ui">,
  columns: number,
): TimeFrame {
  return timeFrame({ startedAt: run?.startedAt ?? now, until: run?.end?.at ?? now, columns, ui: timeline });
}

/** The bars of a lane, in the columns of the shown time. */
export function laneBars(
  bars: readonly TimelineBar[],
  { start, ms, now }: TimeFrame,
  selected: TicketId | undefined,
): readonly (Bar & { readonly label: TicketId })[] {
  return bars.map((bar) => ({
    from: timeColumn(bar.from, start, ms),
    to: bar.to === undefined ? Math.max(now + 1, timeColumn(bar.from, start, ms) + 1) : timeColumn(bar.to, start, ms),
    label: bar.ticket,
    style: segmentStyle(bar),
    lit: bar.ticket === selected,
  }));
}

/** The ticket in a cell of the timeline, counted from its first line; if there are several, the next after the selected one. */
export function timelineTicketAt(state: DashboardState, size: ViewSize, cell: Cell): TicketId | undefined {
  const { run, ui } = state;
  if (run === undefined) return undefined;
  const bars = timelineBars(run);
  const { lanes } = timelineLayout({ bars, slots: run.slots.length, height: size.height, selected: ui.selected });
  // The first line is the clock.
  const lane = lanes[cell.row - 1];
  if (lane === undefined) return undefined;
  const own = bars.filter(({ slot, part }) => slot === lane.slot && part === lane.part);
  const frame = shownFrame(state, size.columns - LANE_LABEL);
  const here = barsAt(laneBars(own, frame, ui.selected), cell.column - LANE_LABEL);
  const after = here.findIndex(({ label }) => label === ui.selected) + 1;
  return here[after % Math.max(1, here.length)]?.label;
}
