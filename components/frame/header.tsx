import { memo, type ReactNode } from "react";
import { useShallow } from "zustand/react/shallow";
import { interventionKind } from "../../src/domain/results/intervention.ts";
import { OUTAGE_WORDS, type OutageSource } from "../../src/domain/run/outage-fact.ts";
import type { RunState } from "../../src/domain/run/state.ts";
import { engineMs } from "../../src/domain/run/suspension.ts";
import { moneyNow } from "../../src/domain/schedule/money.ts";
import { listNeeds, type Need } from "../../src/domain/schedule/needs.ts";
import { plural } from "../../src/domain/values/text.ts";
import type { DashboardState } from "../../src/store/dashboard-state.ts";
import { displayText, formatCap, formatUsd } from "../../src/store/format.ts";
import { firstOutage, missingUntil } from "../../src/store/labels/progress-label.ts";
import { runLabel } from "../../src/store/labels/run-label.ts";
import { STYLES } from "../../src/store/labels/tone.ts";
import { useDashboard, useDrawn } from "../kit/dashboard-context.ts";
import { cut, fitParts, fitTo, textWidth } from "../kit/fit.ts";
import { type Span, type TimedSpan, TimedSpans, timeSpan } from "../kit/spans.tsx";

/** Columns of the first word of both top lines, so that they align. */
export const LABEL_WIDTH = 12;
const CLOCK_WIDTH = 8;
/** The label of a backoff, shorter and shorter. */
const RATE_LIMITED = ["model API rate limited,", "API rate limited,", "rate limit,", "API"];

/** The same for a fault that several tickets share. */
const SHARED_FAULT = ["attempts fail alike,", "fail alike,", "fault"];

type Fact = "name" | "repos" | "backoff" | "clock" | "needs" | "sandbox" | "interventions" | "cost";

/** The order in which facts are shortened if the line is short. The missing sandbox and the clock of a backoff always stay. */
const SHORTER: readonly Fact[] = [
  "interventions",
  "needs",
  "cost",
  "repos",
  "name",
  "interventions",
  "backoff",
  "name",
  "interventions",
  "cost",
  "needs",
  "backoff",
  "backoff",
  "name",
  "cost",
  "needs",
  "name",
  "repos",
];

/** The answer to "can I leave?": state, batch, time, tickets that need a person, and cost. */
export const Header = memo(function Header({ width }: { readonly width: number }): ReactNode {
  useDrawn("header");
  const glyph = useDashboard((s) => runLabel(s.run, s.ui.connection, s.now).glyph);
  const word = useDashboard((s) => runLabel(s.run, s.ui.connection, s.now).word);
  const tone = useDashboard((s) => runLabel(s.run, s.ui.connection, s.now).tone);
  const startedAt = useDashboard((s) => s.run && s.run.startedAt + idleMs(s.run));
  const stop = useDashboard((s) => s.run?.end?.at);
  const facts = useFacts();
  const room = width - 2 - LABEL_WIDTH - CLOCK_WIDTH - 1;
  const parts = fitParts(facts, SHORTER, room);
  const used = textWidth(Object.values(parts).join(""));
  const holdClock = useBackoffClock(textWidth(parts.clock));
  return (
    <TimedSpans
      line={[
        { text: ` ${fitTo(`${glyph} ${word}`, LABEL_WIDTH)} `, tone, bold: true },
        { text: parts.name, bold: true },
        { text: parts.repos, tone: "waiting" },
        startedAt === undefined
          ? { text: " ".repeat(CLOCK_WIDTH) }
          : timeSpan({ since: startedAt, stop, format: "long", width: CLOCK_WIDTH, align: "left" }),
        { text: " ".repeat(Math.max(0, room - used)) },
        { text: parts.backoff, tone: "waiting" },
        holdClock,
        { text: parts.needs, tone: "person", bold: true },
        { text: parts.sandbox, tone: "bad", bold: true },
        { text: parts.interventions, tone: "waiting" },
        { text: parts.cost },
      ]}
    />
  );
});

/** Milliseconds in which no engine ran: the clock counts none of them. */
function idleMs({ end, lastEventAt, startedAt, ...run }: RunState): number {
  const until = end?.at ?? lastEventAt;
  return until - startedAt - engineMs(run, startedAt, until);
}

/** The facts of the line beside its word and its clock, in longer and shorter words. */
function useFacts(): Readonly<Record<Fact, readonly string[]>> {
  const name = useDashboard((s) => displayText(s.run?.batch.name ?? ""));
  const repos = useDashboard((s) => Object.keys(s.run?.batch.repos ?? {}).length);
  const needs = useDashboard(useShallow((s) => (s.run === undefined ? [] : needsLabels(listNeeds(s.run)))));
  const sandboxed = useDashboard((s) => s.run?.sandboxed ?? true);
  const interventions = useDashboard((s) => (s.run === undefined ? "" : interventionsLabel(s.run)));
  const total = useDashboard((s) => s.run?.interventions.length ?? 0);
  const spent = useDashboard((s) => (s.run === undefined ? 0 : moneyNow(s.run).spentUsd));
  const reserved = useDashboard((s) => (s.run === undefined ? 0 : moneyNow(s.run).heldUsd));
  const cap = useDashboard((s) => s.run?.batch.limits.usdPerRun ?? 0);
  const cost = formatUsd(spent).padStart(formatUsd(cap).length);
  const setAside = reserved > 0 ? ` +${formatUsd(reserved)} held` : "";
  const known = useDashboard((s) => s.run !== undefined);
  const held = useDashboard((s) => heldWidth(s));
  const away = useDashboard((s) => awayLabel(s));
  const isShared = useDashboard((s) => s.run?.sharedFault !== undefined);
  // Before the engine's first message there are no numbers, not zeros.
  if (!known)
    return { name: [""], repos: [""], backoff: [""], clock: [""], needs: [""], sandbox: [""], interventions: [""], cost: [""] };
  const dot = name === "" ? "" : " · ";
  return {
    name: [name, cut(name, 16), cut(name, 10), cut(name, 6), ""],
    repos: [`${dot}${plural(repos, "repo")}${dot}`, dot, ""],
    backoff:
      held === 0 ? [""] : (away ?? (isShared ? SHARED_FAULT : RATE_LIMITED).map((text) => `  ${STYLES.heldUp.glyph} ${text}`)),
    clock: [" ".repeat(held)],
    needs,
    sandbox: sandboxed ? [""] : ["  unsandboxed"],
    interventions: [`  ${interventions}`, `  interventions ${total}`, `  interv. ${total}`, ""],
    cost: [`  ${cost}${setAside} of ${formatCap(cap)} `, `  ${cost} of ${formatCap(cap)} `, `  ${cost.trim()} `, ""],
  };
}

