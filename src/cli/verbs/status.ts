import { computeLedger } from "../../domain/results/ledger.ts";
import { isResumable } from "../../domain/results/next-steps.ts";
import { pullRequestReports } from "../../domain/results/pull-request-report.ts";
import { type Outage, type OutageSource, outageWords } from "../../domain/run/outage-fact.ts";
import { heldByJournal } from "../../domain/run/reduce-outage.ts";
import { activeTickets, type RunState, ticketById } from "../../domain/run/state.ts";
import { suspensionLines } from "../../domain/run/suspension.ts";
import type { Attempt } from "../../domain/run/ticket-state.ts";
import { moneyNow } from "../../domain/schedule/money.ts";
import { describeNeed, listNeeds } from "../../domain/schedule/needs.ts";
import { describeReason, type Reason, whyNot } from "../../domain/schedule/why-not.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { jsonText, plainText } from "../../domain/values/text.ts";
import { formatDuration, formatUtc } from "../../domain/values/time.ts";
import { vecItems } from "../../domain/values/vec.ts";
import {
  attemptStage,
  awaitedStep,
  finishLine,
  mergeWait,
  progressParts,
  stageText,
  workOnBases,
  workOnBaseText,
} from "../../store/labels/progress-label.ts";
import { isAtPullRequest, pullRequestStatus } from "../../store/labels/pull-request-status.ts";
import { headline, stageLabel } from "../../store/labels/run-label.ts";
import { type Label, STYLES, specLabel } from "../../store/labels/tone.ts";
import { type TextLink, ticketLinks, withLinks } from "../../store/links.ts";
import { awayText } from "../../store/results/away-lines.ts";
import { journalOutage } from "../engine-outage.ts";
import { describeChoice, findRun, type LocatedRun } from "../find-run.ts";
import { folderUrl, printedLine } from "../links.ts";
import { writeAll, writeNote } from "../print.ts";

/** Reasons of tickets that wait for a slot. */
const FOR_A_SLOT: readonly string[] = ["slots", "finishing", "reserved"] satisfies readonly Reason["kind"][];

/** Prints the run's current state: running and waiting tickets with reasons, and the oracle's last result. */
export async function status(name: string | undefined, json: boolean): Promise<number> {
  const recorded = findRun(name);
  writeNote(describeChoice(recorded));
  const found = await withJournalOutage(recorded);
  if (json) writeAll(1, jsonText(asJson(found), 2));
  else
    writeAll(
      1,
      `${asLines(found, Date.now())
        .map((line) => printedLine(withLinks(plainText(line), linksIn(line, found))))
        .join("\n")}\n`,
    );
  return 0;
}

/** The run as its engine knows it: while the journal cannot be written, only the engine knows that nothing runs. */
async function withJournalOutage(found: LocatedRun): Promise<LocatedRun & { readonly isSilent?: true }> {
  if (!found.live || found.state.end !== undefined) return found;
  const journal = await journalOutage(found.folder);
  if (journal === undefined) return found;
  return journal === "unknown" ? { ...found, isSilent: true } : { ...found, state: heldByJournal(found.state, journal) };
}

/** What a line leads to: the ticket that it is about, or the run's files. */
function linksIn(line: string, { state, row, folder }: LocatedRun): readonly (TextLink | undefined)[] {
  const [, id] = /^ {2}\S (\S+) {2}/.exec(line) ?? [];
  if (id !== undefined && Object.hasOwn(state.plan.index, id)) return ticketLinks(state, ticketById(state, id as TicketId));
  const url = line.includes(row.run) ? folderUrl(folder) : undefined;
  return [url === undefined ? undefined : { text: row.run, url }];
}

