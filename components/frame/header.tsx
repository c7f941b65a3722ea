import { memo, type ReactNode } from "react";
import { interventionKind } from "../../src/domain/results/intervention.ts";
import { OUTAGE_WORDS, type OutageSource } from "../../src/domain/run/outage-fact.ts";
import type { RunState } from "../../src/domain/run/state.ts";
import { ticketsAwaiting } from "../../src/domain/schedule/approvals.ts";
import { plural } from "../../src/domain/values/text.ts";
import { vecItems } from "../../src/domain/values/vec.ts";
import type { DashboardState } from "../../src/store/dashboard-state.ts";
import { displayText, formatCap, formatUsd } from "../../src/store/format.ts";
import { firstOutage, missingUntil } from "../../src/store/labels/progress-label.ts";
import { runLabel } from "../../src/store/labels/run-label.ts";
import { STYLES } from "../../src/store/labels/tone.ts";
import { useDashboard, useDrawn } from "../kit/dashboard-context.ts";
import { cut, fitParts, fitTo, widthOf } from "../kit/fit.ts";
import { type Span, type TimedSpan, TimedSpans, timeSpan } from "../kit/spans.tsx";

/** Columns of the first word of both top lines, so that they align. */
export const LABEL_WIDTH = 12;
const CLOCK_WIDTH = 8;
/** The label of a backoff, shorter and shorter. */
const RATE_LIMITED = ["model API rate limited,", "API rate limited,", "rate limit,", "API"];

type Fact = "name" | "repos" | "backoff" | "clock" | "needs" | "sandbox" | "interventions" | "cost";

/** The order in which facts are shortened if the line is short. The missing sandbox and the clock of a backoff always stay. */
const SHORTER: readonly Fact[] = [
  "interventions",
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
  const startedAt = useDashboard((s) => s.run?.startedAt);
  const stop = useDashboard((s) => s.run?.end?.at);
  const facts = useFacts();
  const room = width - 2 - LABEL_WIDTH - CLOCK_WIDTH - 1;
  const parts = fitParts(facts, SHORTER, room);
  const used = widthOf(Object.values(parts).join(""));
  const holdClock = useBackoffClock(widthOf(parts.clock));
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

/** The facts of the line beside its word and its clock, in longer and shorter words. */
function useFacts(): Readonly<Record<Fact, readonly string[]>> {
  const name = useDashboard((s) => displayText(s.run?.batch.name ?? ""));
  const repos = useDashboard((s) => Object.keys(s.run?.batch.repos ?? {}).length);
  const needs = useDashboard((s) => (s.run === undefined ? 0 : neededOf(s.run)));
  const sandboxed = useDashboard((s) => s.run?.sandboxed ?? true);
  const interventions = useDashboard((s) => (s.run === undefined ? "" : interventionsLabel(s.run)));
  const total = useDashboard((s) => s.run?.interventions.length ?? 0);
  const spent = useDashboard((s) => s.run?.spentUsd ?? 0);
  const reserved = useDashboard((s) => s.run?.reservedUsd ?? 0);
  const cap = useDashboard((s) => s.run?.batch.limits.usdPerRun ?? 0);
  const cost = formatUsd(spent).padStart(formatUsd(cap).length);
  const setAside = reserved > 0 ? ` +${formatUsd(reserved)} held` : "";
  const known = useDashboard((s) => s.run !== undefined);
  const held = useDashboard((s) => heldWidth(s));
  const away = useDashboard((s) => awayLabel(s));
  // Before the engine's first message there are no numbers, not zeros.
  if (!known)
    return { name: [""], repos: [""], backoff: [""], clock: [""], needs: [""], sandbox: [""], interventions: [""], cost: [""] };
  const dot = name === "" ? "" : " · ";
  return {
    name: [name, cut(name, 16), cut(name, 10), cut(name, 6), ""],
    repos: [`${dot}${plural(repos, "repo")}${dot}`, dot, ""],
    backoff: held === 0 ? [""] : (away ?? RATE_LIMITED.map((text) => `  ${STYLES.heldUp.glyph} ${text}`)),
    clock: [" ".repeat(held)],
    needs:
      needs === 0
        ? [""]
        : [`  ${STYLES.needsYou.glyph} ${needs} ${needs === 1 ? "needs" : "need"} you`, `  ${STYLES.needsYou.glyph} ${needs}`],
    sandbox: sandboxed ? [""] : ["  unsandboxed"],
    interventions: [`  ${interventions}`, `  interventions ${total}`, `  interv. ${total}`, ""],
    cost: [`  ${cost}${setAside} of ${formatCap(cap)} `, `  ${cost} of ${formatCap(cap)} `, `  ${cost.trim()} `, ""],
  };
}

/** Tickets that only a person can bring on: left to one, waiting for an approval, stalled, or landed and no longer checked. */
function neededOf(run: RunState): number {
  const { counts, tickets } = run;
  const needed = counts["human-gated"] + counts.stalled + ticketsAwaiting(run).length;
  if (counts.landed === 0) return needed;
  return needed + [...vecItems(tickets)].filter(({ phase, live }) => phase === "landed" && live?.givenUp !== undefined).length;
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
