import { Box } from "ink";
import { memo, type ReactNode, useMemo } from "react";
import type { ReviewerParty } from "../../../src/domain/batch/party.ts";
import type { Batch, Ticket } from "../../../src/domain/batch/schema.ts";
import { isHarder } from "../../../src/domain/complexity/classes.ts";
import type { Plan } from "../../../src/domain/run/state.ts";
import type { Attempt, TicketState } from "../../../src/domain/run/ticket-state.ts";
import { plannedTicket } from "../../../src/domain/schedule/plan.ts";
import { agentLimitMs } from "../../../src/domain/schedule/stop-conditions.ts";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import { ticketIn } from "../../../src/store/dashboard-state.ts";
import { displayText, formatAge } from "../../../src/store/format.ts";
import { attemptMarks, STEP_STYLES, type StatusLine, statusLine } from "../../../src/store/labels/attempt-status.ts";
import { attemptStage, progressParts, stageText } from "../../../src/store/labels/progress-label.ts";
import { type PullRequestStatus, waitingPullRequest } from "../../../src/store/labels/pull-request-status.ts";
import { behaviourSign } from "../../../src/store/labels/signals-label.ts";
import { reviewerLabel } from "../../../src/store/labels/tone.ts";
import { ticketUrl } from "../../../src/store/links.ts";
import { causeWords } from "../../../src/store/results/outcome-lines.ts";
import type { Density } from "../../frame/layout.ts";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { cut, firstParts, fitTo, textWidth } from "../../kit/fit.ts";
import { linkSpans, type Span, type SpanLine, type TimedSpan, TimedSpans, timeSpan, toLink } from "../../kit/spans.tsx";
import type { WorkerColumns } from "./worker-columns.ts";

/** The data that all worker rows share. */
export interface OfAllRows {
  readonly plan: Plan;
  readonly silenceMs: number;
  readonly batch: Pick<Batch, "limits" | "complexity" | ReviewerParty>;
  readonly columns: WorkerColumns;
  readonly density: Density;
  readonly width: number;
  /** The engine is gone: the rows show the last known state. */
  readonly lost: boolean;
}

interface RowProps extends OfAllRows {
  readonly ticket: TicketState;
  readonly spec: Ticket;
  readonly attempt: Attempt;
  readonly selected: boolean;
  readonly marked: boolean;
  /** The pull request that it waits on; absent if it is at something else. */
  readonly pullRequest: PullRequestStatus | undefined;
}

type TimedLine = readonly (Span | TimedSpan)[];

/** One worker: its ticket, its progress, its status, and its silence. Redrawn only for its own ticket. */
export const WorkerRow = memo(function WorkerRow(options: {
  readonly id: TicketId;
  readonly all: OfAllRows;
  readonly selected: boolean;
}): ReactNode {
  useDrawn(`worker ${options.id}`);
  const { all, selected } = options;
  const ticket = useDashboard((s) => ticketIn(s, options.id));
  const spec = ticket && plannedTicket(all.plan, options.id);
  const marked = useDashboard((s) => s.ui.marked.includes(options.id));
  const waits = useDashboard((s) => JSON.stringify(waitingPullRequest(s, options.id) ?? null));
  const row = useMemo(() => {
    const pullRequest: PullRequestStatus | undefined = JSON.parse(waits) ?? undefined;
    return ticket?.attempt && spec ? { ...all, ticket, spec, attempt: ticket.attempt, selected, marked, pullRequest } : undefined;
  }, [all, ticket, spec, selected, marked, waits]);
  return row === undefined ? <Box height={all.density} flexShrink={0} /> : <Row row={row} />;
});

function Row({ row }: { readonly row: RowProps }): ReactNode {
  const [first, second] = useMemo(() => {
    const lines = [firstLine(row), secondLine(row)] as const;
    return row.lost ? lines.map((line) => line?.map(lastSeen)) : lines;
  }, [row]);
  return (
    <Box flexDirection="column" height={row.density} flexShrink={0}>
      {first !== undefined && <TimedSpans line={first} />}
      {second !== undefined && <TimedSpans line={second} />}
    </Box>
  );
}

