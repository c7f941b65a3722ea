import { memo, type ReactNode, use, useEffect, useMemo } from "react";
import { useShallow } from "zustand/react/shallow";
import type { TicketState } from "../../../src/domain/run/ticket-state.ts";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import { vecAt } from "../../../src/domain/values/vec.ts";
import { type DashboardState, ticketIn } from "../../../src/store/dashboard-state.ts";
import { displayText, formatClock, formatElapsed } from "../../../src/store/format.ts";
import { keyIn } from "../../../src/store/keymap/key-labels.ts";
import { displayTitle, queueLabel, ticketStyle } from "../../../src/store/labels/ticket-label.ts";
import { attemptEnd, outcomeLabel, STYLES } from "../../../src/store/labels/tone.ts";
import { attemptsText, TIME_FILLS, ticketTime, timeCells } from "../../../src/store/results/timeline-cells.ts";
import { currentTarget } from "../../../src/store/ticket-log/target.ts";
import { timelineOrder } from "../../../src/store/views/timeline-order.ts";
import { idWidth } from "../../frame/layout.ts";
import { FRAME_LINES, NoRun, ViewFrame } from "../../frame/view-frame.tsx";
import { DashboardContext, useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { fitTo } from "../../kit/fit.ts";
import { cutSpans, fitLegend, joinSpans, type SpanLine, Spans } from "../../kit/spans.tsx";
import { type Cell, pageRows, type ViewSize } from "../../kit/window.ts";
import { axisTicks, type TimeFrame, timeColumn, timeFrame } from "./time-frame.ts";

/** The timeline: a row for each ticket, with its agents, its checks, and what became of it over time. */
export function TimelineView({ columns, height }: ViewSize): ReactNode {
  useDrawn("timeline");
  const known = useDashboard((s) => s.run !== undefined);
  return (
    <ViewFrame columns={columns} height={height}>
      {known ? <Timeline columns={columns} height={height - FRAME_LINES} /> : <NoRun />}
    </ViewFrame>
  );
}

/** Lines beside the rows: the clock, the legend, and those about the selected ticket. */
const [AXIS_LINES, DETAIL_LINES] = [1, 2];
const OTHER_LINES = AXIS_LINES + 1 + DETAIL_LINES;

/** The columns of a row: its sign and id, its title, its time, and words about it. */
interface RowWidths {
  readonly ids: number;
  readonly title: number;
  readonly time: number;
  readonly words: number;
}

function rowWidths(ids: number, columns: number): RowWidths {
  const title = columns < 110 ? 0 : Math.floor(columns * 0.2);
  const words = Math.floor(columns * (columns < 110 ? 0.22 : 0.25));
  return { ids, title, words, time: Math.max(10, columns - 5 - ids - title - words) };
}

/** The visible tickets: with the selected one, and all that need a person. */
function timelinePage(state: DashboardState, height: number): ReturnType<typeof pageRows> {
  const { run, lists, ui } = state;
  const order = timelineOrder(state);
  const at = (id: TicketId): number => order.indexOf(run?.plan.index[id] ?? -1);
  const pins = lists.needsYou.map(at).filter((row) => row >= 0);
  return pageRows(order.length, Math.max(1, height - OTHER_LINES), ui.selected === undefined ? 0 : at(ui.selected), pins);
}

/** The ticket in a cell of the timeline, counted from its first line. */
export function timelineTicketAt(state: DashboardState, { height }: ViewSize, { row }: Cell): TicketId | undefined {
  const index = timelineOrder(state)[timelinePage(state, height).rows[row - AXIS_LINES] ?? -1];
  return index === undefined ? undefined : state.run?.plan.tickets[index]?.id;
}

const Timeline = memo(function Timeline({ columns, height }: ViewSize): ReactNode {
  useDrawn("timeline rows");
  const order = useDashboard(useShallow(timelineOrder));
  const page = useDashboard((s) => JSON.stringify(timelinePage(s, height)));
  const { rows, above, below } = useMemo(() => JSON.parse(page) as ReturnType<typeof pageRows>, [page]);
  const ids = useDashboard((s) => (s.run === undefined ? 0 : idWidth(s.run.plan)));
  const total = useDashboard((s) => s.run?.plan.tickets.length ?? 0);
  const ended = useDashboard((s) => s.run?.end !== undefined);
  const selected = useDashboard((s) => s.ui.selected);
  const zoom = useDashboard((s) => s.ui.timeline.zoom);
  const widths = useMemo(() => rowWidths(ids, columns), [ids, columns]);
  const frame = useFrame(widths.time);
  const hidden = [
    ...(above === 0 ? [] : [`${above} above`]),
    ...(below === 0 ? [] : [`+${below} more below`]),
    ...(order.length === total ? [] : [`${total - order.length} done, hidden`]),
    ...(zoom === 0 ? [] : [`zoom ${2 ** zoom}×`]),
  ];
  return (
    <>
      <Spans line={axisLine(frame, widths, ended ? "end▼" : "now▼")} />
      {rows.map((row) => (
        <Row key={row} index={order[row] ?? 0} frame={frame} widths={widths} selected={selected} />
      ))}
      {Array.from({ length: Math.max(0, height - OTHER_LINES - rows.length) }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an empty line is its place
        <Spans key={`blank ${i}`} line={[{ text: " " }]} />
      ))}
      <Spans line={fitLegend(legend(hidden.join(" · ")), columns)} />
      <Detail width={columns} />
    </>
  );
});