/** The output of `status --json`. */
export function asJson({ row, state, live, pid }: Omit<LocatedRun, "folder" | "others">) {
  const { last } = state.oracle;
  return {
    run: row.run,
    batch: state.batch.name,
    live,
    pid: pid ?? null,
    stage: state.stage,
    paused: state.paused,
    held: held(state),
    suspensions: suspensionLines(state),
    counts: state.counts,
    oracle: last === undefined ? null : { verdict: last.verdict, at: new Date(last.at).toISOString(), counts: last.counts },
    working: activeTickets(state).map(({ id, attempt, phase }) => ({
      id,
      attempt: attempt?.n ?? 0,
      phase,
      doing: attempt === undefined ? null : attemptStage(attempt, finishLine(state, id)).word,
      step: attempt?.step?.name ?? null,
      part: partOf(attempt),
    })),
    money: { ...moneyNow(state), capUsd: state.batch.limits.usdPerRun },
    proofs: proofsOf(state),
    pullRequests: pullRequestReports(state),
    needs: listNeeds(state).map(({ since, ...need }) => ({
      ...need,
      since: since === undefined ? null : new Date(since).toISOString(),
    })),
    waiting: waiting(state, live),
    stalled: stalled(state),
    gated: gated(state),
    end: state.end ?? null,
  };
}

/** The money that the run has spent, and the money set aside for work under way. */
function moneyText(state: RunState): string {
  const { spentUsd, heldUsd } = moneyNow(state);
  return `$ ${spentUsd.toFixed(2)}${heldUsd > 0 ? ` +${heldUsd.toFixed(2)} held` : ""}`;
}

/** The part of a step that runs; null if none does. */
function partOf(attempt: Attempt | undefined) {
  if (attempt?.step?.part === undefined) return null;
  const { text, startedAt, expectedMs = null, train = [], behind = 0 } = attempt.step.part;
  return { text, since: new Date(startedAt).toISOString(), expectedMs, train, behind };
}

/** The proofs of bases, by repository. */
function proofsOf({ proofs }: Pick<RunState, "proofs">) {
  return Object.entries(proofs).map(([repo, { proven = null, running, failed }]) => ({
    ...{ repo, proven },
    running: running === undefined ? null : { ...running, since: new Date(running.since).toISOString() },
    failed: failed === undefined ? null : { ...failed, at: new Date(failed.at).toISOString() },
  }));
}

/** What the run waits for, by source; an empty list if nothing is away. */
function held({ outages: all = {}, end }: Pick<RunState, "outages" | "end">) {
  if (end !== undefined) return [];
  return (Object.entries(all) as [OutageSource, Outage][]).map(([what, { why, since, nextAt, until }]) => ({
    ...{ what, why, since: new Date(since).toISOString() },
    ...{ nextAt: new Date(nextAt).toISOString(), until: new Date(until).toISOString() },
  }));
}

function waiting(state: RunState, live: boolean): { id: string; why: string }[] {
  return [...vecItems(state.tickets)].flatMap(({ id, phase }, index) => {
    if (phase !== "waiting" && phase !== "landed") return [];
    const reason = whyNot(state, index);
    // Without an engine no slot is busy.
    return [{ id, why: describeReason(!live && FOR_A_SLOT.includes(reason.kind) ? { kind: "ready" } : reason) }];
  });
}

/** Tickets that no attempt can bring on, with the reason. */
function stalled(state: RunState): { id: string; why: string }[] {
  return [...vecItems(state.tickets)].flatMap(({ id, phase, stalledReason }) =>
    phase === "stalled" ? [{ id, why: stalledReason ?? "no reason given" }] : [],
  );
}

/** Tickets that are left to a person, with the step. */
function gated(state: RunState): { id: string; step: string }[] {
  return [...vecItems(state.tickets)].flatMap(({ id, phase, humanStep }) =>
    phase === "human-gated" ? [{ id, step: humanStep ?? "no step was recorded" }] : [],
  );
}

