import { endIncident, withIncident } from "../results/incident.ts";
import { countIntervention } from "../results/intervention.ts";
import { failedAgain } from "../schedule/breaker.ts";
import { isSuspectedByCheck } from "../schedule/freeze.ts";
import { requeue, shiftDependents, withTicket } from "../schedule/queue.ts";
import type { TicketId } from "../values/ids.ts";
import { vecAt, vecItems } from "../values/vec.ts";
import { landedChange } from "./admit-revert.ts";
import type { Evidence } from "./attempt-fact.ts";
import type { RunEvent } from "./event.ts";
import { idleLive, isBeingReverted, type LiveState, type RevertFact, type RevertState } from "./live-check.ts";
import { withBase, withLanding } from "./reduce-base.ts";
import { failedChecks } from "./reduce-live.ts";
import { renewed } from "./reduce-ticket.ts";
import { type RunState, ticketIndex } from "./state.ts";
import { type TicketState, withEvidence } from "./ticket-state.ts";

/** Events of the engine's reverts. */
export type RevertEvent = Extract<RunEvent, { type: RevertFact["type"] }>;
type EventOf<T extends RevertEvent["type"]> = Extract<RevertEvent, { type: T }>;

/** Folds the events of reverts. */
export function reduceRevert(state: RunState, event: RevertEvent): RunState {
  const index = ticketIndex(state, event.ticket);
  const { live } = vecAt(state.tickets, index);
  if (event.type === "revert-asked") return ask(state, index, event.at);
  if (live?.revert === undefined) {
    if (event.type === "revert-started" && isSuspectedByCheck(state, index)) return begin(suspect(state, index, event.at), index);
    return afterReopening(state, index, event);
  }
  const { revert } = live;
  switch (event.type) {
    case "revert-started":
      return begin(state, index);
    case "revert-intended": {
      const { from, to } = event;
      const { since, failedCheck, byProof, byPerson } = revert;
      const why = { failedCheck, byProof, byPerson };
      return withRevert(reopened(state, index, event.at), index, { since, from, to, ...why });
    }
    case "revert-landed":
      return withLanding(withRevert(counted(state, revert, event), index, { ...withoutWait(revert), hasLanded: true }), event);
    case "revert-waiting":
      return withRevert(state, index, { ...revert, waiting: event.reason });
    case "revert-stopped":
      return withRevert(over(state, index), index, withoutWait(revert));
    case "revert-failed":
      return fail(over(state, index), index, live, event);
    case "revert-ended":
      return end(over(state, index), index, live, event);
  }
}

function begin(state: RunState, index: number): RunState {
  return { ...state, reverting: [...state.reverting, index], reverified: false };
}

/**
 * A ticket whose landed change is suspected, because a check fails on its base. It stays as it is until its revert is about to
 * land.
 */
function suspect(state: RunState, index: number, at: number): RunState {
  const failing = state.failingChecks[state.plan.tickets[index]?.repo ?? ""];
  const { name = "check", summary = "" } = failing ?? {};
  const said = `the check ${name} has failed on the base since it landed: ${summary}`;
  return withRevertDue(state, index, at, { failedCheck: { step: "check", name, summary: said, detail: "" } });
}

/** A ticket whose landed change a person has reverted. It stays as it is until the revert is about to land. */
function ask(state: RunState, index: number, at: number): RunState {
  const summary = "a person took its landed change back";
  const failedCheck: Evidence = { step: "merge", name: "revert", summary, detail: "" };
  const due = withRevertDue(state, index, at, { failedCheck, byPerson: true });
  const { live, ...ticket } = vecAt(due.tickets, index);
  return { ...withTicket(due, index, { ...ticket, ...(live && { live: idleLive(live) }) }), reverified: false };
}

/** With a person's revert counted, which corrects the tracker and the live state. */
function counted(state: RunState, { byPerson, hasLanded }: RevertState, event: EventOf<"revert-landed">): RunState {
  if (!byPerson || hasLanded) return state;
  const note = `reverted its landed change, as ${event.to.slice(0, 7)}`;
  const act = { at: event.at, class: "I7" as const, target: event.ticket, note };
  return { ...state, interventions: countIntervention(state.interventions, act) };
}

