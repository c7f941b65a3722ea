import { memo, type ReactNode, use, useEffect, useMemo } from "react";
import { useShallow } from "zustand/react/shallow";
import type { PastAttempt, TicketState } from "../../../src/domain/run/ticket-state.ts";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import { plural } from "../../../src/domain/values/text.ts";
import { ticketIn } from "../../../src/store/dashboard-state.ts";
import { displayText, formatClock, formatElapsed } from "../../../src/store/format.ts";
import { keyIn } from "../../../src/store/keymap/key-labels.ts";
import { displayTitle } from "../../../src/store/labels/ticket-label.ts";
import { attemptEnd, outcomeLabel } from "../../../src/store/labels/tone.ts";
import { ticketUrl } from "../../../src/store/links.ts";
import { keepBars, type TimelineBar } from "../../../src/store/views/timeline-bars.ts";
import { FRAME_LINES, NoRun, ViewFrame } from "../../frame/view-frame.tsx";
import { type Ground, type GroundSign, paintBars } from "../../kit/bars.ts";
import { DashboardContext, useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { cut } from "../../kit/fit.ts";
import {
  cutSpans,
  fitLegend,
  Line,
  linkSpans,
  Rule,
  Say,
  type Span,
  type SpanLine,
  Spans,
  spansWidth,
  Time,
  toLink,
} from "../../kit/spans.tsx";
import type { ViewSize } from "../../kit/window.ts";
import { legend, segmentStyle } from "./segment-style.ts";
import { axisTicks, type TimeFrame } from "./time-frame.ts";
import { LANE_LABEL, laneBars, shownFrame, timelineLayout } from "./timeline-layout.ts";

/** The timeline: the agents of each slot over time, and the finish lines beside them. */
export function TimelineView({ columns, height }: ViewSize): ReactNode {
  useDrawn("timeline");
  const known = useDashboard((s) => s.run !== undefined);
  return (
    <ViewFrame columns={columns} height={height}>
      {known ? <Timeline columns={columns} height={height - FRAME_LINES} /> : <NoRun />}
    </ViewFrame>
  );
}

const Timeline = memo(function Timeline({ columns, height }: ViewSize): ReactNode {
  useDrawn("timeline lanes");
  const barsOf = useMemo(() => keepBars(), []);
  const bars = useDashboard((s) => barsOf(s.run));
  const slots = useDashboard((s) => s.run?.slots.length ?? 0);
  const ended = useDashboard((s) => s.run?.end !== undefined);
  const selected = useDashboard((s) => s.ui.selected);
  const frame = useFrame(columns - LANE_LABEL);
  const { detail, room, count, finish, from, to, lanes } = timelineLayout({ bars, slots, height, selected });
  const ground = useMemo(() => axisGround(frame), [frame]);
  const byLane = useMemo(() => barsByLane(bars), [bars]);
  return (
    <>
      <Spans line={axisLine(frame, ended ? "▼end" : "▼now")} />
      {lanes.map(({ slot, part }) => (
        <Lane
          key={`${slot} ${part}`}
          slot={slot}
          part={part}
          bars={byLane.get(`${slot} ${part}`) ?? NO_BARS}
          frame={frame}
          ground={ground}
          selected={selected}
        />
      ))}
      {Array.from({ length: Math.max(0, room - lanes.length) }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an empty line is its place
        <Spans key={`blank ${i}`} line={EMPTY} />
      ))}
      <Spans line={legendLine(hiddenSlots({ from, to, count }), { finish, ms: frame.ms, columns })} />
      <TimelineDetail id={selected} width={columns} lines={detail} />
    </>
  );
});

const EMPTY: SpanLine = [{ text: " " }];
const NO_BARS: readonly TimelineBar[] = [];

/** The shown time, reported to the store for panning. It changes with the columns, not with the seconds. */
function useFrame(columns: number): TimeFrame {
  const store = use(DashboardContext)?.store;
  const frame = useDashboard(useShallow((s) => shownFrame(s, columns)));
  const ms = frame.ms * columns;
  useEffect(() => store?.dispatch({ type: "timeline-view", action: { type: "span", ms } }), [store, ms]);
  return frame;
}

