import { type ReactNode, useMemo } from "react";
import { computeTrend, type EarlierRun } from "../../../src/domain/results/trend.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import { plural } from "../../../src/domain/values/text.ts";
import type { DashboardState } from "../../../src/store/dashboard-state.ts";
import { displayText, formatDay, formatMinute } from "../../../src/store/format.ts";
import { STYLES } from "../../../src/store/labels/tone.ts";
import { healSummary } from "../../../src/store/results/heal-lines.ts";
import { type LedgerRow, type LedgerTable, ledgerTable } from "../../../src/store/results/ledger-table.ts";
import { FRAME_LINES, ViewFrame } from "../../frame/view-frame.tsx";
import { beside, sectionTitle } from "../../kit/columns.ts";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { fitTo, textWidth, wrapWords } from "../../kit/fit.ts";
import { LinesPane, type PaneLine } from "../../kit/lines-pane.tsx";
import { cutSpans, type Span, type SpanLine, Spans } from "../../kit/spans.tsx";
import { trendLines } from "../../kit/trend-lines.ts";
import type { ViewSize } from "../../kit/window.ts";

/** The numbers so far, beside those of earlier runs of the same batch file. */
export function LedgerView({ columns, height }: ViewSize): ReactNode {
  useDrawn("ledger");
  // As text: it stays the same, and nothing is redrawn, until a visible number changes.
  const shown = useDashboard((s) => JSON.stringify(viewLines(s, { columns, height })));
  const { head, rows } = useMemo(() => JSON.parse(shown) as LedgerLines, [shown]);
  return (
    <ViewFrame columns={columns} height={height}>
      {head.map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place in the head
        <Spans key={i} line={cutSpans(line, columns)} />
      ))}
      <LinesPane pane="ledger" lines={rows} columns={columns} height={height - FRAME_LINES - head.length} />
    </ViewFrame>
  );
}

/** From this many lines on, the last runs stand above the numbers instead of below. */
const TALL = 18;

function viewLines({ run, earlier }: DashboardState, { columns, height }: ViewSize): LedgerLines {
  if (run === undefined) return { head: [], rows: [[{ text: " no run is shown yet", tone: "waiting" }]] };
  const own = earlier?.run === run.run ? earlier : undefined;
  const { head, rows } = ledgerLines(ledgerTable(run, own?.runs ?? []), columns, run.end !== undefined);
  const trend = trendLines(computeTrend(run, own?.runs ?? []), columns);
  const title: PaneLine = { title: "LAST RUNS", count: "", tone: "plain" };
  const last: readonly PaneLine[] = trend.length === 0 ? [[{ text: ` ${noneLabel(own)}`, tone: "waiting" }]] : trend;
  const all = [...rows, ...healLines(run, columns)];
  if (trend.length > 0 && height >= TALL) return { head: [...trend, [{ text: " " }], ...head], rows: all };
  return { head, rows: [...all, title, ...last] };
}

/** The result of each heal, and the heals that wait for a person. */
function healLines(run: RunState, columns: number): readonly PaneLine[] {
  const lines = healSummary(run).flatMap((text) => wrapWords(displayText(text), columns - 2));
  const title: PaneLine = { title: "HEALS", count: "", tone: "running" };
  return lines.length === 0 ? [] : [title, ...lines.map((text): PaneLine => [{ text: ` ${text}` }])];
}

/** The reason why there are no earlier runs: unknown differs from none. */
function noneLabel(earlier: DashboardState["earlier"]): string {
  if (earlier === undefined) return "earlier runs: not read yet";
  return earlier.problem === undefined
    ? "this is the first run of its batch file: there is none to hold it against"
    : `earlier runs cannot be read: ${displayText(earlier.problem)}`;
}

/** Columns of the name if none is longer, of this run's number, of its change, and of each earlier run's number. */
const [NAME, NOW, CHANGE, EARLIER] = [34, 10, 11, 15];
const LEAST_NAME = 26;

/** The ledger as lines: `head` stays fixed above `rows`. */
interface LedgerLines {
  readonly head: readonly SpanLine[];
  readonly rows: readonly PaneLine[];
}

