import { Box } from "ink";
import { memo, type ReactNode, useMemo } from "react";
import { useShallow } from "zustand/react/shallow";
import { isMissing } from "../../../src/domain/run/drift-fact.ts";
import type { TicketState } from "../../../src/domain/run/ticket-state.ts";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import { type DashboardState, ticketIn } from "../../../src/store/dashboard-state.ts";
import { missingUntil } from "../../../src/store/labels/progress-label.ts";
import { type PullRequestStatus, waitingPullRequest } from "../../../src/store/labels/pull-request-status.ts";
import { displayTitle, queueLabel, titleLabel } from "../../../src/store/labels/ticket-label.ts";
import { landingLink, serviceLink, ticketUrl } from "../../../src/store/links.ts";
import { filteredLists } from "../../../src/store/lists.ts";
import { idWidth, type Layout } from "../../frame/layout.ts";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { cut, firstParts, fitTo, textWidth } from "../../kit/fit.ts";
import {
  linkSpans,
  Rule,
  type Span,
  type SpanLine,
  Spans,
  type TimedSpan,
  TimedSpans,
  timeSpan,
  toLink,
} from "../../kit/spans.tsx";
import { type QueueLine, queueLines, type SectionName } from "./sections.ts";
import { selectionMark } from "./worker-row.tsx";

/** Every ticket without a row among the workers: its current step on the finish line, or the reason why it waits. */
export const Queue = memo(function Queue({ layout }: { readonly layout: Layout }): ReactNode {
  useDrawn("queue");
  const whole = useDashboard((s) => s.lists);
  const filtered = useDashboard(filteredLists);
  const text = useDashboard((s) => s.ui.filter);
  const selected = useDashboard((s) => s.ui.selected);
  const plan = useDashboard((s) => s.run?.plan);
  const { width, height } = layout.queue;
  const lines = useMemo(() => {
    const filter = filtered && { text, shown: filtered.shown, all: filtered.all, whole };
    return queueLines(filtered?.lists ?? whole, { width, height }, selected, filter);
  }, [whole, filtered, text, width, height, selected]);
  const ids = plan === undefined ? 4 : idWidth(plan);
  const empty = Array.from({ length: Math.max(0, height - lines.length) }, (_, i) => `empty ${i}`);
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0}>
      {lines.map((line, i) => drawn(line, i, { width, ids, wide: layout.wide, selected, isTop: layout.needs.height === 0 }))}
      {layout.wide && empty.map((key) => <Spans key={key} line={DIVIDER} />)}
    </Box>
  );
});

interface Of {
  readonly width: number;
  readonly ids: number;
  readonly wide: boolean;
  readonly selected: string | undefined;
  /** Nothing stands above it. */
  readonly isTop: boolean;
}

function drawn(line: QueueLine, i: number, options: Of): ReactNode {
  const left = options.wide ? "│" : "";
  switch (line.line) {
    case "title": {
      const corner = i === 0 && options.isTop ? "┬" : "├";
      return (
        <Rule
          key={line.title}
          title={line.title}
          count={line.count}
          tone={line.tone}
          width={options.width}
          left={options.wide ? corner : ""}
        />
      );
    }
    case "ticket":
      return (
        <QueueRow
          key={line.id}
          id={line.id}
          section={line.section}
          idWidth={options.ids}
          width={options.width}
          selected={line.id === options.selected}
          left={left}
        />
      );
    case "hidden":
      return <Spans key={`hidden ${line.section}`} line={[{ text: `${left}   ${line.words}`, tone: "waiting" }]} />;
  }
}

const DIVIDER: SpanLine = [{ text: "│", tone: "waiting" }];

/** Columns of a word, so that titles beside short words align: those of a commit, or of a reason of usual length. */
function labelWidth(section: SectionName, room: number): number {
  if (section === "done") return 7;
  if (section !== "waiting" && room < 90) return 0;
  return Math.min(40, Math.floor(room * 0.4));
}

const BETWEEN = "  ";
const LEAST_TITLE = 6;

/**
 * The word, and behind it the title, in `room` columns, and one more for a mark. If the title has no room, the mark replaces it,
 * apart from a word that is whole.
 */
export function wordAndTitle(section: SectionName, word: Span, title: string, room: number): SpanLine {
  const beside = labelWidth(section, room);
  const fits = (words: string): boolean => textWidth(words) <= beside;
  // "ready; all 4 slots are busy": where there is no room for both, a title says more than the second half, which stands in the ticket's view.
  const [short = ""] = word.text.split("; ", 1);
  const isLong = textWidth(word.text) + textWidth(BETWEEN) + textWidth(title) > room;
  const said = section === "waiting" && isLong && fits(short) ? short : word.text;
  const isShort = fits(said) && room - beside >= LEAST_TITLE + textWidth(BETWEEN);
  const text = isShort ? fitTo(said, beside) : cut(said, room);
  const left = room - textWidth(text) - textWidth(BETWEEN);
  const isWhole = isShort || text === said;
  const hasRoom = left >= Math.min(LEAST_TITLE, textWidth(title));
  const mark = isWhole ? cut(" …", room + 1 - textWidth(text)) : "";
  const behind = title === "" ? "" : hasRoom ? `${BETWEEN}${cut(title, left)}` : mark;
  const pad = " ".repeat(Math.max(0, room + 1 - textWidth(text) - textWidth(behind)));
  return [
    { ...word, text },
    { text: `${behind}${pad}`, tone: "waiting" },
  ];
}

