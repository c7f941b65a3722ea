import { runsCommand, type StepSpec } from "../../domain/batch/step-spec.ts";
import { isMissing } from "../../domain/run/drift-fact.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import { OUTAGE_WORDS, type Outage, type OutageFact, type OutageSource, outageWords } from "../../domain/run/outage-fact.ts";
import { activeTickets, type RunState } from "../../domain/run/state.ts";
import type { Attempt, RunningStep } from "../../domain/run/ticket-state.ts";
import { spentAtWork } from "../../domain/schedule/money.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { plural } from "../../domain/values/text.ts";
import { vecItems } from "../../domain/values/vec.ts";
import { displayText, formatClock, formatElapsed, formatStopwatch, formatUsd } from "../format.ts";
import { type EventLabel, type Label, questionLabel, STYLES, specLabel, stepLabel, toned } from "./tone.ts";

/** Tickets of a train or of a proof that are named. */
const NAMED = 6;

/**
 * What a step runs, in parts, the most important first: `check tests 0:31 of about 0:42`, `train S-0 S-1`, `2 behind`. Empty if
 * it runs nothing. Without `now` (milliseconds since the epoch) there is no running clock in it. `beside`: the step's name stands
 * there already.
 */
export function progressParts(step: RunningStep | undefined, now?: number, beside?: "beside"): readonly string[] {
  return [...commandParts(step, now, beside), ...trainParts(step?.part?.train ?? []), ...behindParts(step)];
}

function commandParts(step: RunningStep | undefined, now: number | undefined, beside?: "beside"): readonly string[] {
  if (step?.part === undefined) return [];
  const { expectedMs, startedAt, text } = step.part;
  const name = stepLabel(step.kind, step.name);
  const part = displayText(text);
  const what = part === "" ? name : beside === undefined ? `${name}: ${part}` : part;
  return [timed(what, { since: startedAt, expectedMs }, now)];
}

/** A command with its time and, if it is known and not below a second, the time that it will take. */
function timed(
  what: string,
  { since, expectedMs }: { readonly since: number; readonly expectedMs?: number },
  now: number | undefined,
): string {
  const about = expectedMs === undefined || expectedMs < 1_000 ? undefined : formatStopwatch(expectedMs);
  if (now === undefined) return `${what} since ${formatClock(since)}${about === undefined ? "" : `, takes about ${about}`}`;
  return `${what} ${formatStopwatch(now - since)}${about === undefined ? "" : ` of about ${about}`}`;
}

function trainParts(train: readonly TicketId[]): readonly string[] {
  return train.length < 2 ? [] : [`train ${namedIds(train, " ")}`];
}

function behindParts(step: RunningStep | undefined): readonly string[] {
  const behind = step?.part?.behind ?? 0;
  return behind === 0 ? [] : [`${behind} behind`];
}

/** The first of these tickets, and the number of the others. */
export function namedIds(ids: readonly TicketId[], separator: string): string {
  const more = ids.length - NAMED;
  return `${ids.slice(0, NAMED).join(separator)}${more > 0 ? ` +${more}` : ""}`;
}

/** What runs on a base without an attempt, in longer and shorter words; undefined if nothing does. */
export function provingLabels(state: RunState, now?: number): readonly string[] | undefined {
  const all = state.end === undefined ? workOnBases(state) : [];
  const [first] = all;
  if (first === undefined) return undefined;
  const more = all.length === 1 ? "" : ` +${all.length - 1}`;
  const { what, since, short } = first;
  return [`${timed(what, first, now)}${more}`, `${timed(what, { since }, now)}${more}`, `${short}${more}`];
}

/** The measurement or the proof of a base. */
interface WorkOnBase {
  readonly what: string;
  readonly short: string;
  readonly since: number;
  readonly expectedMs?: number;
  readonly tickets: readonly TicketId[];
}

/** `proving app 0:12 of about 0:42: S-0 S-1`. */
export function workOnBaseText(work: WorkOnBase, now: number): string {
  const tickets = work.tickets.length === 0 ? "" : `: ${namedIds(work.tickets, " ")}`;
  return `${timed(work.what, work, now)}${tickets}`;
}

/** The measurements and proofs that run, the oldest first. */
export function workOnBases({ baseMeasures = {}, proofs }: Pick<RunState, "baseMeasures" | "proofs">): readonly WorkOnBase[] {
  const measured = Object.entries(baseMeasures).flatMap(([repo, measure]): WorkOnBase[] => {
    if (measure.as !== "running") return [];
    const check = measure.check === undefined ? "" : `: check ${measure.check}`;
    return [{ ...measure, what: `measuring ${displayText(repo)}${check}`, short: "measuring", tickets: [] }];
  });
  const proven = Object.entries(proofs).flatMap(([repo, { running }]): WorkOnBase[] =>
    running === undefined ? [] : [{ ...running, what: `proving ${displayText(repo)}`, short: "proving" }],
  );
  return [...measured, ...proven].toSorted((a, b) => a.since - b.since);
}

