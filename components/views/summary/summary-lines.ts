import { builtText } from "../../../src/domain/results/built.ts";
import { ledgerOf } from "../../../src/domain/results/ledger.ts";
import { outcomes } from "../../../src/domain/results/outcomes.ts";
import { settlementOf } from "../../../src/domain/results/settlement.ts";
import { type EarlierRun, trendOf } from "../../../src/domain/results/trend.ts";
import { landingOf } from "../../../src/domain/run/carry-over.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import type { TicketState } from "../../../src/domain/run/ticket-state.ts";
import { keptWorkLines } from "../../../src/domain/run/work-to-keep.ts";
import { specOf } from "../../../src/domain/schedule/plan.ts";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import { plural } from "../../../src/domain/values/text.ts";
import { vecItems } from "../../../src/domain/values/vec.ts";
import { displayText, formatElapsed, formatLong, formatUsd } from "../../../src/store/format.ts";
import { headline, runLabel } from "../../../src/store/labels/run-label.ts";
import { titleLabel } from "../../../src/store/labels/ticket-label.ts";
import { BARS, STYLES, type Style, type Tone } from "../../../src/store/labels/tone.ts";
import { landingLink, serviceLink, ticketUrl } from "../../../src/store/links.ts";
import { healSummary } from "../../../src/store/results/heal-lines.ts";
import { numbersLines } from "../../../src/store/results/numbers-line.ts";
import { foundLabel, landedLines, nextLines, openStyle } from "../../../src/store/results/summary.ts";
import { shipStyle, shownOutcome, timelineRows } from "../../../src/store/results/timeline-segments.ts";
import { idWidth } from "../../frame/layout.ts";
import { type Bar, paintBars } from "../../kit/bars.ts";
import { fitTo, wrapWords } from "../../kit/fit.ts";
import type { PaneLine } from "../../kit/lines-pane.tsx";
import { linkOf, linkSpans, type Span, type SpanLine } from "../../kit/spans.tsx";
import { trendLines } from "../../kit/trend-lines.ts";

/** The summary's inputs beside the run: earlier runs, newest first, and the ticket whose step a key copies. */
interface Beside {
  readonly earlier?: readonly EarlierRun[];
  readonly copies?: TicketId | undefined;
  /** Where the run's files are. */
  readonly url?: string | undefined;
}

/** The result of the run in full: nothing is cut, and the steps left to a person are verbatim. */
export function summaryLines(run: RunState, width: number, { earlier = [], copies, url }: Beside = {}): readonly PaneLine[] {
  const { done, gated, open } = outcomes(run);
  const ids = idWidth(run.plan);
  const steps = stepLines(run, width, copies).map(({ line }) => line);
  const left = open.flatMap(({ ticket, why }) =>
    linkLines(run, ticket, ids, [
      ...itemLines(
        ticket,
        { ...openStyle(ticket, run), text: `${titleLabel({ run }, ticket.id)}: ${displayText(why)}` },
        { ids, width },
      ),
      ...underLines(landedLines(run, ticket), ids, width),
      ...keptLines(ticket, ids, width),
    ]),
  );
  return [
    ...headLines(run, width, url),
    ...section("NEXT", "person", "", nextStepLines(run, width)),
    ...section("YOURS NOW", "person", gated.length, steps),
    ...section("NOT DONE", "bad", open.length, left),
    ...section(
      "DONE",
      "good",
      done.length,
      done.flatMap((t) =>
        linkLines(run, t, ids, [
          doneLine(t, titleLabel({ run }, t.id), { ids, numbers: numbersWidth(done, width), width }),
          ...keptLines(t, ids, width),
        ]),
      ),
    ),
    ...section("HEALS", "running", run.heals.past.length, healLines(run, width)),
    ...section("LAST RUNS", "plain", "", trendLines(trendOf(run, earlier), width)),
    ...section("SLOTS", "plain", slotsLegend(run), ganttLines(run, width - 2)),
  ];
}

/** What the bars mean; what has landed and is not live only if there is any. */
function slotsLegend(run: RunState): string {
  const hasLanded = timelineRows(run).some(({ bars }) => bars.some(({ outcome }) => outcome === "landed"));
  const landed = hasLanded ? `${BARS.landed.cap} landed, not live  ` : "";
  return `${BARS.shipped.fill} shipped  ${landed}${BARS.notShipped.fill} not`;
}

