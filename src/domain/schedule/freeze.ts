import type { BrokenBase } from "../run/broken-base.ts";
import { isBeingReverted, isLandedNotLive } from "../run/live-check.ts";
import { describeSuspect, failingStep, findBrokenBase, tipKnown } from "../run/reduce-base.ts";
import { type RunState, ticketIndex } from "../run/state.ts";
import type { RepoId, TicketId } from "../values/ids.ts";
import { vecAt, vecItems } from "../values/vec.ts";
import { landedTickets } from "./live-checks.ts";
import { attemptCap } from "./money.ts";
import { blamedTickets } from "./proofs.ts";
import { unpreparedFor } from "./unprepared.ts";

/**
 * The broken base that a ticket must not land on; undefined if it may land. What repairs the base may land: a ticket whose landed
 * change is not live, and the open tickets that such a ticket depends on. Otherwise the base could never pass again.
 */
export function blockingBase(state: RunState, index: number): BrokenBase | undefined {
  if (state.batch.onBroken === "continue") return undefined;
  const repo = state.plan.tickets[index]?.repo;
  const broken = repo === undefined ? undefined : findBrokenBase(state, repo);
  return broken === undefined || repairs(state, index, broken) ? undefined : broken;
}

/** True if the landing of a ticket may repair its broken base. */
export function isRepair(state: RunState, index: number): boolean {
  const repo = state.plan.tickets[index]?.repo;
  const broken = repo === undefined ? undefined : findBrokenBase(state, repo);
  return broken?.cause === "verify" && repairs(state, index, broken);
}

/** A change with the failing check in its finish line lands only if it passes that check on the broken tip: it is the repair. */
function repairs(state: RunState, index: number, broken: BrokenBase): boolean {
  if (broken.cause === "check") return hasFailingCheck(state, index);
  if (broken.ticket === undefined) return false;
  return isLandedNotLive(vecAt(state.tickets, index)) || isNeededBy(state, ticketIndex(state, broken.ticket), index);
}

/** True if the check that fails on the ticket's base is in its finish line. */
function hasFailingCheck(state: RunState, index: number): boolean {
  const { repo, finish } = state.plan.tickets[index] ?? {};
  const failing = repo === undefined ? undefined : state.failingChecks[repo];
  if (failing === undefined) return false;
  const check = JSON.stringify(failingStep(state, failing));
  return finish?.some((step) => JSON.stringify(step) === check) === true;
}

/** True if a ticket's work is complete, and a check of its finish line fails on the base without it. */
function waitsForCheck(state: RunState, index: number): boolean {
  const { attempt, pendingWork } = vecAt(state.tickets, index);
  if (attempt !== undefined || pendingWork === undefined || pendingWork.landed !== undefined) return false;
  return hasFailingCheck(state, index) && !landsRegardless(state, index);
}

/** True if the batch lets other changes land, and a report tells which tests fail without them. */
function landsRegardless(state: RunState, index: number): boolean {
  const failing = state.failingChecks[state.plan.tickets[index]?.repo ?? ""];
  if (failing === undefined || state.batch.onBroken !== "continue") return false;
  const check = failingStep(state, failing);
  return check?.step === "check" && check.report !== undefined;
}

/** True if a ticket depends on another one, directly or through others. */
function isNeededBy(state: RunState, ticket: number, other: number, seen: Set<number> = new Set()): boolean {
  if (seen.has(ticket)) return false;
  seen.add(ticket);
  return (state.plan.tickets[ticket]?.dependsOn ?? []).some((id) => {
    const dep = ticketIndex(state, id);
    return dep === other || isNeededBy(state, dep, other, seen);
  });
}

/** True if nothing in this run will repair a broken base by itself, so that waiting for it is useless. */
export function isBeyondRepair(state: RunState, { cause, ticket: id }: BrokenBase): boolean {
  // A person may repair it, or a change that passes the check; nobody is at it.
  if (cause === "check" || id === undefined) return true;
  return isStuck(state, ticketIndex(state, id));
}