/** The output of `status`. `now` in milliseconds. */
export function asLines(
  { row, state, live, pid, isSilent }: Omit<LocatedRun, "folder" | "others"> & { readonly isSilent?: true },
  now: number,
): string[] {
  const { tickets, interventions } = computeLedger(state);
  const { last } = state.oracle;
  const yours = new Set<string>(listNeeds(state).flatMap(({ ticket }) => ticket ?? []));
  const label = stageLabel(state, { state: "live" }, now);
  const isHeld = live && label.word === "HELD";
  const isYours = live && label.word === "NEEDS YOU";
  const where = live ? `${engineWord(state, label)} (pid ${pid})` : standing(state);
  return [
    `${isHeld || isYours ? `${label.glyph} ${label.word}` : headline(state, live)}  ${row.run}  ${where}`,
    ...(isSilent ? [`  ${STYLES.unknown.glyph} its engine does not answer: what follows is the last that its journal says`] : []),
    `oracle ${last === undefined ? "has not judged yet" : `${last.verdict}, ${formatDuration(now - last.at)} ago`}`,
    `tickets ${tickets.done} done, ${tickets.gated} left to a person, ${tickets.open} open of ${tickets.total} · ${moneyText(state)} · interventions ${interventions.total}`,
    ...listNeeds(state).map((need) => `  ${STYLES.needsYou.glyph} ${describeNeed(need)}`),
    ...suspensionLines(state).map((line) => `  ${STYLES.waits.glyph} ${line}`),
    ...outages(state, now),
    ...(isHeld ? backoff(state) : []),
    ...activeTickets(state).flatMap(({ id, attempt }) =>
      attempt === undefined ? [] : [doing(state, { id, attempt }, { live, now })],
    ),
    ...(live ? workOnBases(state) : []).map((work) => `  ${STYLES.finishing.glyph} ${workOnBaseText(work, now)}`),
    ...waiting(state, live)
      .filter(({ id }) => !yours.has(id))
      .map(({ id, why }) => `  ${STYLES.waits.glyph} ${id}  ${why}`),
    ...awayText(state).map((line) => `  ${line}`),
    ...(state.end === undefined || isToldByTickets(state) ? [] : [`  ${state.end.reason}`]),
    ...(live || (state.end !== undefined && !isResumable(state)) ? [] : [`to continue it: loopdash ${row.batchPath}`]),
  ];
}

/** The work of a run's engine, for people. */
function engineWord(state: RunState, { word }: Label): string {
  if (word === "HELD") return "its engine waits";
  // A halted run waits for nobody: it ends as soon as nothing is under way.
  const isIdle = activeTickets(state).length === 0 && state.ready.length === 0;
  return word === "NEEDS YOU" && state.halted === undefined && isIdle ? "its engine waits for you" : "at work";
}

/** What the run waits for, and when it asks again. */
function outages({ outages: all = {}, end }: Pick<RunState, "outages" | "end">, now: number): readonly string[] {
  if (end !== undefined) return [];
  return (Object.entries(all) as [OutageSource, Outage][]).map(([what, { why, nextAt, isBusy }]) => {
    return `  ${STYLES.heldUp.glyph} ${outageWords(what, isBusy)}: ${why}; it is asked again in ${formatDuration(Math.max(0, nextAt - now))}`;
  });
}

/** Why no agent may start, if it is not an outage. */
function backoff({ outages: all = {}, backoff: held }: Pick<RunState, "outages" | "backoff">): readonly string[] {
  if (held === undefined || Object.keys(all).length > 0) return [];
  return [`  ${STYLES.heldUp.glyph} no agent starts until ${formatUtc(held.until)}: ${held.reason}`];
}

/** The status of a run on which no engine works. */
function standing(state: RunState): string {
  if (state.end === undefined) return "no engine is at work on it";
  return isResumable(state) ? "unfinished: the same command continues it" : "ended";
}

/** True if the run ended because its tickets are open, each of which has a line with its reason. */
function isToldByTickets(state: RunState): boolean {
  return state.end?.kind === "not-done" && state.halted === undefined && stalled(state).length + waiting(state, false).length > 0;
}

/** One current attempt: the step of its agent or its finish line, and what it waits for. */
function doing(
  state: RunState,
  { id, attempt }: { readonly id: TicketId; readonly attempt: Attempt },
  { live, now }: { readonly live: boolean; readonly now: number },
): string {
  const finish = finishLine(state, id);
  const { glyph } = attemptStage(attempt, finish);
  const turn = awaitedStep(attempt, finish);
  const ticket = ticketById(state, id);
  const status = isAtPullRequest(ticket) ? pullRequestStatus(state, ticket, { now, isLive: live }) : undefined;
  const progress = live ? progressParts(attempt.step, now).join(" · ") : "";
  const why = status?.parts.join(" · ") ?? mergeWait(attempt, now) ?? (turn && specLabel(turn));
  const what = progress === "" ? stageText(attempt, finish) : progress;
  return `  ${glyph} ${id}  attempt ${attempt.n}, ${live ? "" : "cut off at "}${what}${why === undefined ? "" : `: ${why}`}`;
}
