import { builtText } from "../../../src/domain/results/built.ts";
import { computeLedger } from "../../../src/domain/results/ledger.ts";
import { outcomes } from "../../../src/domain/results/outcomes.ts";
import { ticketSettlement } from "../../../src/domain/results/settlement.ts";
import { computeTrend, type EarlierRun } from "../../../src/domain/results/trend.ts";
import { findLanding } from "../../../src/domain/run/carry-over.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import type { TicketState } from "../../../src/domain/run/ticket-state.ts";
import { keptWorkLines } from "../../../src/domain/run/work-to-keep.ts";
import { plannedTicket } from "../../../src/domain/schedule/plan.ts";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import { plural } from "../../../src/domain/values/text.ts";
import { displayText, formatElapsed, formatUsd } from "../../../src/store/format.ts";
import { headline, runLabel } from "../../../src/store/labels/run-label.ts";
import { titleLabel } from "../../../src/store/labels/ticket-label.ts";
import { STYLES, type Style, type Tone } from "../../../src/store/labels/tone.ts";
import { landingLink, serviceLink, ticketUrl } from "../../../src/store/links.ts";
import { awayText } from "../../../src/store/results/away-lines.ts";
import { healSummary } from "../../../src/store/results/heal-lines.ts";
import { landedCommands, landedSizeText } from "../../../src/store/results/landed-lines.ts";
import { numbersLines } from "../../../src/store/results/numbers-line.ts";
import { foundLabel, landedLines, nextLines, openStyle } from "../../../src/store/results/summary.ts";
import { idWidth } from "../../frame/layout.ts";
import { fitTo, wrapWords } from "../../kit/fit.ts";
import type { PaneLine } from "../../kit/lines-pane.tsx";
import { linkSpans, type Span, type SpanLine, toLink } from "../../kit/spans.tsx";
import { trendLines } from "../../kit/trend-lines.ts";

/** The summary's inputs beside the run: earlier runs, newest first, and the ticket whose step a key copies. */
interface Beside {
  readonly earlier?: readonly EarlierRun[];
  readonly copies?: TicketId | undefined;
  readonly selected?: TicketId | undefined;
  /** Where the run's files are. */
  readonly url?: string | undefined;
}

/** A line of the summary, and the ticket that it is about. */
export interface SummaryRow {
  readonly line: PaneLine;
  readonly ticket?: TicketId;
}

/** The result of the run in full: nothing is cut, and the steps left to a person are verbatim. */
export function summaryRows(run: RunState, width: number, beside: Beside = {}): readonly SummaryRow[] {
  const { earlier = [], url } = beside;
  const { done, gated, open } = outcomes(run);
  const of = (ticket: TicketState, lines: readonly SpanLine[]): readonly SummaryRow[] => {
    const marked = lines.map((line, i) => (i === 0 && ticket.id === beside.selected ? selectedLine(line) : line));
    return linkLines(run, ticket, idWidth(run.plan), marked).map((line) => ({ line, ticket: ticket.id }));
  };
  const plain = (lines: readonly SpanLine[]): readonly SummaryRow[] => lines.map((line) => ({ line }));
  return [
    ...section(
      "YOURS NOW",
      "person",
      gated.length,
      gated.flatMap((t) => of(t, stepLines(run, t, width, beside.copies))),
    ),
    ...section("VERDICT", "oracle", "", plain(verdictLines(run, width, url))),
    ...section("NEXT", "person", "", plain(nextStepLines(run, width))),
    ...section(
      "NOT DONE",
      "bad",
      open.length,
      open.flatMap(({ ticket, why }) => of(ticket, openLines(run, ticket, why, width))),
    ),
    ...section("WHAT HAPPENED", "plain", "", plain(textLines(awayText(run), width))),
    ...section("NUMBERS", "plain", "", plain(textLines(numbersLines(computeLedger(run), width - 2), width))),
    ...section(
      "TICKETS",
      "good",
      done.length,
      done.flatMap((t) => of(t, doneLines(run, t, { numbers: numbersWidth(done, width), width }))),
    ),
    ...section("COMMANDS", "plain", "", plain(textLines(landedCommands(run), width))),
    ...section("HEALS", "running", run.heals.past.length, plain(textLines(healSummary(run), width))),
    ...section("LAST RUNS", "plain", "", plain(trendLines(computeTrend(run, earlier), width))),
  ];
}

/** The first line of the selected ticket: the mark of every list, and its id in reverse. */
function selectedLine([, glyph, id, ...rest]: SpanLine): SpanLine {
  const name = id?.text.trimEnd() ?? "";
  return [
    { text: "▌", tone: "running" },
    ...(glyph === undefined ? [] : [glyph]),
    { text: name, bold: true, inverse: true },
    { text: " ".repeat((id?.text.length ?? 0) - name.length) },
    ...rest,
  ];
}