/** The verdict, its reason, and the numbers. */
function headLines(run: RunState, width: number, url?: string): readonly SpanLine[] {
  const head: SpanLine = [{ text: ` ${headline(run)}`, tone: runLabel(run, { state: "live" }).tone, bold: true }];
  return [
    linkSpans(head, [linkOf(headline(run), width, url)]),
    ...wrapWords(displayText(run.end?.reason ?? ""), width - 2).map((line): SpanLine => [{ text: ` ${line}` }]),
    ...numbersLines(ledgerOf(run), width - 2).map((text): SpanLine => [{ text: ` ${displayText(text)}`, tone: "waiting" }]),
  ];
}

/** The result of each heal, and the heals that wait for a person. */
function healLines(run: RunState, width: number): readonly SpanLine[] {
  return healSummary(run).flatMap((text) =>
    wrapWords(displayText(text), width - 2).map((line): SpanLine => [{ text: ` ${line}` }]),
  );
}

/** The problem to fix, the command that resumes the run, and the work that it keeps; empty if the run is done. */
function nextStepLines(run: RunState, width: number): readonly SpanLine[] {
  return nextLines(run).flatMap((line) => {
    const [name = "", text = ""] = [line.slice(0, 7), line.slice(7)];
    const [first = "", ...rest] = wrapWords(text, Math.max(20, width - name.length - 2));
    return [
      [
        { text: ` ${name}`, tone: "waiting" as const },
        { text: first, bold: name.startsWith("next") },
      ],
      ...rest.map((more): SpanLine => [{ text: `${" ".repeat(name.length + 1)}${more}` }]),
    ];
  });
}

/** A line of a step that is left to a person, and its ticket. */
interface StepLine {
  readonly ticket: TicketId;
  readonly line: SpanLine;
}

/** The steps that are left to a person. */
function stepLines(run: RunState, width: number, copies: TicketId | undefined): readonly StepLine[] {
  const ids = idWidth(run.plan);
  return outcomes(run).gated.flatMap((ticket) => {
    const item = itemLines(ticket, { ...STYLES.needsYou, text: stepOf(ticket) }, { ids, width, marked: ticket.id === copies });
    const built = underLines([builtText(ticket, specOf(run.plan, ticket.id))], ids, width);
    const lines = linkLines(run, ticket, ids, [...item, ...built, ...keptLines(ticket, ids, width)]);
    return lines.map((line) => ({ ticket: ticket.id, line }));
  });
}

/** The branches with the work of a ticket's cut-off attempts, below it. */
function keptLines(ticket: TicketState, ids: number, width: number): readonly SpanLine[] {
  return underLines(keptWorkLines(ticket), ids, width);
}

/** The lines of a ticket: its id leads to its page, and the commit that landed it to its own. */
function linkLines(run: RunState, ticket: TicketState, ids: number, lines: readonly SpanLine[]): readonly SpanLine[] {
  const page = linkOf(ticket.id, ids, ticketUrl(ticket));
  const landing = landingLink(run, ticket);
  return lines.map((line, i) => linkSpans(line, i === 0 ? [page, serviceLink(ticket), landing] : [landing]));
}

/** Lines below a ticket. */
function underLines(lines: readonly string[], ids: number, width: number): readonly SpanLine[] {
  const under = ids + 5;
  return lines
    .flatMap((line) => wrapWords(displayText(line), Math.max(20, width - under - 1)))
    .map((text) => [{ text: " ".repeat(under) + text, tone: "waiting" }]);
}

/** The ticket whose step stands in a line of the summary, counted from 0; undefined if there is none. */
export function stepTicketIn(run: RunState, width: number, line: number): TicketId | undefined {
  // The steps have a title.
  const next = nextStepLines(run, width).length;
  const above = headLines(run, width).length + (next === 0 ? 0 : next + 1);
  return stepLines(run, width, undefined)[line - above - 1]?.ticket;
}

/** A ticket and its text, in as many lines as needed. */
function itemLines(
  { id }: TicketState,
  { glyph, tone, text }: Style & { readonly text: string },
  { ids, width, marked = false }: { readonly ids: number; readonly width: number; readonly marked?: boolean },
): readonly SpanLine[] {
  const under = ids + 5;
  const [first = "", ...rest] = wrapWords(text, Math.max(20, width - under - 1));
  const head: readonly Span[] = [
    { text: marked ? "▸" : " ", tone: "running", bold: true },
    { text: `${glyph} `, tone },
    { text: `${fitTo(id, ids)}  `, bold: true },
  ];
  return [[...head, { text: first }], ...rest.map((line): SpanLine => [{ text: " ".repeat(under) + line }])];
}

function section(title: string, tone: Tone, count: number | string, lines: readonly SpanLine[]): readonly PaneLine[] {
  return lines.length === 0 ? [] : [{ title, tone, count: String(count) }, ...lines];
}