/** A piece of a row without an engine: nothing in it looks active. */
function lastSeen(piece: Span | TimedSpan): Span | TimedSpan {
  const faded = ({ tone: _, bold: __, ...span }: Span): Span => ({ ...span, tone: "waiting" });
  return typeof piece === "function" ? (now) => faded(piece(now)) : faded(piece);
}

/** The first column of a row. A marked row that is selected shows its mark: its id is inverse. */
export function selectionMark(selected: boolean, marked = false): Span {
  return { text: marked ? "+" : selected ? "▌" : " ", tone: "running", bold: marked };
}

const SECOND = 1000;

/** The status at `now` (milliseconds since the epoch), in at most `width` columns. A claim stays quoted if it is cut. */
function sayingText({ text, tone, from, parts, running }: StatusLine, width: number, now: number): string {
  if (running !== undefined) return firstParts(progressParts(running, now, "beside"), width);
  if (parts !== undefined) return firstParts(parts, width);
  if (tone === "claim") return `"${cut(text, width - 2)}"`;
  if (from === undefined) return cut(text, width);
  const left = Math.ceil((from - now) / SECOND) * SECOND;
  const when = left > 0 ? ` in ${formatAge(left)}` : " now";
  return cut(text, width - when.length) + when;
}

/** The status of an attempt, in exactly `width` columns and a space; it may have a clock. */
function said(saying: StatusLine, width: number): Span | TimedSpan {
  const at = (now: number): Span => ({ text: `${fitTo(sayingText(saying, width, now), width)} `, tone: saying.tone });
  return saying.from === undefined && saying.running === undefined ? at(0) : at;
}

function workerStatus({ attempt, batch, spec, pullRequest }: RowProps): StatusLine {
  if (pullRequest !== undefined) return { text: "", ...pullRequest };
  const sign = attempt.agent?.endedAt === undefined ? behaviourSign(attempt) : undefined;
  if (sign !== undefined) return { text: `${sign.glyph} ${sign.text}`, tone: sign.tone };
  return statusLine(attempt, { finish: spec.finish, reviewer: reviewerLabel({ batch }, attempt.asked) });
}

/** Columns of `attempt 1`. */
const ATTEMPT_WORD = 9;

function firstLine(options: RowProps): TimedLine {
  const { columns: c, attempt, selected, ticket, spec } = options;
  const stage = attemptStage(attempt, spec.finish);
  const saying = c.saying > 0 ? [said(workerStatus(options), c.saying)] : [];
  const repo: SpanLine = c.repo > 0 ? [{ text: `${fitTo(spec.repo, c.repo)} `, tone: "waiting" }] : [];
  const line: TimedLine = [
    selectionMark(selected, options.marked),
    { text: options.lost ? "? " : `${stage.glyph} `, tone: stage.tone },
    { text: fitTo(ticket.id, c.id), bold: true, inverse: selected },
    { text: ` ${fitTo(`${hardClass(ticket)}${displayText(spec.title)}`, c.title)} `, bold: selected },
    ...saying,
    ...repo,
    {
      text: `${fitTo(c.attempt < ATTEMPT_WORD ? `a${attempt.n}` : `attempt ${attempt.n}`, c.attempt)} `,
      tone: attempt.n > 1 ? "plain" : "waiting",
    },
    ...(c.track > 0 ? trackSpans(options) : []),
    { text: `${fitTo(stageText(attempt, spec.finish), c.stage)} `, tone: stage.tone },
    ...(options.density === 1 ? [quiet(options, c.quiet, "")] : []),
    timeSpan({ since: attempt.startedAt, format: "elapsed", width: c.elapsed }),
  ];
  return linkSpans(line, [toLink(ticket.id, c.id, ticketUrl(ticket))]);
}

/** The class of a ticket that is harder than most, before its title: the text is cut at its end. */
function hardClass({ complexity }: TicketState): string {
  return complexity !== undefined && isHarder(complexity.class, "simple") ? `${complexity.class} · ` : "";
}