/** The shown time, reported to the store for panning. It changes with the columns, not with the seconds. */
function useFrame(columns: number): TimeFrame {
  const store = use(DashboardContext)?.store;
  const frame = useDashboard(
    useShallow(({ run, now, ui }) =>
      timeFrame({ startedAt: run?.startedAt ?? now, until: run?.end?.at ?? now, columns, ui: ui.timeline }),
    ),
  );
  const ms = frame.ms * columns;
  useEffect(() => store?.dispatch({ type: "timeline-view", action: { type: "span", ms } }), [store, ms]);
  return frame;
}

/** The counts of hidden rows, and the meanings of the signs, a piece each. */
function legend(hidden: string): readonly SpanLine[] {
  const signs = [
    [{ glyph: TIME_FILLS.agent, tone: "running" }, "agent"],
    [{ glyph: TIME_FILLS.checks, tone: "waiting" }, "checks"],
    [{ glyph: TIME_FILLS.person, tone: "person" }, "waits for you"],
    [STYLES.done, "landed"],
    [STYLES.failed, "failed"],
    [STYLES.again, "reverted"],
    [STYLES.landed, "not live yet"],
    [STYLES.cutOff, "cut off"],
  ] as const;
  return [
    [{ text: hidden === "" ? " " : ` ${hidden}  `, bold: true }],
    ...signs.map(
      ([{ glyph, tone }, word]): SpanLine => [
        { text: `${glyph} `, tone },
        { text: `${word}  `, tone: "waiting" },
      ],
    ),
  ];
}

/** The clock over the rows: local times at their columns, and the present or the end of the run. */
function axisLine(frame: TimeFrame, { ids, title, time }: RowWidths, mark: string): SpanLine {
  const cells = Array.from({ length: time }, () => " ");
  const { now } = frame;
  const from = Math.max(0, now + 1 - mark.length);
  const isShown = now >= 0 && now < time;
  for (const { column, label } of axisTicks(frame)) {
    const end = column + 1 + label.length;
    const fits = end <= time && !(isShown && end >= from && column <= now);
    if (fits) cells.splice(column, 1 + label.length, ...`╎${label}`);
  }
  const head = { text: ` ticket${" ".repeat(Math.max(1, ids + title - 3))}`, tone: "waiting" as const };
  const part = (a: number, b?: number) => ({ text: cells.slice(a, b).join(""), tone: "waiting" as const });
  if (!isShown) return [head, part(0)];
  return [head, part(0, from), { text: mark, tone: "running", bold: true }, part(from + mark.length)];
}

/** The spans of a ticket's row, but for its selection. */
function rowLine(state: DashboardState, index: number, frame: TimeFrame, { ids, title, time, words }: RowWidths): SpanLine {
  const { run, lists, now } = state;
  if (run === undefined) return [];
  const ticket = vecAt(run.tickets, index);
  const { id } = ticket;
  const need = lists.needs.find((each) => each.ticket === id);
  const { glyph, tone } = need ? STYLES.needsYou : ticketStyle(state, index);
  const until = run.end?.at ?? Math.max(now, run.lastEventAt);
  const column = (at: number): number => timeColumn(at, frame.start, frame.ms);
  const drawn = timeCells(ticketTime(ticket, run.outages?.journal?.since), { columns: time, now: until, column });
  const chosen = state.ui.ticket.pick?.ticket === id ? chosenTime(state, ticket, until) : undefined;
  const cells = drawn.map((cell, x) =>
    chosen !== undefined && x >= column(chosen.from) && x <= column(chosen.to) ? { ...cell, inverse: true } : cell,
  );
  const isUntried = ticket.attempt === undefined && ticket.history.length === 0 && ticket.phase !== "done";
  const says = need?.says ?? (isUntried ? queueLabel(state, id).text : attemptsText(ticket));
  return [
    { text: `${glyph} `, tone },
    { text: fitTo(id, ids), bold: true },
    {
      text: title === 0 ? " " : ` ${fitTo(displayTitle(state, id), title - 1)} `,
      tone: ticket.phase === "done" ? "waiting" : "plain",
    },
    ...joinSpans(cells),
    { text: ` ${fitTo(displayText(says), words)}`, tone: need ? "person" : "waiting" },
  ];
}

