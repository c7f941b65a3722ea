import { ciStopsFor } from "../ci/stop-reason.ts";
import { whatIsLeft } from "../results/what-is-left.ts";
import { approvalStep } from "../run/approval.ts";
import type { AgentEnding } from "../run/attempt-fact.ts";
import { describeFatalOutage } from "../run/outage-fact.ts";
import { dueMeasures, isMeasuring, unmeasuredFor } from "../run/reduce-base-measure.ts";
import { activeTickets, freeSlots, type RunState } from "../run/state.ts";
import type { Fence, RepoId, TicketId } from "../values/ids.ts";
import { EXIT } from "../values/user-error.ts";
import { vecAt } from "../values/vec.ts";
import { approvalsEndAt, ticketsAwaiting } from "./approvals.ts";
import { isBackingOff } from "./backoff.ts";
import { type EndRun, endAsDone, stopped, unjudged } from "./endings.ts";
import { forcedEnding } from "./forced-ending.ts";
import {
  attemptsToPostpone,
  dueBaseChecks,
  dueReverts,
  isMendingBase,
  isRepair,
  lastBaseChecks,
  waitsForBase,
} from "./freeze.ts";
import { canHealHelp, healChoice, healKeepMode, healToKeep, repoToHeal, whyNoHeal } from "./heal.ts";
import { mustLookAgain } from "./last-look.ts";
import { awaitsChecks, dueChecks, isChecking, nextCheckAt } from "./live-checks.ts";
import { attemptCap, attemptReserveUsd } from "./money.ts";
import { dueProofs } from "./proofs.ts";
import { endOfTime, isOutOfTime } from "./run-time.ts";
import { byProbe, startsLeft } from "./shared-fault.ts";
import { precedes, reservedUntil, soonReady } from "./slot-reservation.ts";
import { stallReason } from "./stall-reason.ts";
import { attemptsInVain, unpreparedFor } from "./unprepared.ts";

/** An action for the engine. A fact announces it before it takes effect. */
export type Action =
  | {
      readonly do: "start";
      readonly ticket: TicketId;
      readonly index: number;
      readonly slot: number;
      readonly reservedUsd: number;
    }
  | { readonly do: "abort"; readonly ticket: TicketId; readonly fence: Fence; readonly ending: AgentEnding }
  | { readonly do: "write-gate" | "leave-to-person"; readonly ticket: TicketId; readonly step: string }
  | { readonly do: "backoff"; readonly until: number; readonly reason: string }
  | { readonly do: "stall"; readonly ticket: TicketId; readonly reason: string }
  | { readonly do: "live-check" | "revert"; readonly ticket: TicketId }
  | { readonly do: "base-check" | "measure-base" | "prove"; readonly repo: RepoId }
  | { readonly do: "reverify" }
  | { readonly do: "tripwire" }
  | { readonly do: "judge"; readonly final: boolean }
  | { readonly do: "heal"; readonly n: number; readonly reason: string; readonly reservedUsd: number; readonly repo: RepoId }
  | { readonly do: "keep-heal"; readonly n: number; readonly keep: "auto" | "ask" }
  | { readonly do: "drop-heal"; readonly why: string }
  | EndRun;

/** Least time between two interim judgements. They inform and end nothing. Milliseconds. */
export const INTERIM_MS = 5_000;

/**
 * Decides what should happen now. Pure, and safe to call again: an action is not repeated once its fact is in the state (except
 * `abort`, which is harmless twice). Reconciles first, then schedules, then concludes.
 */
export function decide(state: RunState, now: number): readonly Action[] {
  if (state.stage === "ended") return [];
  const repairs = reconcile(state, now);
  if (state.stage === "stopping") return isQuiet(state) && repairs.length === 0 ? [stopped(state)] : repairs;
  if (state.stage !== "working") return repairs;
  if (state.fatalOutage !== undefined)
    return repairs.length > 0 || isUnderWay(state) ? repairs : [unjudged(describeFatalOutage(state.fatalOutage))];
  // This comes before any start; the next decision follows the fact.
  if (state.backoffDue !== undefined) return [...repairs, { do: "backoff", ...state.backoffDue }];
  const starts = schedule(state, now);
  const checks = liveChecks(state, now);
  // The proof comes last: it runs beside the first workers.
  const proof: Action[] = state.tripwire.status === "due" ? [{ do: "tripwire" }] : [];
  if (repairs.length + starts.length + checks.length > 0 || goesOn(state, now))
    return [...repairs, ...starts, ...checks, ...proof, ...interimJudgement(state, now)];
  return [...proof, ...whenNothingIsLeft(state, now)];
}