/** Lays the table out on `width` columns, and counts earlier runs without room. `ended`: the numbers of this run are final. */
function ledgerLines(table: LedgerTable, width: number, ended: boolean): LedgerLines {
  const { groups, runs, against, whyNone } = table;
  if (width >= TWO_COLUMNS && runs.length === 0)
    return { head: [[{ text: ended ? " THIS RUN" : " SO FAR", bold: true }]], rows: inTwoColumns(table, width) };
  const room = width - 2 - NOW - (against === undefined ? 0 : CHANGE);
  const shown = Math.max(0, Math.min(runs.length, Math.floor((room - LEAST_NAME) / EARLIER)));
  const longest = Math.max(NAME, ...groups.flatMap(({ rows }) => rows.map((row) => textWidth(row.name) + 1)));
  const name = Math.max(1, Math.min(longest, room - shown * EARLIER));
  const columns: Columns = { name, change: against !== undefined, shown };
  const hidden = runs.length - shown;
  const changes =
    against &&
    `change: since the run of ${formatDayMinute(against.startedAt)}; ${STYLES.done.glyph} is better, ${STYLES.failed.glyph} is worse`;
  const notes = [
    whyNone,
    changes,
    hidden > 0 ? `+${plural(hidden, "earlier run")} not shown: the terminal is too narrow` : undefined,
  ];
  return {
    head: headLines(columns, runs, ended),
    rows: [
      ...groups.flatMap(({ title, rows }): PaneLine[] => [
        { title: title.toUpperCase(), count: "", tone: "plain" },
        ...rows.map((row) => rowLine(row, columns)),
      ]),
      ...notes.flatMap((note) =>
        note === undefined ? [] : wrapWords(note, width - 2).map((text): SpanLine => [{ text: ` ${text}`, tone: "waiting" }]),
      ),
    ],
  };
}

/** From this width on, the numbers of a run that has none before it stand in two columns. */
const TWO_COLUMNS = 120;

function inTwoColumns({ groups, whyNone }: LedgerTable, width: number): readonly PaneLine[] {
  const left = Math.floor(width / 2);
  const lines = groups.map(({ title, rows }): readonly SpanLine[] => [
    sectionTitle({ title: title.toUpperCase(), count: "", tone: "plain" }, left - 1),
    ...rows.map((row) => rowLine(row, { name: Math.min(NAME + 10, left - NOW - 3), change: false, shown: 0 })),
  ]);
  const half = lines.flat().length / 2;
  const split = lines.findIndex((_, i) => lines.slice(0, i + 1).flat().length >= half) + 1;
  const [a, b] = [lines.slice(0, split).flat(), lines.slice(split).flat()];
  const note: readonly SpanLine[] = whyNone === undefined ? [] : [[{ text: ` ${whyNone}`, tone: "waiting" }]];
  return [...beside(a, b, { left, right: width - left }), ...note];
}

interface Columns {
  readonly name: number;
  readonly change: boolean;
  /** Earlier runs that fit. */
  readonly shown: number;
}

function headLines({ name, change, shown }: Columns, runs: readonly EarlierRun[], ended: boolean): readonly SpanLine[] {
  const pad: Span = { text: ` ${" ".repeat(name)}` };
  const cell = (text: string, width: number): string => fitTo(text, width, "right");
  const first: Span[] = [pad, { text: cell(ended ? "THIS RUN" : "SO FAR", NOW), bold: true }];
  const second: Span[] = [pad, { text: " ".repeat(NOW) }];
  if (change) {
    first.push({ text: cell("change", CHANGE), tone: "waiting" });
    second.push({ text: " ".repeat(CHANGE) });
  }
  for (const run of runs.slice(0, shown)) {
    first.push({ text: cell(formatDayMinute(run.startedAt), EARLIER), tone: "waiting" });
    second.push({ text: " ".repeat(EARLIER - textWidth(earlierRunMark(run).text)) }, earlierRunMark(run));
  }
  return shown === 0 ? [first] : [first, second];
}

/** Marks an earlier run of little value: an incomplete one, or one of another batch file, is no fair comparison. */
function earlierRunMark({ verdict, sameBatch }: EarlierRun): Span {
  if (verdict !== "done") return { text: `${STYLES.failed.glyph} not complete`, tone: "bad" };
  return sameBatch
    ? { text: `${STYLES.done.glyph} done`, tone: "good" }
    : { text: `${STYLES.done.glyph} other file`, tone: "waiting" };
}

function rowLine({ name, now, change, earlier }: LedgerRow, columns: Columns): SpanLine {
  const line: Span[] = [{ text: ` ${fitTo(name, columns.name)}` }, { text: fitTo(now, NOW, "right"), bold: true }];
  if (columns.change) {
    const tone = change?.good === undefined ? "waiting" : change.good ? "good" : "bad";
    line.push({ text: fitTo(change === undefined ? "" : `${change.text}${sign(change.good)}`, CHANGE, "right"), tone });
  }
  return [
    ...line,
    ...earlier.slice(0, columns.shown).map((text): Span => ({ text: fitTo(text, EARLIER, "right"), tone: "waiting" })),
  ];
}

/** The sign for better or worse, beside the colour. */
function sign(good: boolean | undefined): string {
  if (good === undefined) return "  ";
  return ` ${(good ? STYLES.done : STYLES.failed).glyph}`;
}

/** Month, day and time on this machine's clock. */
function formatDayMinute(at: number): string {
  return `${formatDay(at)} ${formatMinute(at)}`;
}