/** The time of the chosen attempt of a ticket. Milliseconds since the epoch. */
function chosenTime(
  state: DashboardState,
  { history, attempt }: TicketState,
  now: number,
): { readonly from: number; readonly to: number } | undefined {
  const n = currentTarget(state)?.attempt.n;
  const past = history.find((each) => each.n === n);
  if (past !== undefined) return { from: past.startedAt, to: past.endedAt };
  return attempt?.n === n && attempt !== undefined ? { from: attempt.startedAt, to: now } : undefined;
}

/** One ticket over the shown time. Redrawn only if a cell of it changes. */
const Row = memo(function Row(options: {
  readonly index: number;
  readonly frame: TimeFrame;
  readonly widths: RowWidths;
  readonly selected: TicketId | undefined;
}): ReactNode {
  const { index, frame, widths, selected } = options;
  useDrawn(`timeline row ${index}`);
  const text = useDashboard((s) => JSON.stringify(rowLine(s, index, frame, widths)));
  const id = useDashboard((s) => s.run?.plan.tickets[index]?.id);
  const line = useMemo((): SpanLine => {
    const [sign, name, ...rest] = JSON.parse(text) as SpanLine;
    const isSelected = id === selected;
    const mark = { text: isSelected ? "▌" : " ", tone: "running" as const };
    return sign === undefined || name === undefined ? [] : [mark, sign, { ...name, inverse: isSelected }, ...rest];
  }, [text, id, selected]);
  return <Spans line={line} />;
});

/** The chosen attempt of the selected ticket in words, and the one before it. */
function Detail({ width }: { readonly width: number }): ReactNode {
  const text = useDashboard((s) => {
    const ticket = s.ui.selected === undefined ? undefined : ticketIn(s, s.ui.selected);
    const lines =
      ticket === undefined
        ? [selectLine(keyIn(s, "timeline", "select-next"))]
        : attemptLines(ticket, currentTarget(s)?.attempt.n);
    return JSON.stringify(lines);
  });
  const lines = useMemo(() => JSON.parse(text) as readonly SpanLine[], [text]);
  return Array.from({ length: DETAIL_LINES }, (_, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
    <Spans key={i} line={cutSpans(lines[i] ?? [{ text: " " }], width)} />
  ));
}

function selectLine(keys: string): SpanLine {
  return [{ text: keys === "" ? " no ticket is selected" : ` ${keys} select a ticket`, tone: "waiting" }];
}

/** `✖ T-6 attempt 2  failed  12:20:01–12:25:41  agent 05:00  finish line 00:40  2 of 88: …`. */
function attemptLines(ticket: TicketState, chosen: number | undefined): readonly SpanLine[] {
  const { id, attempt } = ticket;
  const history = ticket.history.filter(({ n }) => chosen === undefined || n <= chosen);
  if (attempt === undefined && history.length === 0) return [[{ text: ` ${id} was not tried yet`, tone: "waiting" }]];
  const past = history.toReversed().map((each): SpanLine => {
    const { n, startedAt, slotLeftAt, endedAt, summary } = each;
    const { glyph, tone, word } = outcomeLabel(attemptEnd(ticket, each), true);
    const finish = endedAt > slotLeftAt ? `  finish line ${formatElapsed(endedAt - slotLeftAt)}` : "";
    const times = `  ${formatClock(startedAt)}–${formatClock(endedAt)}  agent ${formatElapsed(slotLeftAt - startedAt)}${finish}`;
    return [
      { text: ` ${glyph} `, tone },
      { text: `${id} attempt ${n}  `, bold: true },
      { text: word, tone },
      { text: times, tone: "waiting" },
      { text: `  ${displayText(summary)}` },
    ];
  });
  if (attempt === undefined || (chosen !== undefined && attempt.n > chosen)) return past;
  const { glyph, tone } = attempt.isHeld === true ? STYLES.heldUp : STYLES.agent;
  const where = attempt.isHeld === true ? "held" : attempt.slotLeftAt === undefined ? "at work" : "on the finish line";
  const since = `${where} since ${formatClock(attempt.slotLeftAt ?? attempt.startedAt)}  slot ${attempt.slot + 1}`;
  return [
    [
      { text: ` ${glyph} `, tone },
      { text: `${id} attempt ${attempt.n}  `, bold: true },
      { text: since, tone },
    ],
    ...past,
  ];
}