/** True if no attempt at an open ticket is under way or can start by itself, and no check of what it landed is planned. */
function isStuck(state: RunState, index: number): boolean {
  const ticket = vecAt(state.tickets, index);
  const { attempt, phase, live, tracked } = ticket;
  if (attempt !== undefined || phase === "done") return false;
  if (phase === "landed") return live?.givenUp !== undefined && !live.checking;
  if (phase === "stalled" || phase === "human-gated" || tracked?.unavailable !== undefined) return true;
  if (waitsForCheck(state, index) || unpreparedFor(state, index) !== undefined) return true;
  if (state.checksOnly === true || state.halted !== undefined || attemptCap(state, ticket) !== undefined) return true;
  return (state.plan.tickets[index]?.dependsOn ?? []).some((dep) => isStuck(state, ticketIndex(state, dep)));
}

/**
 * Tickets whose landed change is to be reverted now: the suspects of broken bases, and reverts that another engine had begun. A
 * landing whose live check is still open on its finish line may be the earlier one, so it is waited for.
 */
export function dueReverts(state: RunState): readonly TicketId[] {
  const begun = landedTickets(state).flatMap(({ id, live, gate }) => {
    const isOpen = live !== undefined && isBeingReverted(live) && !live.checking && gate === undefined;
    return isOpen && !state.reverting.includes(ticketIndex(state, id)) ? [id] : [];
  });
  return [...new Set([...begun, ...suspectsToRevert(state), ...blamedTickets(state), ...askedReverts(state)])];
}

/** Tickets whose landed change a person has reverted, and that have nothing under way. */
function askedReverts(state: RunState): readonly TicketId[] {
  return [...vecItems(state.tickets)].flatMap(({ id, attempt, gate, live }) => {
    const { byPerson, failed, to } = live?.revert ?? {};
    const isDue = byPerson === true && to === undefined && failed === undefined;
    const isIdle = attempt === undefined && gate === undefined && !live?.checking;
    return isDue && isIdle && !state.reverting.includes(ticketIndex(state, id)) ? [id] : [];
  });
}

function suspectsToRevert(state: RunState): readonly TicketId[] {
  if (state.checksOnly === true) return [];
  return Object.entries(state.brokenBases).flatMap(([repo, { cause, ticket: id }]) => {
    if (id === undefined) return [];
    const index = ticketIndex(state, id);
    if (cause === "check") return isSuspectedByCheck(state, index) ? [id] : [];
    const { phase, live, gate } = vecAt(state.tickets, index);
    if (phase !== "landed" || gate !== undefined || live?.checking || state.reverting.includes(index)) return [];
    const isDue = live?.revert !== undefined && live.revert.failed === undefined;
    return isDue && !state.finishing.some((other) => hasLanded(state, other, repo)) ? [id] : [];
  });
}

/**
 * True if the change of a ticket is to be reverted because a check fails on its base: it had landed last when the check failed, and
 * the ticket has nothing under way.
 */
export function isSuspectedByCheck(state: RunState, index: number): boolean {
  const { id, phase, live, gate, attempt, closedByPerson, mergedFrom } = vecAt(state.tickets, index);
  const repo = state.plan.tickets[index]?.repo;
  const failing = repo === undefined ? undefined : state.failingChecks[repo];
  if (repo === undefined || failing?.suspect !== id || state.batch.onBroken !== "revert") return false;
  if (findBrokenBase(state, repo)?.cause !== "check") return false;
  if (live?.revert?.failed !== undefined) return false;
  const isIdle = attempt === undefined && gate === undefined && closedByPerson === undefined && !live?.checking;
  const canBeReverted = (phase === "done" || phase === "landed") && mergedFrom !== undefined && failing.notReverted === undefined;
  const isKnown = !failing.isRunning && failing.seen === tipKnown(state, repo) && !state.reverting.includes(index);
  return isIdle && canBeReverted && isKnown && !state.finishing.some((other) => hasLanded(state, other, repo));
}

function hasLanded(state: RunState, index: number, repo: string): boolean {
  return state.plan.tickets[index]?.repo === repo && vecAt(state.tickets, index).attempt?.merge?.landed === true;
}

/** The reason why a change does not land now, in words; undefined if it may. */
export function freezeReason(state: RunState, id: TicketId): string | undefined {
  const index = ticketIndex(state, id);
  const broken = blockingBase(state, index);
  if (broken === undefined) return undefined;
  return describeBroken(broken, state.plan.tickets[index]?.repo ?? "");
}

/** A broken base in words: the suspected commit, its ticket, and what fails. */
export function describeBroken(broken: BrokenBase, repo: string): string {
  const { step, summary } = broken;
  return `the base of ${repo} is broken (suspected: ${describeSuspect(broken)}). ${step}: ${summary}`;
}

