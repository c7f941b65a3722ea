import { Box } from "ink";
import { memo, type ReactNode, useMemo } from "react";
import type { RunState } from "../../../src/domain/run/state.ts";
import type { TripwireState } from "../../../src/domain/run/verdict-state.ts";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import { plural } from "../../../src/domain/values/text.ts";
import { type DashboardState, ticketIn } from "../../../src/store/dashboard-state.ts";
import { displayText, formatClock, formatElapsed } from "../../../src/store/format.ts";
import { EVIDENCE_LABELS, VERDICT_LABELS } from "../../../src/store/labels/oracle-label.ts";

import { type Label, STYLES } from "../../../src/store/labels/tone.ts";
import { ticketUrl } from "../../../src/store/links.ts";
import { compare, countComparisons, isAbout } from "../../../src/store/oracle-comparison.ts";
import { idWidth } from "../../frame/layout.ts";
import { FRAME_LINES, NoRun, ViewFrame } from "../../frame/view-frame.tsx";
import { beside, type Section, sectionTitle } from "../../kit/columns.ts";
import { useDashboard, useDrawn, useStateParts } from "../../kit/dashboard-context.ts";
import { cut } from "../../kit/fit.ts";
import { LinesPane } from "../../kit/lines-pane.tsx";
import { cutSpans, Line, Rule, Say, type SpanLine, Spans, Time } from "../../kit/spans.tsx";
import type { ViewSize } from "../../kit/window.ts";
import {
  evidenceLines,
  evidenceTitle,
  healHistoryLines,
  healsCount,
  interventionLines,
  interventionsCount,
  judgementHistoryLines,
  panelLines,
} from "./evidence-lines.ts";

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
  const state = useStateParts(evidenceParts);
  return useMemo(() => {
    const { run, evidence, ui } = state;
    if (run === undefined) return [];
    const all = compare(run, evidence);
    const url = (id: TicketId): string | undefined => ticketUrl(ticketIn(state, id));
    const told = evidenceLines({ all, selected: ui.selected, idWidth: idWidth(run.plan), width, url });
    const title = evidenceTitle({
      counts: countComparisons(all),
      total: all.length,
      judgedAt: evidence !== undefined && isAbout(evidence, run.oracle.last) ? formatClock(evidence.judgedAt) : undefined,
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
    const of = { heals, batch, tripwire, end };
    const sections: readonly (readonly [Section, readonly SpanLine[], string])[] = [
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

/** Lines that the head takes. */
const ORACLE_HEAD_LINES = 3;

const AGE_WIDTH = 9;

/** The oracle's last verdict and its age; its own counts, or the reason why it could not judge; and its proof. */
function OracleHead({ width }: { readonly width: number }): ReactNode {
  return (
    <>
      <Verdict width={width} />
      <Counts width={width} />
      <Tripwire width={width} />
    </>
  );
}

function Verdict({ width }: { readonly width: number }): ReactNode {
  const oracle = useDashboard((s) => s.run?.oracle);
  const live = useDashboard((s) => s.ui.connection.state === "live" && s.run?.end === undefined);
  const last = oracle?.last;
  const asking = live && oracle?.asking === true;
  if (oracle === undefined || last === undefined)
    return (
      <Spans
        line={[
          {
            text: ` ${STYLES.oracle.glyph} ${asking ? "judging for the first time…" : "never judged: its word is unknown"}`,
            tone: "oracle",
          },
        ]}
      />
    );
  const { glyph, word, tone } = VERDICT_LABELS[last.verdict];
  const rest = [
    last.final ? "final: asked to end the run" : "not final: asked on the way",
    `judged ${oracle.judged}×`,
    `took ${last.durationMs} ms`,
    ...(asking ? ["judging again now…"] : []),
  ].join(" · ");
  return (
    <Line>
      <Say tone="oracle" bold>
        {` ${STYLES.oracle.glyph} `}
      </Say>
      <Say tone={tone} bold>{`${glyph} ${word.toUpperCase()}`}</Say>
      <Time since={last.at} format="age" prefix="  " suffix=" ago" width={AGE_WIDTH + 1} align="left" />
      <Say tone="waiting">{cut(` · ${rest}`, width - word.length - 5 - AGE_WIDTH - 1)}</Say>
    </Line>
  );
}

function Counts({ width }: { readonly width: number }): ReactNode {
  const last = useDashboard((s) => s.run?.oracle.last);
  const total = useDashboard((s) => s.run?.plan.tickets.length ?? 0);
  if (last === undefined)
    return <Spans line={[{ text: cut(`   counts: unknown, of ${plural(total, "ticket")}`, width), tone: "waiting" }]} />;
  if (last.verdict === "unjudged") {
    const why = displayText(last.problem ?? "no reason given");
    return <Spans line={[{ text: cut(`   why: ${why}`, width), tone: "bad" }]} />;
  }
  const { done, gated, open } = last.counts;
  const sum = done + gated + open;
  const grown = total > sum ? ` · ${plural(total - sum, "ticket")} found since` : "";
  return (
    <Spans
      line={[
        { text: "   its own count: ", tone: "waiting" },
        { text: `${EVIDENCE_LABELS.done.glyph} ${done} done`, tone: EVIDENCE_LABELS.done.tone, bold: true },
        { text: " · ", tone: "waiting" },
        { text: `${EVIDENCE_LABELS["human-gated"].glyph} ${gated} gated`, tone: EVIDENCE_LABELS["human-gated"].tone, bold: true },
        { text: " · ", tone: "waiting" },
        { text: `${EVIDENCE_LABELS.open.glyph} ${open} open`, bold: true },
        { text: cut(`  of ${sum}${grown}`, Math.max(0, width - 50)), tone: "waiting" },
      ]}
    />
  );
}

/** The state of the oracle's proof, in words. */
function tripwireLabel({ status, canaries, ms, problem }: TripwireState): Label {
  switch (status) {
    case "due":
      return { ...STYLES.preparing, word: "not proven yet: no verdict counts before it is" };
    case "running":
      return { ...STYLES.preparing, tone: "running", word: "being proven on canaries: no verdict counts before it is" };
    case "passed":
      return { ...STYLES.done, word: `passed: ${plural(canaries, "canary", "canaries")} judged right in ${tookText(ms)}` };
    case "fired":
      return { ...STYLES.failed, word: `FIRED: ${displayText(problem ?? "no reason given")}` };
  }
}

function tookText(ms: number): string {
  return ms < 10_000 ? `${ms} ms` : formatElapsed(ms);
}

function Tripwire({ width }: { readonly width: number }): ReactNode {
  const tripwire = useDashboard((s) => s.run?.tripwire);
  if (tripwire === undefined) return null;
  const { glyph, tone, word } = tripwireLabel(tripwire);
  return (
    <Spans
      line={[
        { text: "   tripwire: ", tone: "waiting" },
        { text: cut(`${glyph} ${word}`, width - 14), tone, bold: tripwire.status === "fired" },
      ]}
    />
  );
}

/** The oracle's evidence on each ticket, and the heals: in the overview of a large terminal, under the queue. */
export const OraclePanel = memo(function OraclePanel(options: { readonly width: number; readonly height: number }): ReactNode {
  useDrawn("oracle panel");
  const { width, height } = options;
  const { run, evidence } = useStateParts(panelParts);
  const last = run?.oracle.last;
  const lines = useMemo(
    (): readonly SpanLine[] => (run === undefined ? [] : panelLines(compare(run, evidence), run, width - 2)),
    [run, evidence, width],
  );
  const from = last === undefined ? "has said nothing yet" : `said at ${formatClock(saidAt(last, evidence))}`;
  const room = height - 1;
  const empty: readonly SpanLine[] = Array.from({ length: Math.max(0, room - lines.length) }, () => []);
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0}>
      <Rule title="ORACLE" count={from} tone="oracle" width={width} left="├" />
      {[...lines.slice(0, room), ...empty].map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place in the panel
        <Spans key={i} line={[{ text: "│", tone: "waiting" }, ...cutSpans(line, width - 1)]} />
      ))}
    </Box>
  );
});

/** The parts of the state that the panel depends on. Agent output is not among them. */
function panelParts({ run, lists, evidence }: DashboardState): readonly unknown[] {
  return [run?.oracle.last, run?.heals, lists, evidence];
}

/** The time of the evidence: kept evidence belongs to its own judgement. */
function saidAt(last: NonNullable<Parameters<typeof isAbout>[1]>, evidence: Parameters<typeof isAbout>[0] | undefined): number {
  return evidence !== undefined && isAbout(evidence, last) ? evidence.judgedAt : last.at;
}
