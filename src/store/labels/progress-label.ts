import type { Proof } from "../../domain/run/proof-fact.ts";
import { activeTickets, type RunState } from "../../domain/run/state.ts";
import type { Attempt, RunningStep } from "../../domain/run/ticket-state.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { displayText } from "../display-text.ts";
import { formatClock, formatStopwatch } from "../format.ts";
import { specLabel, stepLabel } from "./step-label.ts";
import { finishOf, isBeingEnded, stageOf, turnOf } from "./ticket-stage.ts";

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
  return [timed(what, { since: startedAt, ...(expectedMs !== undefined && { expectedMs }) }, now)];
}

/** A command with its time and, if it is known, the time that it will take. */
function timed(
  what: string,
  { since, expectedMs }: { readonly since: number; readonly expectedMs?: number },
  now: number | undefined,
): string {
  const about = expectedMs === undefined ? undefined : formatStopwatch(expectedMs);
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

/** The proof of a base that runs, in longer and shorter words; undefined if none does. */
export function provingLabels({ proofs, end }: RunState, now?: number): readonly string[] | undefined {
  const all = end === undefined ? runningProofs(proofs) : [];
  const [first] = all;
  if (first === undefined) return undefined;
  const { repo, running } = first;
  const more = all.length === 1 ? "" : ` +${all.length - 1}`;
  const { expectedMs: _, ...unknown } = running;
  const what = `proving ${displayText(repo)}`;
  return [`${timed(what, running, now)}${more}`, `${timed(what, unknown, now)}${more}`, `proving${more}`];
}

/** A proof that runs. */
interface RunningProof {
  readonly repo: string;
  readonly running: NonNullable<Proof["running"]>;
}

/** `proving app 0:12 of about 0:42: S-0 S-1`. */
export function proofText({ repo, running }: RunningProof, now: number): string {
  return `${timed(`proving ${displayText(repo)}`, running, now)}: ${namedIds(running.tickets, " ")}`;
}

/** The proofs that run, the oldest first. */
export function runningProofs(proofs: RunState["proofs"]): readonly RunningProof[] {
  return Object.entries(proofs)
    .flatMap(([repo, { running }]) => (running === undefined ? [] : [{ repo, running }]))
    .toSorted((a, b) => a.running.since - b.running.since);
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
    ...own.flatMap(({ id, attempt }) => checkOf(id, attempt, now)),
    ...runningProofs(state.proofs).map((proof) => proofText(proof, now)),
    ...own.flatMap(({ id, attempt }) => (attempt.step?.part === undefined ? [waitOf(state, id, attempt, now)] : [])),
  ];
  if (parts.length === 0) return undefined;
  const more = parts.length - MOST_WORK;
  return `${parts.slice(0, MOST_WORK).join(" · ")}${more > 0 ? ` · ${more} more` : ""}`;
}

/** `S-0 check tests 0:31 of about 0:42 · S-1, S-3 in the same train`. */
function checkOf(id: TicketId, { step }: Attempt, now: number): readonly string[] {
  const others = step?.part?.train?.slice(1) ?? [];
  const [command] = commandParts(step, now);
  if (command === undefined) return [];
  const train = others.length === 0 ? [] : [`${namedIds(others, ", ")} in the same train`];
  return [[`${id} ${command}`, ...train, ...behindParts(step)].join(" · ")];
}

/** What an attempt on the finish line does while no command of its step runs. */
function waitOf(state: RunState, id: TicketId, attempt: Attempt, now: number): string {
  const finish = finishOf(state, id);
  const turn = turnOf(attempt, finish);
  const { idleSince, slotLeftAt = now, step, waiting } = attempt;
  const what =
    waiting === undefined || isBeingEnded(attempt)
      ? turn === undefined
        ? stageOf(attempt, finish).word
        : `waits for its turn: ${specLabel(turn)}`
      : displayText(waiting);
  return `${id} ${what} ${formatStopwatch(now - (step?.startedAt ?? idleSince ?? slotLeftAt))}`;
}