const TIME_WIDTH = 7;

interface RowProps {
  readonly id: TicketId;
  readonly section: SectionName;
  readonly idWidth: number;
  readonly width: number;
  readonly selected: boolean;
  /** The first column: the line between the blocks. */
  readonly left: string;
}

/** One ticket without a row among the workers. */
const QueueRow = memo(function QueueRow(options: RowProps): ReactNode {
  useDrawn(`queue ${options.id}`);
  const marked = useDashboard((s) => s.ui.marked.includes(options.id));
  const word = useDashboard(useShallow((s) => queueLabel(s, options.id)));
  // The status of a waiting ticket already names its finder.
  const title = useDashboard((s) => (options.section === "waiting" ? displayTitle(s, options.id) : titleLabel(s, options.id)));
  const startedAt = useDashboard((s) => attemptStart(ticketIn(s, options.id)));
  const nextAt = useDashboard((s) => nextCheck(s, options.id));
  const endsAt = useDashboard((s) => endOfWait(s, options.id));
  const url = useDashboard((s) => ticketUrl(ticketIn(s, options.id)));
  const landing = useDashboard(useShallow((s) => landingLink(s.run, ticketIn(s, options.id))));
  const service = useDashboard(useShallow((s) => serviceLink(ticketIn(s, options.id))));
  const waits = useDashboard((s) => JSON.stringify(waitingPullRequest(s, options.id) ?? null));
  const line = useMemo(() => {
    const links = [toLink(options.id, options.idWidth, url), service, landing];
    const pullRequest: PullRequestStatus | undefined = JSON.parse(waits) ?? undefined;
    return linkSpans(queueLine(options, { marked, word, title, startedAt, nextAt, endsAt, pullRequest }), links);
  }, [options, marked, word, title, startedAt, nextAt, endsAt, url, service, landing, waits]);
  return <TimedSpans line={line} />;
});

/** The start of an attempt. While a command of its step runs, the row's word has that command's own clock. */
function attemptStart(ticket: TicketState | undefined): number | undefined {
  return ticket?.attempt?.step?.part === undefined ? ticket?.attempt?.startedAt : undefined;
}

/**
 * The next live check of a landed ticket, in milliseconds since the epoch. Without an engine it is not known, and there is none once a
 * person has gated the ticket.
 */
function nextCheck(state: DashboardState, id: TicketId): number | undefined {
  const ticket = ticketIn(state, id);
  if (state.ui.connection.state !== "live" || state.run?.end !== undefined || ticket?.gate !== undefined) return undefined;
  return ticket?.phase === "landed" ? ticket.live?.nextAt : undefined;
}

/** The time at which a run ends that waits for this ticket, which is gone from the tracker. Milliseconds since the epoch. */
function endOfWait({ run, ui }: DashboardState, id: TicketId): number | undefined {
  const ticket = ticketIn({ run }, id);
  if (run === undefined || ticket === undefined || ui.connection.state !== "live" || !isMissing(ticket)) return undefined;
  return missingUntil(run);
}

function queueLine(
  options: RowProps,
  said: {
    readonly marked: boolean;
    readonly word: ReturnType<typeof queueLabel>;
    readonly title: string;
    readonly startedAt: number | undefined;
    readonly nextAt: number | undefined;
    readonly endsAt: number | undefined;
    readonly pullRequest: PullRequestStatus | undefined;
  },
): readonly (Span | TimedSpan)[] {
  const { startedAt, nextAt, endsAt, pullRequest } = said;
  const { glyph, tone } = { ...said.word, ...pullRequest };
  const whole = options.width - textWidth(options.left) - 3 - options.idWidth - 1 - 1;
  const clock = whole >= 40 ? queueClock(startedAt, nextAt, endsAt) : undefined;
  const room = clock === undefined ? whole : whole - clock.width - 1;
  const text = pullRequest?.parts === undefined ? said.word.text : firstParts(pullRequest.parts, room);
  const word: Span = { text, tone };
  return [
    { text: options.left, tone: "waiting" },
    selectionMark(options.selected, said.marked),
    { text: `${glyph} `, tone },
    { text: fitTo(options.id, options.idWidth), bold: options.selected, inverse: options.selected },
    { text: " " },
    // A line that was cut has a mark already.
    ...wordAndTitle(options.section, word, text.endsWith("…") ? "" : said.title, room),
    ...(clock === undefined ? [] : [clock.span]),
  ];
}

/** The time since an attempt began, until the run ends for want of the ticket, or until the next live check. */
function queueClock(
  startedAt: number | undefined,
  nextAt: number | undefined,
  endsAt: number | undefined,
): { readonly span: TimedSpan; readonly width: number } | undefined {
  if (startedAt !== undefined)
    return { span: timeSpan({ since: startedAt, format: "elapsed", width: TIME_WIDTH }), width: TIME_WIDTH };
  const at = endsAt ?? nextAt;
  if (at === undefined) return undefined;
  const width = TIME_WIDTH + 5;
  const prefix = endsAt === undefined ? "next " : "ends ";
  return { span: timeSpan({ since: at, until: true, format: "elapsed", prefix, width, tone: "waiting" }), width };
}