/** Long work that one line names. */
const MOST_WORK = 4;

/**
 * What finished work waits for, and how long that has lasted: checks, proofs, and turns, each with its tickets. Undefined if
 * there is nothing of it.
 */
export function lastingWork(state: RunState, now: number): string | undefined {
  const attempts = activeTickets(state).flatMap(({ id, attempt }) => (attempt === undefined ? [] : [{ id, attempt }]));
  const inTrains = new Set(attempts.flatMap(({ attempt }) => attempt.step?.part?.train?.slice(1) ?? []));
  const own = attempts.filter(({ id, attempt }) => attempt.slotLeftAt !== undefined && !inTrains.has(id));
  const parts = [
    ...own.flatMap(({ id, attempt }) => checkProgress(id, attempt, now)),
    ...workOnBases(state).map((work) => workOnBaseText(work, now)),
    ...own.flatMap(({ id, attempt }) => (attempt.step?.part === undefined ? [describeWait(state, id, attempt, now)] : [])),
  ];
  if (parts.length === 0) return undefined;
  const more = parts.length - MOST_WORK;
  return `${parts.slice(0, MOST_WORK).join(" · ")}${more > 0 ? ` · ${more} more` : ""}`;
}

/** `S-0 check tests 0:31 of about 0:42 · S-1, S-3 in the same train`. */
function checkProgress(id: TicketId, { step }: Attempt, now: number): readonly string[] {
  const others = step?.part?.train?.slice(1) ?? [];
  const [command] = commandParts(step, now);
  if (command === undefined) return [];
  const train = others.length === 0 ? [] : [`${namedIds(others, ", ")} in the same train`];
  return [[`${id} ${command}`, ...train, ...behindParts(step)].join(" · ")];
}

/** What an attempt on the finish line does while no command of its step runs. */
function describeWait(state: RunState, id: TicketId, attempt: Attempt, now: number): string {
  const finish = finishLine(state, id);
  const turn = awaitedStep(attempt, finish);
  const { idleSince, slotLeftAt = now, step, waiting } = attempt;
  const what =
    waiting === undefined || isBeingEnded(attempt)
      ? turn === undefined
        ? attemptStage(attempt, finish).word
        : `waits for its turn: ${specLabel(turn)}`
      : displayText(waiting);
  return `${id} ${what} ${formatStopwatch(now - (step?.startedAt ?? idleSince ?? slotLeftAt))}`;
}

/** The finish line of a ticket; empty if the run is not known yet. */
export function finishLine(run: RunState | undefined, id: TicketId): readonly StepSpec[] {
  return run === undefined ? [] : plannedTicket(run.plan, id).finish;
}

/** The current stage of an attempt. `finish` is the ticket's finish line. */
export function attemptStage(attempt: Attempt, finish: readonly StepSpec[]): Label {
  if (attempt.isHeld) return { ...STYLES.heldUp, word: "held" };
  if (isBeingEnded(attempt)) return { ...STYLES.ending, word: "ending" };
  if (attempt.waiting !== undefined) return { ...STYLES.heldUp, word: "merge waits" };
  if (attempt.awaited !== undefined) return { ...STYLES.heldUp, word: "preparing" };
  if (attempt.step !== undefined) return { ...STYLES.finishing, word: stepLabel(attempt.step.kind, attempt.step.name) };
  if (attempt.asked !== undefined) return { ...STYLES.finishing, word: questionLabel(attempt.asked.question) };
  if (attempt.merge?.landed === false) return { ...STYLES.finishing, word: "merge" };
  if (awaitedStep(attempt, finish) !== undefined) return { ...toned(STYLES.finishing, "waiting"), word: "queued" };
  const next = nextStep(attempt, finish);
  if (next !== undefined) return { ...STYLES.finishing, word: specLabel(next) };
  if (attempt.agent !== undefined) return agentStage(attempt.agent, attempt);
  if (attempt.preparing !== undefined) return { ...STYLES.preparing, word: "preparing" };
  return { ...STYLES.preparing, word: attempt.worktree === undefined ? "worktree" : "prepare" };
}

/** The stage of an attempt, with what its agent at work has spent so far: `agent $0.34`. */
export function stageText(attempt: Attempt, finish: readonly StepSpec[]): string {
  const usd = spentAtWork(attempt);
  return `${attemptStage(attempt, finish).word}${usd > 0 ? ` ${formatUsd(usd)}` : ""}`;
}

/** The reason why an attempt cannot land yet, and for how long that has been so; undefined if it waits for nothing. */
export function mergeWait({ waiting, waited }: Attempt, now: number | undefined): string | undefined {
  if (waiting === undefined || waited === undefined || now === undefined) return waiting;
  const end = waited.until === undefined ? "" : ` of at most ${formatElapsed(waited.until - waited.since)}`;
  return `${waiting} (${formatElapsed(now - waited.since)}${end})`;
}