/** An open ticket, with why it is open and what of it has landed. */
function openLines(run: RunState, ticket: TicketState, why: string, width: number): readonly SpanLine[] {
  const ids = idWidth(run.plan);
  const text = `${titleLabel({ run }, ticket.id)}: ${displayText(why)}`;
  return [
    ...itemLines(ticket, { ...openStyle(ticket, run), text }, { ids, width }),
    ...underLines(landedLines(run, ticket), ids, width),
    ...keptLines(ticket, ids, width),
  ];
}

function doneLines(
  run: RunState,
  ticket: TicketState,
  { numbers, width }: { readonly numbers: number; readonly width: number },
): readonly SpanLine[] {
  const ids = idWidth(run.plan);
  return [doneLine(ticket, titleLabel({ run }, ticket.id), { ids, numbers, width }), ...keptLines(ticket, ids, width)];
}

/** The verdict, with its reason unless it says it all. */
function verdictLines(run: RunState, width: number, url?: string): readonly SpanLine[] {
  const head: SpanLine = [{ text: ` ${headline(run)}`, tone: runLabel(run, { state: "live" }).tone, bold: true }];
  const reason = run.end?.kind === "oracle-done" ? [] : textLines([run.end?.reason ?? ""], width);
  return [linkSpans(head, [toLink(headline(run), width, url)]), ...reason];
}

/** Texts as they are, wrapped: nothing is cut, because some are for pasting. */
function textLines(texts: readonly string[], width: number): readonly SpanLine[] {
  return texts.flatMap((text) => wrapWords(displayText(text), width - 2).map((line): SpanLine => [{ text: ` ${line}` }]));
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

/** The step of a ticket that is left to a person, and what is built up to it. */
function stepLines(run: RunState, ticket: TicketState, width: number, copies: TicketId | undefined): readonly SpanLine[] {
  const ids = idWidth(run.plan);
  return [
    ...itemLines(ticket, { ...STYLES.needsYou, text: humanStepText(ticket) }, { ids, width, marked: ticket.id === copies }),
    ...underLines([builtText(ticket, plannedTicket(run.plan, ticket.id))], ids, width),
    ...keptLines(ticket, ids, width),
  ];
}

/** The branches with the work of a ticket's cut-off attempts, below it. */
function keptLines(ticket: TicketState, ids: number, width: number): readonly SpanLine[] {
  return underLines(keptWorkLines(ticket), ids, width);
}

/** The lines of a ticket: its id leads to its page, and the commit that landed it to its own. */
function linkLines(run: RunState, ticket: TicketState, ids: number, lines: readonly SpanLine[]): readonly SpanLine[] {
  const page = toLink(ticket.id, ids, ticketUrl(ticket));
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

function section(title: string, tone: Tone, count: number | string, rows: readonly SummaryRow[]): readonly SummaryRow[] {
  return rows.length === 0 ? [] : [{ line: { title, tone, count: String(count) } }, ...rows];
}

/** The remaining step, with the ticket's finder. */
function humanStepText(ticket: TicketState): string {
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
  const landing = findLanding(ticket);
  const isNarrow = width < 72;
  // The column that says "before this run" is not there.
  const sha = fitTo(isNarrow && landing?.earlierRun !== undefined ? "earlier" : (landing?.sha.slice(0, 7) ?? ""), 7);
  const size = width < 100 ? "" : fitTo(landedSizeText(ticket), 30);
  const effort = isNarrow ? "" : `${fitTo(effortText(ticket), 15)} ${fitTo(time, 8, "right")} `;
  const right = `${pull}${sha}  ${size}${effort}${fitTo(formatUsd(ticket.costUsd), 8, "right")} `;
  const room = Math.max(8, width - ids - 5 - right.length - 2);
  return [
    { text: " " },
    { text: `${STYLES.done.glyph} `, tone: STYLES.done.tone },
    { text: `${fitTo(ticket.id, ids)}  `, bold: true },
    { text: fitTo(title, room) },
    { text: `  ${right}`, tone: "waiting" },
  ];
}

/** The attempts of a done ticket; without one, its change landed earlier and is live now, or it was done already. */
function effortText(ticket: TicketState): string {
  const settlement = ticketSettlement(ticket);
  if (settlement === "by-person") return "by a person";
  if (ticket.history.length > 0) return plural(ticket.history.length, "attempt");
  return settlement === "before" ? "before this run" : "landed earlier";
}