/** A ticket whose landed change a deep proof blames; the state as it is if the change cannot be reverted. */
export function blame(state: RunState, ticket: TicketId, at: number, failedCheck: Evidence): RunState {
  const index = ticketIndex(state, ticket);
  const { phase, live, gate, closedByPerson, mergedFrom } = vecAt(state.tickets, index);
  const isLanded = (phase === "done" || phase === "landed") && mergedFrom !== undefined;
  if (!isLanded || gate !== undefined || closedByPerson !== undefined || live?.revert !== undefined) return state;
  return { ...withRevertDue(state, index, at, { failedCheck, byProof: true }), reverified: false };
}

function withRevertDue(state: RunState, index: number, at: number, why: Omit<RevertState, "since">): RunState {
  const ticket = vecAt(state.tickets, index);
  const { endedAt: landedAt = at, phase } = ticket;
  const { sha, from = sha } = landedChange(ticket) ?? { sha: "" };
  const counts = { failed: 0, inconclusive: 0, reopened: 0 };
  const check = why.failedCheck?.name ?? "check";
  const fresh = { attempt: ticket.history.at(-1)?.n ?? 0, landedAt, check, detail: "", history: [], ...counts };
  const known = { ...fresh, claimed: false, ...ticket.live, sha, from };
  const live: LiveState = { ...known, claimed: known.claimed && phase === "landed", revert: { since: at, ...why } };
  return withTicket(state, index, { ...ticket, live });
}

/** A done ticket whose change is about to be reverted is not done any more. Nothing of it is known to fail a live check. */
function reopened(state: RunState, index: number, at: number): RunState {
  const { endedAt: _, ...ticket } = vecAt(state.tickets, index);
  const { live, id, phase } = ticket;
  const { failedCheck } = live?.revert ?? {};
  if (live === undefined || failedCheck === undefined || phase !== "done") return state;
  const { step, summary } = failedCheck;
  // A change that a person takes back has not failed.
  const reopening = { kind: "reopened" as const, at, ticket: id, step, summary };
  const incidents = live.revert?.byPerson ? state.incidents : withIncident(state.incidents, reopening);
  const open: TicketState = { ...ticket, phase: "landed", live: { ...live, waitsFor: summary } };
  return shiftDependents(withTicket({ ...state, incidents, reverified: false }, index, open), index, 1);
}

/**
 * The end of a revert whose ticket a person has opened anew meanwhile: it counts for the base, and the ticket goes on without its
 * change.
 */
function afterReopening(state: RunState, index: number, event: RevertEvent): RunState {
  if (event.type === "revert-landed") return withLanding(state, event);
  if (event.type !== "revert-ended" && event.type !== "revert-failed" && event.type !== "revert-stopped") return state;
  const next = over(state, index);
  if (event.type !== "revert-ended") return next;
  const { mergedSha: _, mergedFrom: __, ...ticket } = vecAt(next.tickets, index);
  return withBase(withTicket(next, index, ticket), index, event.at);
}

function over(state: RunState, index: number): RunState {
  return { ...state, reverting: state.reverting.filter((other) => other !== index) };
}

function withoutWait({ waiting: _, ...revert }: RevertState): RevertState {
  return revert;
}

function withRevert(state: RunState, index: number, revert: RevertState): RunState {
  const ticket = vecAt(state.tickets, index);
  return ticket.live === undefined ? state : withTicket(state, index, { ...ticket, live: { ...ticket.live, revert } });
}

/** The base is frozen instead. The live check runs once more; if it fails, an agent starts. */
function fail(state: RunState, index: number, live: LiveState, { at, reason }: EventOf<"revert-failed">): RunState {
  const ticket = vecAt(state.tickets, index);
  const isSuspect = live.revert?.failedCheck !== undefined && !live.revert.byPerson;
  const told = isSuspect ? noteNotReverted(state, index, reason) : state;
  if (ticket.phase === "done") return withTicket(told, index, withoutSuspicion(ticket, live));
  const next: LiveState = { ...idleLive(live), revert: { since: live.revert?.since ?? at, failed: reason } };
  return withTicket(told, index, { ...ticket, live: ticket.phase === "landed" ? { ...next, nextAt: at } : next });
}

/** The failing check of a ticket's base, with the reason why its suspect is not reverted. */
function noteNotReverted(state: RunState, index: number, notReverted: string): RunState {
  const repo = state.plan.tickets[index]?.repo ?? "";
  const failing = state.failingChecks[repo];
  if (failing === undefined) return state;
  return { ...state, failingChecks: { ...state.failingChecks, [repo]: { ...failing, notReverted } } };
}

