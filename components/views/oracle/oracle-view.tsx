import { memo, type ReactNode, useMemo } from "react";
import type { RunState } from "../../../src/domain/run/state.ts";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import { type DashboardState, ticketIn } from "../../../src/store/dashboard-state.ts";
import { formatClock } from "../../../src/store/format.ts";
import { titleOf } from "../../../src/store/labels/ticket-label.ts";
import { ticketUrl } from "../../../src/store/links.ts";
import { compare, countComparisons, isOf } from "../../../src/store/oracle-comparison.ts";
import { idWidth } from "../../frame/layout.ts";
import { FRAME_LINES, NoRun, ViewFrame } from "../../frame/view-frame.tsx";
import { useDashboard, useDrawn, useStateOf } from "../../kit/dashboard-context.ts";
import type { ViewSize } from "../../kit/geometry.ts";
import { LinesPane } from "../../kit/lines-pane.tsx";
import { cutSpans, type SpanLine, spansWidth } from "../../kit/spans.tsx";
import { evidenceLines, evidenceTitle, type OracleSection, sectionTitle } from "./evidence-lines.ts";
import { ORACLE_HEAD_LINES, OracleHead } from "./oracle-head.tsx";
import { healHistoryLines, healsCount, interventionLines, interventionsCount, judgementHistoryLines } from "./people-lines.ts";

/** From this many columns on, heals and interventions stand beside the evidence. */
const WIDE = 110;

/** The oracle's view: the judge of the run, its evidence on each ticket, and interventions in the run beside its work. */
export function OracleView({ columns, height }: ViewSize): ReactNode {
  useDrawn("oracle view");
  const known = useDashboard((s) => s.run !== undefined);
  return (
    <ViewFrame columns={columns} height={height}>
      {known ? (
        <>
          <OracleHead width={columns} />
          <Body columns={columns} height={height - FRAME_LINES - ORACLE_HEAD_LINES} />
        </>
      ) : (
        <NoRun />
      )}
    </ViewFrame>
  );
}

const Body = memo(function Body({ columns, height }: ViewSize): ReactNode {
  useDrawn("oracle body");
  const wide = columns >= WIDE;
  const left = wide ? Math.floor(columns * 0.55) : columns;
  const right = columns - left;
  const evidence = useEvidence(left);
  const people = usePeople(wide ? right - 1 : columns);
  const lines = useMemo(
    () => (wide ? beside(evidence, people, { left, right }) : [...evidence, ...people]),
    [wide, evidence, people, left, right],
  );
  return <LinesPane pane="oracle" lines={lines} columns={columns} height={height} />;
});

/** The parts of the state that the evidence depends on. Agent output is not among them. */
function evidenceParts({ run, lists, evidence, ui }: DashboardState): readonly unknown[] {
  return [run?.oracle, run?.plan, lists, evidence, ui.selected];
}

function useEvidence(width: number): readonly SpanLine[] {
  const state = useStateOf(evidenceParts);
  return useMemo(() => {
    const { run, evidence, ui } = state;
    if (run === undefined) return [];
    const all = compare(run, evidence);
    const titled = (id: TicketId): string => titleOf(state, id);
    const urlOf = (id: TicketId): string | undefined => ticketUrl(ticketIn(state, id));
    const told = evidenceLines({ all, selected: ui.selected, idWidth: idWidth(run.plan), width, titleOf: titled, urlOf });
    const title = evidenceTitle({
      counts: countComparisons(all),
      total: all.length,
      judgedAt: evidence !== undefined && isOf(evidence, run.oracle.last) ? formatClock(evidence.judgedAt) : undefined,
    });
    return [sectionTitle(title, width), ...told];
  }, [state, width]);
}

function usePeople(width: number): readonly SpanLine[] {
  const heals = useDashboard((s) => s.run?.heals);
  const batch = useDashboard((s) => s.run?.batch);
  const tripwire = useDashboard((s) => s.run?.tripwire);
  const end = useDashboard((s) => s.run?.end);
  const interventions = useDashboard((s) => s.run?.interventions);
  const plan = useDashboard((s) => s.run?.plan);
  const oracle = useDashboard((s) => s.run?.oracle);
  return useMemo(() => {
    if (
      heals === undefined ||
      batch === undefined ||
      tripwire === undefined ||
      interventions === undefined ||
      plan === undefined ||
      oracle === undefined
    )
      return [];
    const of = { heals, batch, tripwire, ...(end === undefined ? {} : { end }) };
    const sections: readonly (readonly [OracleSection, readonly SpanLine[], string])[] = [
      [{ title: "HEALS", tone: "running", count: healsCount(of) }, healHistoryLines(of, width), " none so far"],
      [
        { title: "INTERVENTIONS", tone: "person", count: interventionsCount({ interventions }) },
        interventionLines({ batch, interventions, plan }, width),
        " none so far",
      ],
      [
        { title: "JUDGEMENTS", tone: "oracle", count: judgementsCount(oracle) },
        judgementHistoryLines({ oracle }),
        " none so far",
      ],
    ];
    return sections.flatMap(([section, lines, none]) => [
      sectionTitle(section, width),
      ...(lines.length === 0 ? [[{ text: none, tone: "waiting" as const }]] : lines.map((line) => cutSpans(line, width))),
    ]);
  }, [heals, batch, tripwire, end, interventions, plan, oracle, width]);
}

function judgementsCount({ judged, recent }: RunState["oracle"]): string {
  return judged > recent.length ? `the last ${recent.length} of ${judged}` : String(judged);
}

/** Joins two columns of lines. */
function beside(
  a: readonly SpanLine[],
  b: readonly SpanLine[],
  { left, right }: { readonly left: number; readonly right: number },
): readonly SpanLine[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, i): SpanLine => {
    const first = cutSpans(a[i] ?? [], left);
    const gap = " ".repeat(Math.max(0, left - spansWidth(first)));
    const titled = b[i]?.[0]?.text.startsWith("─") === true;
    const between = titled ? (i === 0 ? "┬" : "├") : "│";
    return [...first, { text: gap }, { text: between, tone: "waiting" }, ...cutSpans(b[i] ?? [], right - 1)];
  });
}