/**
 * Attempts that wait for a broken base and are to be postponed, by index: nothing will repair it in this run, or they hold a
 * resource that its repair needs. Their work is kept, and lands later without another agent.
 */
export function attemptsToPostpone(state: RunState): readonly number[] {
  if (Object.keys(state.brokenBases).length === 0) return [];
  const needed = neededResources(state);
  return state.finishing.filter((index) => {
    const broken = blockingBase(state, index);
    if (broken === undefined || !isBeforeMerge(state, index)) return false;
    // A heal that a person asked for waits for these attempts, and the repair of the base for the heal.
    if (isBeyondRepair(state, broken) || state.heals.asked) return true;
    return (state.plan.tickets[index]?.exclusive ?? []).some((resource) => needed.has(resource));
  });
}

/** True if an attempt has passed every step before its merge, and has not begun to land: it waits in the queue of its base. */
function isBeforeMerge(state: RunState, index: number): boolean {
  const { attempt } = vecAt(state.tickets, index);
  if (attempt === undefined || attempt.merge !== undefined) return false;
  const finish = state.plan.tickets[index]?.finish ?? [];
  const passed = new Set(attempt.passed.map((step) => step.index));
  return finish
    .slice(
      0,
      finish.findIndex(({ step }) => step === "merge"),
    )
    .every((_, i) => passed.has(i));
}

/** Exclusive resources of waiting tickets that would repair a base. */
function neededResources(state: RunState): ReadonlySet<string> {
  const repairing = state.ready.filter((index) => isRepair(state, index));
  return new Set(repairing.flatMap((index) => state.plan.tickets[index]?.exclusive ?? []));
}

/** The broken base that an attempt at a ticket would only wait for, because its work is complete or the base is beyond repair. */
export function waitsForBase(state: RunState, index: number): BrokenBase | undefined {
  const repo = state.plan.tickets[index]?.repo;
  const known = repo === undefined ? undefined : findBrokenBase(state, repo);
  const { pendingWork } = vecAt(state.tickets, index);
  // What has landed already does not land again: the rest of its finish line needs no whole base.
  if (pendingWork?.landed !== undefined) return undefined;
  // The check fails again whatever else breaks the base: without a wait, the attempt would be repeated at once, for ever.
  if (waitsForCheck(state, index)) return known;
  if (known?.cause === "check") return pendingWork !== undefined && state.batch.onBroken !== "continue" ? known : undefined;
  const broken = blockingBase(state, index);
  if (broken === undefined) return undefined;
  return pendingWork !== undefined || isBeyondRepair(state, broken) ? broken : undefined;
}

/**
 * What the engine does about a broken base: nothing else lands, the suspected change is being reverted, or other changes land all
 * the same.
 */
export type BrokenBaseResponse = "frozen" | "reverting" | "continuing";

/** What the engine does about a broken base. */
export function responseTo(state: RunState, { ticket }: BrokenBase): BrokenBaseResponse {
  if (state.batch.onBroken === "continue") return "continuing";
  return ticket !== undefined && state.reverting.includes(ticketIndex(state, ticket)) ? "reverting" : "frozen";
}

/** Repositories whose failed check is to run again, because their base has moved on. A revert runs the check itself. */
export function dueBaseChecks(state: RunState): readonly RepoId[] {
  const reverting = [...state.reverting, ...dueReverts(state).map((id) => ticketIndex(state, id))];
  const busy = new Set<string | undefined>(reverting.map((index) => state.plan.tickets[index]?.repo));
  return Object.entries(state.failingChecks).flatMap(([repo, { isRunning, seen }]) =>
    !isRunning && tipKnown(state, repo) !== seen && !busy.has(repo) ? [repo as RepoId] : [],
  );
}

/** Repositories whose failed check runs once more on the tip where it failed, before the run gives up on it: it may be flaky. */
export function lastBaseChecks(state: RunState): readonly RepoId[] {
  return Object.entries(state.failingChecks).flatMap(([repo, { isRepeated }]) => (isRepeated ? [] : [repo as RepoId]));
}

/** True while a change is being reverted, a check runs on a base, or a base is being proven. */
export function isMendingBase({ reverting, failingChecks, proofs }: RunState): boolean {
  if (Object.values(proofs).some(({ running }) => running !== undefined)) return true;
  return reverting.length > 0 || Object.values(failingChecks).some(({ isRunning }) => isRunning);
}