/** The remaining step, with the ticket's finder. */
function stepOf(ticket: TicketState): string {
  return displayText(ticket.humanStep ?? "no step was recorded") + foundLabel(ticket);
}

/** Columns of the numbers of pull requests; 0 if none of these tickets has one, or there is no room. */
function numbersWidth(tickets: readonly TicketState[], width: number): number {
  const numbers = tickets.flatMap(({ pullRequest }) => (pullRequest?.number === undefined ? [] : [`#${pullRequest.number}`]));
  return width < 72 ? 0 : Math.max(0, ...numbers.map((text) => text.length));
}

function doneLine(
  ticket: TicketState,
  title: string,
  { ids, numbers, width }: { readonly ids: number; readonly numbers: number; readonly width: number },
): SpanLine {
  const { number } = ticket.pullRequest ?? {};
  const pull = numbers === 0 ? "" : `${fitTo(number === undefined ? "" : `#${number}`, numbers)}  `;
  const last = ticket.history.at(-1);
  const time = last === undefined ? "" : formatElapsed(last.endedAt - (ticket.history[0]?.startedAt ?? last.startedAt));
  const landing = landingOf(ticket);
  const isNarrow = width < 72;
  // The column that says "before this run" is not there.
  const sha = fitTo(isNarrow && landing?.earlierRun !== undefined ? "earlier" : (landing?.sha.slice(0, 7) ?? ""), 7);
  const effort = isNarrow ? "" : `${fitTo(effortText(ticket), 15)} ${fitTo(time, 8, "right")} `;
  const right = `${pull}${sha}  ${effort}${fitTo(formatUsd(ticket.costUsd), 8, "right")} `;
  const room = Math.max(8, width - ids - 5 - right.length - 2);
  return [
    { text: ` ${STYLES.done.glyph} `, tone: STYLES.done.tone },
    { text: `${fitTo(ticket.id, ids)}  `, bold: true },
    { text: fitTo(title, room) },
    { text: `  ${right}`, tone: "waiting" },
  ];
}

/** The attempts of a done ticket; without one, its change landed earlier and is live now, or it was done already. */
function effortText(ticket: TicketState): string {
  const settlement = settlementOf(ticket);
  if (settlement === "by-person") return "by a person";
  if (ticket.history.length > 0) return plural(ticket.history.length, "attempt");
  return settlement === "before" ? "before this run" : "landed earlier";
}

const LABEL_WIDTH = 5;

/**
 * The agents of each slot over time: one line per slot, from left to right over `width` columns. Full bars shipped or landed, dotted ones
 * did not. Empty if there was no attempt.
 */
export function ganttLines(run: RunState, width: number): readonly SpanLine[] {
  const end = run.end?.at ?? run.lastEventAt;
  const room = width - LABEL_WIDTH - 1;
  if (room < 20) return [];
  const column = (at: number): number => Math.round(((at - run.startedAt) / Math.max(1, end - run.startedAt)) * (room - 1));
  const slots = barsBySlot(run, column);
  if (slots.size === 0) return [];
  const painted = [...slots].toSorted(([a], [b]) => a - b).map(([slot, bars]) => ({ slot, ...paintBars(bars, room) }));
  const lines = painted.map(
    ({ slot, spans }): SpanLine => [
      { text: String(slot + 1).padStart(LABEL_WIDTH - 2), tone: "waiting" },
      { text: "  " },
      ...trimmed(spans),
    ],
  );
  const time = formatLong(end - run.startedAt);
  const axis = `${" ".repeat(LABEL_WIDTH)}0${"┄".repeat(Math.max(0, room - 2 - time.length))} ${time}`;
  const counts = painted.some(({ counted }) => counted) ? [COUNTS] : [];
  return [...lines, [{ text: axis, tone: "waiting" }], ...counts];
}

/** Drops empty spans at the end. */
function trimmed(spans: SpanLine): SpanLine {
  return spans.at(-1)?.text.trim() === "" ? spans.slice(0, -1) : spans;
}

const COUNTS: SpanLine = [{ text: `${" ".repeat(LABEL_WIDTH)}a number counts attempts too short to draw`, tone: "waiting" }];

function barsBySlot(run: RunState, column: (at: number) => number): ReadonlyMap<number, readonly Bar[]> {
  const slots = new Map<number, Bar[]>();
  for (const { id, history, phase } of vecItems(run.tickets)) {
    for (const { slot, startedAt, slotLeftAt, outcome } of history) {
      const style = shipStyle(shownOutcome(outcome, phase));
      const bar = { from: column(startedAt), to: column(slotLeftAt), label: id, style };
      slots.set(slot, [...(slots.get(slot) ?? []), bar]);
    }
  }
  return slots;
}
