import type { TicketId } from "../src/domain/ids.ts";
import { ledgerOf } from "../src/domain/ledger.ts";
import type { RunState, TicketState } from "../src/domain/state.ts";
import { foundWords, headline, numbersLine, outcomes } from "../src/domain/summary.ts";
import { type EarlierRun, trendOf } from "../src/domain/trend.ts";
import { displayText } from "../src/store/display-text.ts";
import { formatElapsed, formatUsd, plural } from "../src/store/format.ts";
import { runWord } from "../src/store/run-word.ts";
import type { Tone } from "../src/store/tone.ts";
import { fitTo, wrapWords } from "./fit.ts";
import { ganttLines } from "./gantt.ts";
import { trendLines } from "./ledger/trend-lines.ts";
import { titleWord } from "./queue-word.ts";
import type { Span, SpanLine } from "./spans.tsx";
import { idWidth } from "./worker-columns.ts";

/** A line of the summary: text, or the title of a section. */
export type SummaryLine = { readonly title: string; readonly count: string; readonly tone: Tone } | SpanLine;

/** What the summary shows beside the run: runs before it, newest first, and the ticket whose step a key copies. */
interface Beside {
  readonly earlier?: readonly EarlierRun[];
  readonly copies?: TicketId | undefined;
}

/** What the run came to, whole: nothing is cut out, and the steps left to a person are given word for word. */
export function summaryLines(run: RunState, width: number, { earlier = [], copies }: Beside = {}): readonly SummaryLine[] {
  const ledger = ledgerOf(run);
  const { shipped, gated, open } = outcomes(run);
  const ids = idWidth(run.plan);
  const tone = runWord(run, { state: "live" }).tone;
  const under = ids + 5;
  const item = (glyph: string, t: Tone, ticket: TicketState, text: string): readonly SpanLine[] => {
    const [first = "", ...rest] = wrapWords(text, Math.max(20, width - under - 1));
    const head: readonly Span[] = [
      { text: ticket.id === copies ? "▸" : " ", tone: "running", bold: true },
      { text: `${glyph} `, tone: t },
      { text: `${fitTo(ticket.id, ids)}  `, bold: true },
    ];
    return [[...head, { text: first }], ...rest.map((line): SpanLine => [{ text: " ".repeat(under) + line }])];
  };
  const title = (ticket: TicketState): string => titleWord({ run }, ticket.id);
  const left = open.map(({ ticket, why }) => item("✖", "bad", ticket, `${title(ticket)}: ${displayText(why)}`));
  const gantt = ganttLines(run, width - 2);
  return [
    [{ text: ` ${headline(run)}`, tone, bold: true }],
    ...wrapWords(displayText(run.end?.reason ?? ""), width - 2).map((line): SpanLine => [{ text: ` ${line}` }]),
    ...numberLines(numbersLine(ledger), width),
    ...section(
      "YOURS NOW",
      "person",
      gated.length,
      gated.flatMap((t) => item("!", "person", t, stepOf(t))),
    ),
    ...section("NOT DONE", "bad", open.length, left.flat()),
    ...section(
      "SHIPPED",
      "good",
      shipped.length,
      shipped.map((t) => shippedLine(t, title(t), ids, width)),
    ),
    ...section("LAST RUNS", "plain", "", trendLines(trendOf(run, earlier), width)),
    ...section("SLOTS", "plain", "━ shipped  ┅ not", gantt),
  ];
}

function section(title: string, tone: Tone, count: number | string, lines: readonly SpanLine[]): readonly SummaryLine[] {
  return lines.length === 0 ? [] : [{ title, tone, count: String(count) }, ...lines];
}

/** The step that is left, and what of the ticket was found or has landed. */
function stepOf(ticket: TicketState): string {
  const { humanStep, mergedSha } = ticket;
  const landed = mergedSha === undefined ? "" : ` · what was built has landed: ${mergedSha.slice(0, 7)}`;
  return displayText(humanStep ?? "no step was recorded") + landed + foundWords(ticket);
}

function shippedLine(ticket: TicketState, title: string, ids: number, width: number): SpanLine {
  const last = ticket.history.at(-1);
  const time = last === undefined ? "" : formatElapsed(last.endedAt - (ticket.history[0]?.startedAt ?? last.startedAt));
  const tries = ticket.history.length === 0 ? "before this run" : plural(ticket.history.length, "try", "tries");
  const sha = fitTo(ticket.mergedSha?.slice(0, 7) ?? "", 7);
  const effort = width < 72 ? "" : `${fitTo(tries, 15)} ${fitTo(time, 8, "right")} `;
  const right = `${sha}  ${effort}${fitTo(formatUsd(ticket.costUsd), 8, "right")} `;
  const room = Math.max(8, width - ids - 5 - right.length - 2);
  return [
    { text: " ✔ ", tone: "good" },
    { text: `${fitTo(ticket.id, ids)}  `, bold: true },
    { text: fitTo(title, room) },
    { text: `  ${right}`, tone: "waiting" },
  ];
}

function numberLines(numbers: string, width: number): readonly SpanLine[] {
  const lines: string[] = [];
  for (const part of numbers.split(" · ")) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} · ${part}`.length <= width - 2) lines[lines.length - 1] = `${last} · ${part}`;
    else lines.push(part);
  }
  return lines.map((text) => [{ text: ` ${displayText(text)}`, tone: "waiting" }]);
}