function whenNothingIsLeft(state: RunState, now: number): readonly Action[] {
  const left = leftToPerson(state);
  if (left.length > 0) return left;
  return state.heals.asked ? healFirst(state, now) : conclude(state, now);
}

/** Leaves to a person what nobody has approved in time, once nothing else is left to do. */
function leftToPerson(state: RunState): readonly Action[] {
  return ticketsAwaiting(state).map((ticket) => {
    const step = approvalStep(state.run, ticket);
    return { do: "leave-to-person", ticket: ticket.id, step };
  });
}

/** Ends attempts, records gates, and gives up on tickets without attempts left. */
function reconcile(state: RunState, now: number): Action[] {
  const isOver = state.stage === "stopping" || isOutOfTime(state, now);
  const aborts = activeTickets(state).flatMap((ticket): Action[] => {
    const ending = ticket.attempt?.killing ?? (isOver ? "stopped" : undefined) ?? forcedEnding(ticket);
    return ending && ticket.attempt ? [{ do: "abort", ticket: ticket.id, fence: ticket.attempt.fence, ending }] : [];
  });
  const gates = state.gating.flatMap((index): Action[] => {
    const { id, gate, attempt } = vecAt(state.tickets, index);
    return gate && !gate.writing && !gate.postponed && !attempt ? [{ do: "write-gate", ticket: id, step: gate.step }] : [];
  });
  const postponed = [...attemptsToPostpone(state), ...attemptsInVain(state)].flatMap((index): Action[] => {
    const { id, attempt } = vecAt(state.tickets, index);
    return attempt === undefined ? [] : [{ do: "abort", ticket: id, fence: attempt.fence, ending: "stopped" }];
  });
  const stalls = state.exhausted.map((index): Action => {
    const { id } = vecAt(state.tickets, index);
    return { do: "stall", ticket: id, reason: stallReason(state, index) };
  });
  return [...aborts, ...postponed, ...gates, ...stalls, ...keptHeals(state)];
}

/** Records a heal that moved its stall, for later runs. */
function keptHeals(state: RunState): Action[] {
  const keep = healKeepMode(state.batch);
  const heal = healToKeep(state);
  return heal === undefined || keep === "never" ? [] : [{ do: "keep-heal", n: heal.n, keep }];
}

/** True while a heal is being recorded. */
function isKeeping({ heals }: RunState): boolean {
  return heals.past.some(({ keep }) => keep?.as === "keeping");
}

/**
 * Fills free slots from the ready list: longest remaining path first, skipping tickets whose resource or money is not free. A
 * slot stays free if it is reserved for a ticket with a longer path that the finish line is about to make ready. A base that is not
 * measured yet is first.
 */
function schedule(state: RunState, now: number): Action[] {
  if (startsNothing(state, now)) return [];
  const repairs = readyRepairs(state);
  const slots = { repairs, kept: soonReady(state, now), free: freeSlots(state), forRepairs: freeSlots(state, repairs.size > 0) };
  const starts: Action[] = [];
  const taken = new Set([...Object.keys(state.held), ...Object.keys(state.heldElsewhere)]);
  let reserved = 0;
  for (const index of [...repairs, ...byProbe(state, state.ready).filter((one) => !repairs.has(one))]) {
    const slot = slotFor(state, index, starts.length, slots);
    if (slot === undefined || starts.length >= startsLeft(state)) break;
    if ((waitsForBase(state, index) ?? unpreparedFor(state, index) ?? unmeasuredFor(state, index)) !== undefined) continue;
    const exclusive = state.plan.tickets[index]?.exclusive ?? [];
    if (exclusive.some((resource) => taken.has(resource))) continue;
    const ticket = vecAt(state.tickets, index);
    if (attemptCap(state, ticket, reserved) !== undefined) continue;
    const reservedUsd = attemptReserveUsd(state.batch);
    reserved += reservedUsd;
    for (const resource of exclusive) taken.add(resource);
    starts.push({ do: "start", ticket: ticket.id, index, slot, reservedUsd });
  }
  return [...dueMeasures(state).map((repo): Action => ({ do: "measure-base", repo })), ...starts];
}