/** Marks of the axis and the present, drawn through empty cells. */
function axisGround(frame: TimeFrame): Ground {
  const ground = new Map<number, GroundSign>(axisTicks(frame).map(({ column }) => [column, { text: "╎", tone: "waiting" }]));
  return ground.set(frame.now, { text: "│", tone: "running" });
}

function barsByLane(bars: readonly TimelineBar[]): ReadonlyMap<string, readonly TimelineBar[]> {
  const lanes = new Map<string, TimelineBar[]>();
  for (const bar of bars) {
    const key = `${bar.slot} ${bar.part}`;
    const lane = lanes.get(key);
    if (lane === undefined) lanes.set(key, [bar]);
    else lane.push(bar);
  }
  return lanes;
}

/** The legend behind what is out of sight. */
function legendLine(
  hidden: SpanLine,
  { finish, ms, columns }: { readonly finish: boolean; readonly ms: number; readonly columns: number },
): SpanLine {
  return fitLegend([hidden, ...legend({ finish, ms, width: columns - spansWidth(hidden) })], columns);
}

/** The clock over the lanes: local times at their columns, and the present or the end of the run. */
function axisLine(frame: TimeFrame, mark: string): SpanLine {
  const cells = Array.from({ length: frame.columns }, () => " ");
  const { now } = frame;
  const word = now + mark.length <= frame.columns ? mark : "▼";
  for (const { column, label } of axisTicks(frame)) {
    const end = column + 1 + label.length;
    const hidden = end > cells.length || (now < end && column < now + word.length);
    for (const [i, char] of [...`╎${hidden ? "" : label}`].entries()) cells[column + i] = char;
  }
  const axis = (part: readonly string[]) => ({ text: part.join(""), tone: "waiting" as const });
  const label = { text: "slot".padStart(LANE_LABEL - 1).padEnd(LANE_LABEL), tone: "waiting" as const };
  if (now < 0 || now >= frame.columns) return [label, axis(cells)];
  return [label, axis(cells.slice(0, now)), { text: word, tone: "running", bold: true }, axis(cells.slice(now + word.length))];
}

function hiddenSlots({ count, to, from }: { readonly from: number; readonly to: number; readonly count: number }): SpanLine {
  const below = count - to;
  if (from === 0 && below === 0) return [];
  const words = [...(from === 0 ? [] : [`${from} slots above`]), ...(below === 0 ? [] : [`+${below} more slots`])];
  return [{ text: ` ${words.join(" · ")} `, bold: true }];
}