const NEED_WORDS: Readonly<Record<Need["kind"], (n: number) => string>> = {
  halt: () => "no agent starts",
  base: (n) => plural(n, "broken base"),
  approval: (n) => plural(n, "approval"),
  step: (n) => plural(n, "step"),
  missing: (n) => `${n} missing`,
  "not-live": (n) => `${n} not live`,
  stalled: (n) => `${n} stalled`,
};

/** The needs by their kinds, or as a number: longer and shorter words. */
function needsLabels(needs: readonly Need[]): readonly string[] {
  if (needs.length === 0) return [""];
  const { glyph } = STYLES.needsYou;
  const kinds = [...new Set(needs.map(({ kind }) => kind))];
  const each = kinds.map((kind) => NEED_WORDS[kind](needs.filter((need) => need.kind === kind).length));
  return [
    `  ${glyph} ${each.join(" · ")}`,
    `  ${glyph} ${needs.length} ${needs.length === 1 ? "needs" : "need"} you`,
    `  ${glyph} ${needs.length}`,
  ];
}

/**
 * The time that the clock counts down to: a run ends that waits for a missing ticket, what is away is tried again, or a backoff is
 * over. Milliseconds; 0 if there is nothing of it.
 */
function heldUntil({ run }: Pick<DashboardState, "run">): number {
  if (run === undefined || run.end !== undefined) return 0;
  return missingUntil(run) ?? firstOutage(run)?.nextAt ?? run.backoff?.until ?? 0;
}

function isAway({ run }: Pick<DashboardState, "run">): boolean {
  return run !== undefined && firstOutage(run) !== undefined;
}

/**
 * Columns of that clock: ` in 04:12` or ` now` behind what is tried again, else ` 04:12 left`; from an hour on two more. 0 if nothing
 * is held up.
 */
function heldWidth(state: Pick<DashboardState, "run" | "now">): number {
  const left = heldUntil(state) - state.now;
  if (left <= 0) return isAway(state) ? 9 : 0;
  return (isAway(state) ? 9 : 11) + (left < HOUR_MS ? 0 : 2);
}

/** The outage that ends first, in longer and shorter words; undefined without one. */
function awayLabel({ run }: Pick<DashboardState, "run">): readonly string[] | undefined {
  const outage = run === undefined ? undefined : firstOutage(run);
  if (run !== undefined && missingUntil(run) !== undefined) return MISSING;
  if (outage?.isBusy) return BUSY;
  return outage === undefined ? undefined : AWAY.get(outage.what);
}

/** One list per source, always the same: nothing is drawn again for it. */
const AWAY = new Map<OutageSource, readonly string[]>(
  (Object.keys(OUTAGE_WORDS) as OutageSource[]).map((what) => {
    const { short } = OUTAGE_WORDS[what];
    return [what, [`  ‖ ${short}, next try`, `  ‖ ${short}, retry`, `  ‖ ${cut(short, 10)}, retry`, "  ‖ retry"]];
  }),
);

/** What to do about it is on the ticket's row. */
const MISSING = ["  ‖ ticket missing, run ends", "  ‖ ticket missing, end", "  ‖ missing, end", "  ‖ end"];

const BUSY = ["  ‖ tracker's rate limit, asks again", "  ‖ tracker's rate limit, retry", "  ‖ rate limit, retry", "  ‖ retry"];

const HOUR_MS = 3_600_000;

/** The time to the next try, or that of a backoff. Without the engine it is unknown. */
function useBackoffClock(width: number): Span | TimedSpan {
  const until = useDashboard((s) => heldUntil(s));
  const away = useDashboard(isAway);
  const lost = useDashboard((s) => s.ui.connection.state !== "live");
  if (lost) return { text: fitTo(away ? " in ?" : " ? left", width), tone: "waiting" };
  const words = away ? { prefix: " in " } : { prefix: " ", suffix: " left" };
  const clock = timeSpan({ since: until, until: true, format: "elapsed", ...words, width, tone: "waiting" });
  return (now) => (away && now >= until ? { text: fitTo(" now", width), tone: "waiting" } : clock(now));
}

function interventionsLabel({ interventions }: RunState): string {
  const work = interventions.filter((i) => interventionKind(i.class) === "work").length;
  return `interventions ${interventions.length} (${work} work · ${interventions.length - work} harness)`;
}