function startsNothing(state: RunState, now: number): boolean {
  const { checksOnly = false, halted, heals, paused } = state;
  if (isOutOfTime(state, now)) return true;
  // No attempt runs beside the proof after a heal, which may undo it.
  if (heals.proving !== undefined) return true;
  return checksOnly || paused || heals.asked === true || halted !== undefined || isBackingOff(state, now);
}

/**
 * Free slots for all tickets (`free`), and for those that repair a broken base (`forRepairs`); `kept`: tickets with a reserved
 * slot.
 */
interface Slots {
  readonly repairs: ReadonlySet<number>;
  readonly kept: readonly number[];
  readonly free: readonly number[];
  readonly forRepairs: readonly number[];
}

/** The slot of the next start, if this ticket may have it. */
function slotFor(
  state: RunState,
  index: number,
  started: number,
  { repairs, kept, free, forRepairs }: Slots,
): number | undefined {
  if (repairs.has(index)) return forRepairs[started];
  const reserved = kept.filter((soon) => precedes(state, soon, index)).length;
  return started + reserved >= free.length ? undefined : free[started];
}

/** Ready tickets that may repair a broken base. They start first, and however many attempts wait for that base. */
function readyRepairs(state: RunState): ReadonlySet<number> {
  if (Object.keys(state.brokenBases).length === 0) return new Set();
  return new Set(state.ready.filter((index) => isRepair(state, index)));
}

/** Reverts what has broken a base, and repeats live checks that are due, except before a heal that a person asked for. */
function liveChecks(state: RunState, now: number): Action[] {
  const reverts = [
    ...dueReverts(state).map((ticket): Action => ({ do: "revert", ticket })),
    ...dueBaseChecks(state).map((repo): Action => ({ do: "base-check", repo })),
    ...proofs(state, { isLast: false }),
  ];
  return state.heals.asked
    ? reverts
    : [...reverts, ...dueChecks(state, now).map((ticket): Action => ({ do: "live-check", ticket }))];
}

function proofs(state: RunState, when: Parameters<typeof dueProofs>[1]): readonly Action[] {
  return dueProofs(state, when).map((repo) => ({ do: "prove", repo }));
}

/** True if the run goes on by itself: something runs, is being filed, or will start or be checked later. */
function goesOn(state: RunState, now: number): boolean {
  if (!isQuiet(state) || state.filing.length > 0 || canStartLater(state, now)) return true;
  if (state.heals.proving !== undefined || (!state.heals.asked && awaitsChecks(state))) return true;
  return now < (approvalsEndAt(state) ?? 0) && !isOutOfTime(state, now);
}

/** True if nothing runs and nothing is being written. */
function isQuiet(state: RunState): boolean {
  if (state.heals.running !== undefined || isChecking(state) || isKeeping(state) || isMendingBase(state) || isMeasuring(state))
    return false;
  const written = state.gating.every((index) => vecAt(state.tickets, index).gate?.postponed === true);
  return state.slots.every((index) => index === null) && state.finishing.length === 0 && written;
}

/** True if something is under way that has to end before the run may. */
function isUnderWay(state: RunState): boolean {
  return !isQuiet(state) || state.oracle.asking;
}

/** True if a pause, a backoff or another run's exclusive resource keeps back tickets that could run. */
function canStartLater(state: RunState, now: number): boolean {
  if (!state.paused && !isBackingOff(state, now) && Object.keys(state.heldElsewhere).length === 0) return false;
  const { backoff: _, ...rest } = state;
  return schedule({ ...rest, paused: false, heldElsewhere: {} }, now).length > 0;
}