/** The stage of an attempt whose agent is at work, or has left what is not captured yet. */
function agentStage({ endedAt }: NonNullable<Attempt["agent"]>, { isPlanning }: Attempt): Label {
  const style = endedAt === undefined ? STYLES.agent : STYLES.finishing;
  if (isPlanning) return { ...style, word: "plan" };
  return { ...style, word: endedAt === undefined ? "agent" : "collecting" };
}

/** True if the attempt's end was requested and it still runs: its agent, or else its finish line. */
export function isBeingEnded(attempt: Attempt): boolean {
  return attempt.killing !== undefined && attempt.agent?.ending !== attempt.killing;
}

/** The step whose turn an attempt waits for, if any: commands take turns, and so do merges in one repository. */
export function awaitedStep(attempt: Attempt, finish: readonly StepSpec[]): StepSpec | undefined {
  if (attempt.isHeld || isBeingEnded(attempt)) return undefined;
  if (attempt.step !== undefined || attempt.waiting !== undefined || attempt.merge?.landed === false) return undefined;
  const next = nextStep(attempt, finish);
  return next !== undefined && (runsCommand(next) || next.step === "merge") ? next : undefined;
}

/** Steps of the finish line that an attempt has passed. A landing includes those before it: an earlier attempt passed them. */
export function passedSteps(attempt: Attempt, finish: readonly StepSpec[]): ReadonlySet<number> {
  const landed = attempt.merge?.landed === true ? finish.findIndex(({ step }) => step === "merge") + 1 : 0;
  return new Set([...attempt.passed.map((p) => p.index), ...finish.slice(0, landed).keys()]);
}

/** The next step of the finish line, the last one if all are passed; undefined before there is a change to judge. */
function nextStep(attempt: Attempt, finish: readonly StepSpec[]): StepSpec | undefined {
  if (attempt.change === undefined && attempt.merge === undefined) return undefined;
  const passed = passedSteps(attempt, finish);
  return finish.find((_, i) => !passed.has(i)) ?? finish.at(-1);
}

/** Describes a fact about an outage in a line: what is away, why, when it is tried again, and when it is given up. */
export function outageLabel(event: Extract<RunEvent, { type: OutageFact["type"] }>): EventLabel {
  const { was } = OUTAGE_WORDS[event.what];
  if (event.type === "outage-ended") {
    const after = `after ${formatElapsed(event.ms)}`;
    if (event.cutOff) return [STYLES.waits, `${was}; the wait for it was cut off ${after}`];
    if (event.givenUp === undefined) return [STYLES.run, `${was}; it recovered ${after}`];
    return [STYLES.failed, `${was}: ${event.givenUp}; given up ${after}, the run ends`];
  }
  const { why, nextAt, until, at, isBusy } = event;
  const is = outageWords(event.what, isBusy);
  if (isBusy) return [STYLES.heldUp, `${is}: ${why}; it is asked again in ${formatElapsed(nextAt - at)}`];
  const still = event.type === "outage-continues" ? `still: ${is}` : is;
  const next = `next try in ${formatElapsed(nextAt - at)}, gives up in ${formatElapsed(until - at)}`;
  return [STYLES.heldUp, `${still}: ${why}; ${next}`];
}

/** The words for an outage under way, without the next try, whose time goes by. `tries`: how often it was tried, if that is known. */
export function outageUnderWay(
  { what, why, until, isBusy }: Pick<Outage, "why" | "until" | "isBusy"> & { readonly what: OutageSource },
  tries: number | undefined,
): string {
  const is = outageWords(what, isBusy);
  if (isBusy) return `${is}: ${why}`;
  const tried = tries === undefined ? "" : `, ${plural(tries, "try", "tries")}`;
  return `${is}${tried}: ${why}; gives up at ${formatClock(until)}`;
}

/**
 * The time at which a run ends that waits for tickets which are gone from the tracker or cannot be read there: nothing else keeps the
 * oracle from judging. Milliseconds since the epoch; undefined if it waits for none.
 */
export function missingUntil({ outages, end, tickets }: RunState): number | undefined {
  if (end !== undefined || outages?.oracle === undefined) return undefined;
  return [...vecItems(tickets)].some(isMissing) ? outages.oracle.until : undefined;
}

/** The outage under way that is given up first; undefined if there is none, or if the run has ended. */
export function firstOutage({ outages, end }: RunState): (Outage & { readonly what: OutageSource }) | undefined {
  if (outages === undefined || end !== undefined) return undefined;
  const all = (Object.entries(outages) as [OutageSource, Outage][]).map(([what, outage]) => ({ what, ...outage }));
  return all.toSorted((a, b) => a.until - b.until)[0];
}