/** A ticket that stays done. Without a live check of its own, nothing of the suspicion is kept. */
function withoutSuspicion({ live: _, ...ticket }: TicketState, { revert: __, ...live }: LiveState): TicketState {
  return live.history.length === 0 ? ticket : { ...ticket, live };
}

/**
 * Opens the ticket again, on a base without its change. An attempt is used up, unless a person took the change back. The other landed
 * tickets of that base count their checks anew: the reverted change may have failed them.
 */
function end(state: RunState, index: number, live: LiveState, event: EventOf<"revert-ended">): RunState {
  const { at, ok, summary } = event;
  const { live: _, mergedSha: __, mergedFrom: ___, landedEarlier, ...rest } = vecAt(state.tickets, index);
  const by = live.revert?.to ?? "";
  const { sha, from, history } = live;
  const { failedCheck, byPerson } = live.revert ?? {};
  const ticket: TicketState = landedEarlier === undefined || landedEarlier.sha === sha ? rest : { ...rest, landedEarlier };
  const why = { failedCheck, byPerson };
  const reverted = { sha, from, by, at, checks: history, after: { ok, summary }, ...why };
  const evidence = failedCheck ?? failedChecks(live);
  const isOpen = ticket.phase === "landed";
  const failed = { phase: "waiting" as const, failures: ticket.failures + 1, signs: failedAgain(ticket.signs ?? {}, evidence) };
  const open: TicketState = byPerson
    ? { ...renewed(ticket), reverted, retriedAfter: ticket.history.length }
    : { ...ticket, reverted, ...failed };
  const next = isOpen ? withEvidence(open, evidence) : { ...ticket, reverted };
  // A ticket that was done is open until an attempt has shipped it again.
  const incidents = endIncident(state.incidents, { kind: "live-check", ticket: ticket.id }, at, { by: revertedBy(by) });
  const mended = failedCheck === undefined || byPerson ? state : withoutFailingCheck(state, index);
  const taken = withTicket({ ...mended, incidents, reverified: false }, index, next);
  const whole = endBroken(taken, index, { at, by });
  const recounted = isOpen ? withFreshCounts(whole, index, at) : whole;
  return requeue(withBase(recounted, index, at), index);
}

/** The revert has passed the check that failed on the base. */
function withoutFailingCheck(state: RunState, index: number): RunState {
  const { [state.plan.tickets[index]?.repo ?? ""]: _, ...failingChecks } = state.failingChecks;
  return { ...state, failingChecks };
}

function revertedBy(sha: string): string {
  return `reverted by ${sha.slice(0, 7)}`;
}

/** Ends the broken base by the revert, which its incident names. */
function endBroken(state: RunState, index: number, { at, by }: { readonly at: number; readonly by: string }): RunState {
  const repo = state.plan.tickets[index]?.repo;
  if (repo === undefined || state.brokenBases[repo]?.ticket !== state.plan.tickets[index]?.id) return state;
  const { [repo]: _, ...brokenBases } = state.brokenBases;
  const ending = { endedSeq: state.seq, by: revertedBy(by) };
  const incidents = endIncident(state.incidents, { kind: "broken-base", repo }, at, ending);
  return { ...state, brokenBases, incidents };
}

function withFreshCounts(state: RunState, index: number, at: number): RunState {
  const repo = state.plan.tickets[index]?.repo;
  let next = state;
  let other = -1;
  for (const ticket of vecItems(state.tickets)) {
    other += 1;
    const { live, phase } = ticket;
    if (phase !== "landed" || live === undefined || state.plan.tickets[other]?.repo !== repo || isBeingReverted(live)) continue;
    const { givenUp: _, isOutOfAttempts: __, revert, ...rest } = live;
    const kept = revert?.failed === undefined ? {} : { revert };
    next = withTicket(next, other, {
      ...ticket,
      live: { ...rest, ...kept, failed: 0, requested: 0, inconclusive: 0, ...again(live, at) },
    });
  }
  return next;
}

/** A check that runs is not started again. */
function again({ checking }: LiveState, at: number): Pick<LiveState, "nextAt"> {
  return checking ? {} : { nextAt: at };
}