function interimJudgement(state: RunState, now: number): Action[] {
  const due = interimDue(state);
  return due !== undefined && now >= due ? [{ do: "judge", final: false }] : [];
}

/** The time from which an interim judgement is due, in milliseconds since the epoch; undefined if none is. */
function interimDue(state: RunState): number | undefined {
  const { asking, last } = state.oracle;
  if (asking || state.tripwire.status !== "passed") return undefined;
  if (last === undefined) return 0;
  const changed = last.counts.done !== state.counts.done || last.counts.gated !== state.counts["human-gated"];
  return changed ? last.at + INTERIM_MS : undefined;
}

/**
 * The next moment after `now` at which time alone may change the decision: a backoff or a reservation ends, or a judgement is
 * due. Milliseconds since the epoch; undefined if there is none.
 */
export function nextMoment(state: RunState, now: number): number | undefined {
  if (state.stage !== "working") return undefined;
  const moments = [
    state.backoff?.until,
    endOfTime(state),
    interimDue(state),
    nextCheckAt(state),
    approvalsEndAt(state),
    ...state.finishing.map((index) => reservedUntil(state, index)),
  ];
  const later = moments.filter((at) => at !== undefined && at > now) as number[];
  return later.length === 0 ? undefined : Math.min(...later);
}

/** The way out: re-verify, then ask the proven oracle. Only its verdict gives exit 0; what has no result is repeated (laws 1, 4). */
function conclude(state: RunState, now: number): readonly Action[] {
  const checks = lastBaseChecks(state);
  if (checks.length > 0) return checks.map((repo): Action => ({ do: "base-check", repo }));
  const unproven = isOutOfTime(state, now) ? [] : proofs(state, { isLast: true });
  if (unproven.length > 0) return unproven;
  if (!state.reverified || state.reverifyProblem !== undefined || mustLookAgain(state)) return [{ do: "reverify" }];
  const { asking, finalJudgements, last } = state.oracle;
  if (asking || state.tripwire.status !== "passed") return [];
  if (finalJudgements === 0 || last === undefined || !last.final) return [{ do: "judge", final: true }];
  if (last.verdict === "done") return [endAsDone(state, last.counts.done, last.counts.gated)];
  return last.verdict === "not-done" ? shortOfDone(state, now) : [{ do: "judge", final: true }];
}

/**
 * Starts a requested heal once nothing is under way and the oracle is proven, or drops it if it has become impossible. It waits
 * out a pause and a backoff, like every other heal.
 */
function healFirst(state: RunState, now: number): readonly Action[] {
  const why = whyNoHeal(state);
  if (why !== undefined) return [{ do: "drop-heal", why }];
  if (state.paused || isBackingOff(state, now) || state.oracle.asking || state.tripwire.status !== "passed") return [];
  const repo = repoToHeal(state, canHealHelp);
  if (repo === undefined) return [];
  const reason = `a person requested it; ${whatIsLeft(state)}`;
  return [{ do: "heal", n: state.heals.started + 1, reason, reservedUsd: attemptReserveUsd(state.batch), repo }];
}

/** Why the run ends without being done, in a line. */
function whyNotDone(state: RunState, now: number): string {
  const stop = ciStopsFor(state, now);
  return [
    ...(stop === undefined ? [] : [stop]),
    ...(isOutOfTime(state, now) ? [`limits.minutesPerRun is used up (${state.batch.limits.minutesPerRun} min)`] : []),
    whatIsLeft(state),
  ].join("; ");
}

/** The oracle says not done. The harness is healed if that may help; otherwise the run ends. */
function shortOfDone(state: RunState, now: number): readonly Action[] {
  const choice = isOutOfTime(state, now) ? undefined : healChoice(state, now);
  if (choice === "wait") return [];
  const reason = whyNotDone(state, now);
  if (choice !== undefined) return [{ do: "heal", reason, ...choice }];
  return [{ do: "end", kind: "not-done", verdict: "not-done", exitCode: EXIT.notDone, reason }];
}