/** One slot's agents, or the finish lines of its former attempts, over the shown time. */
const Lane = memo(function Lane({
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

/** The attempts of the selected ticket in words, newest first, in exactly `lines` lines: 2, or 4 with a title. */
function TimelineDetail(options: {
  readonly id: TicketId | undefined;
  readonly width: number;
  readonly lines: number;
}): ReactNode {
  const { id, width } = options;
  const attempts = useDashboard((s) => (id === undefined ? 0 : attemptCount(s, id)));
  const ticket = useDashboard((s) => (id === undefined ? undefined : ticketIn(s, id)));
  const history = ticket?.history ?? [];
  const title = useDashboard((s) => (id === undefined ? "" : displayTitle(s, id)));
  const roomy = options.lines > 2;
  const room = roomy ? options.lines - 1 : options.lines;
  const running = attempts > history.length;
  const past = history.toReversed().slice(0, room - (running ? 1 : 0));
  const hidden = history.length - past.length;
  const url = useDashboard((s) => (id === undefined ? undefined : ticketUrl(ticketIn(s, id))));
  const words = `${plural(attempts, "attempt")}${hidden === 0 ? "" : `, +${hidden} more`} · ${title}`;
  const keys = useDashboard((s) => keyIn(s, "timeline", "select-next"));
  const none = id === undefined ? selectLabel(keys) : `${id} was not tried yet · ${title}`;
  const used = past.length + (running ? 1 : 0);
  return (
    <>
      {roomy && <Rule title={id ?? "SELECTED"} count={cut(id === undefined ? "none" : words, width - 24)} width={width} />}
      {used === 0 && <Spans line={[{ text: cut(` ${none}`, width), tone: "waiting" }]} />}
      {running && id !== undefined && <Running id={id} width={width} />}
      {ticket !== undefined &&
        past.map((each) => (
          <Spans key={each.n} line={linkSpans(cutSpans(pastLine(ticket, each), width), [toLink(ticket.id, width, url)])} />
        ))}
      {Array.from({ length: room - Math.max(1, used) }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an empty line is its place
        <Spans key={`blank ${i}`} line={[{ text: " " }]} />
      ))}
    </>
  );
}

function selectLabel(keys: string): string {
  return keys === "" ? "no ticket is selected" : `${keys} select a ticket`;
}

function attemptCount(state: Parameters<typeof ticketIn>[0], id: TicketId): number {
  const ticket = ticketIn(state, id);
  return (ticket?.history.length ?? 0) + (ticket?.attempt === undefined ? 0 : 1);
}

/** `T-6 attempt 2  failed  12:20:01–12:25:41  agent 05:00  finish line 00:40  2 of 88: …`. */
function pastLine(ticket: TicketState, pastAttempt: PastAttempt): SpanLine {
  const outcome = attemptEnd(ticket, pastAttempt);
  const { tone, cap, fill } = segmentStyle({ outcome, part: "agent", to: pastAttempt.endedAt });
  const finish: readonly Span[] =
    pastAttempt.endedAt > pastAttempt.slotLeftAt
      ? [{ text: `  finish line ${formatElapsed(pastAttempt.endedAt - pastAttempt.slotLeftAt)}`, tone: "waiting" }]
      : [];
  return [
    { text: ` ${cap}${fill} `, tone },
    { text: `${ticket.id} attempt ${pastAttempt.n}  `, bold: true },
    { text: outcomeLabel(outcome, true).word, tone },
    {
      text: `  ${formatClock(pastAttempt.startedAt)}–${formatClock(pastAttempt.endedAt)}  slot ${pastAttempt.slot + 1}`,
      tone: "waiting",
    },
    { text: `  agent ${formatElapsed(pastAttempt.slotLeftAt - pastAttempt.startedAt)}`, tone: "waiting" },
    ...finish,
    { text: `  ${displayText(pastAttempt.summary)}` },
  ];
}

function Running({ id, width }: { readonly id: TicketId; readonly width: number }): ReactNode {
  const of = useDashboard(
    useShallow((s) => {
      const attempt = ticketIn(s, id)?.attempt;
      return {
        n: attempt?.n ?? 0,
        slot: attempt?.slot ?? 0,
        startedAt: attempt?.startedAt ?? 0,
        left: attempt?.slotLeftAt,
        isHeld: attempt?.isHeld,
      };
    }),
  );
  const heldSince = useDashboard((s) => s.run?.outages?.journal?.since);
  const { cap, fill, tone } = segmentStyle({ part: "agent", outcome: of.isHeld && "held" });
  const since = (of.isHeld ? heldSince : undefined) ?? of.left ?? of.startedAt;
  const where = of.isHeld ? "held" : of.left === undefined ? "at work" : "on the finish line";
  const head = ` ${cap}${fill} `;
  const name = `${id} attempt ${of.n}  `;
  const rest = cut(`${where} since ${formatClock(since)}  slot ${of.slot + 1}`, width - head.length - name.length - 12);
  return (
    <Line>
      <Say tone={tone}>{head}</Say>
      <Say bold>{name}</Say>
      <Say tone={tone}>{rest}</Say>
      <Time since={since} format="elapsed" prefix="  " width={10} tone="waiting" />
    </Line>
  );
}
