import { type ReactNode, useMemo } from "react";
import { trendOf } from "../../../src/domain/results/trend.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import type { DashboardState } from "../../../src/store/dashboard-state.ts";
import { displayText } from "../../../src/store/display-text.ts";
import { healSummary } from "../../../src/store/results/heal-lines.ts";
import { ledgerTable } from "../../../src/store/results/ledger-table.ts";
import { FRAME_LINES, ViewFrame } from "../../frame/view-frame.tsx";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { wrapWords } from "../../kit/fit.ts";
import type { ViewSize } from "../../kit/geometry.ts";
import { LinesPane, type PaneLine } from "../../kit/lines-pane.tsx";
import { cutSpans, Spans } from "../../kit/spans.tsx";
import { trendLines } from "../../kit/trend-lines.ts";
import { type LedgerLines, ledgerLines } from "./ledger-lines.ts";

/** The numbers so far, beside those of earlier runs of the same batch file. */
export function LedgerView({ columns, height }: ViewSize): ReactNode {
  useDrawn("ledger");
  // As text: it stays the same, and nothing is redrawn, until a visible number changes.
  const shown = useDashboard((s) => JSON.stringify(linesOf(s, { columns, height })));
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

function linesOf({ run, earlier }: DashboardState, { columns, height }: ViewSize): LedgerLines {
  if (run === undefined) return { head: [], rows: [[{ text: " no run is shown yet", tone: "waiting" }]] };
  const own = earlier?.run === run.run ? earlier : undefined;
  const { head, rows } = ledgerLines(ledgerTable(run, own?.runs ?? []), columns, run.end !== undefined);
  const trend = trendLines(trendOf(run, own?.runs ?? []), columns);
  const title: PaneLine = { title: "LAST RUNS", count: "", tone: "plain" };
  const beside: readonly PaneLine[] = trend.length === 0 ? [[{ text: ` ${noneLabel(own)}`, tone: "waiting" }]] : trend;
  const all = [...rows, ...healLines(run, columns)];
  if (trend.length > 0 && height >= TALL) return { head: [...trend, [{ text: " " }], ...head], rows: all };
  return { head, rows: [...all, title, ...beside] };
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