function trackSpans({ attempt, spec, columns }: RowProps): SpanLine {
  const marks = attemptMarks(attempt, spec.finish);
  return [
    ...marks.map((mark) => ({ text: STEP_STYLES[mark].glyph, tone: STEP_STYLES[mark].tone })),
    { text: " ".repeat(Math.max(0, columns.track - marks.length) + 1) },
  ];
}

/** Columns of `step 1:02` or `for 0:31`, and of `quiet 27s of 10m`. */
const CLOCK_WIDTH = 10;
const QUIET_WIDTH = 17;
const LEFT_WIDTH = 10;
/** In narrower rows, the time left is for the ticket's view. */
const LEFT_FROM = 90;
/** The cause of the attempt before has at most so many columns, and leaves these to the status. */
const BEFORE_WIDTH = 36;
const LEAST_STATUS = 24;

function secondLine(options: RowProps): TimedLine | undefined {
  const { attempt, columns, width } = options;
  if (options.density < 2) return undefined;
  const saying = workerStatus(options);
  const { agent } = attempt;
  const left =
    agent === undefined || agent.endedAt !== undefined || width < LEFT_FROM
      ? []
      : [
          timeSpan({
            since: agent.launchedAt + agentLimitMs(options.batch, options.spec, options.ticket),
            until: true,
            format: "left",
            suffix: " left",
            width: LEFT_WIDTH,
            tone: "waiting",
          }),
        ];
  const indent = columns.id + 4;
  const start: SpanLine = [selectionMark(options.selected), { text: " ".repeat(indent - 1) }];
  // The time since the push says more than that of the step.
  if (options.pullRequest !== undefined) return [...start, said(saying, width - indent - 2)];
  const isQuiet = width >= 66 && agent !== undefined && agent.endedAt === undefined;
  // Its own clock says more than that of the step.
  const clock = saying.running === undefined ? [quiet(options, isQuiet ? QUIET_WIDTH : CLOCK_WIDTH, "quiet ")] : [];
  const taken = left.length * LEFT_WIDTH + clock.length * (isQuiet ? QUIET_WIDTH : CLOCK_WIDTH);
  const room = width - indent - taken - 2;
  const before = beforeText(options.ticket, room - LEAST_STATUS);
  const rest = before === "" ? room : room - textWidth(before) - 1;
  return [
    ...start,
    said(saying, rest),
    ...(before === "" ? [] : [{ text: `${before} `, tone: "bad" } as const]),
    ...left,
    ...clock,
  ];
}

/** The cause by which the attempt before failed, in a few words; empty if it has not failed, or if there is no room. */
function beforeText({ history }: TicketState, room: number): string {
  const past = history.at(-1);
  if (past === undefined || past.passedBeforeApproval !== undefined || room < 16) return "";
  return cut(`before: ${causeWords(past)}`, Math.min(room, BEFORE_WIDTH));
}

/** Silence while the agent runs; before, the time of the prepare command, and afterwards that of the step. */
function quiet({ attempt, silenceMs }: RowProps, width: number, prefix: string): Span | TimedSpan {
  const since =
    attempt.step?.part?.startedAt ??
    attempt.step?.startedAt ??
    (attempt.agent === undefined ? attempt.preparing?.startedAt : undefined);
  if (since !== undefined) {
    const what = attempt.step === undefined ? "for " : "step ";
    return timeSpan({ since, format: "age", width, prefix: prefix === "" ? "" : what, tone: "waiting" });
  }
  if (attempt.agent === undefined || attempt.agent.endedAt !== undefined) return { text: " ".repeat(width) };
  const heard = attempt.lastOutputAt ?? attempt.agent.launchedAt;
  const suffix = width < QUIET_WIDTH ? "" : ` of ${formatAge(silenceMs)}`;
  const warn = [silenceMs / 2, silenceMs * 0.8] as const;
  return timeSpan({ since: heard, format: "age", width, prefix, suffix, tone: "waiting", warn });
}
