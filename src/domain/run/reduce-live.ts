import { endTicketIncidents, withIncident } from "../results/incident.ts";
import { failedAgain } from "../schedule/breaker.ts";
import { dequeue, requeue, shiftDependents, withTicket } from "../schedule/queue.ts";
import { attemptsAt } from "../schedule/stop-conditions.ts";
import { vecAt, vecItems } from "../values/vec.ts";
import type { Evidence } from "./attempt-fact.ts";
import type { RunEvent } from "./event.ts";
import {
  afterInconclusive,
  batchLiveSpec,
  idleLive,
  isLandedNotLive,
  type LiveState,
  ticketLandings,
  waitAfter,
  withCheck,
} from "./live-check.ts";
import { withBase } from "./reduce-base.ts";
import { type RunState, ticketIndex } from "./state.ts";
import { type Attempt, type PendingWork, type TicketState, withEvidence } from "./ticket-state.ts";

/** Events of live checks. */
export type LiveEvent = Extract<RunEvent, { type: "live-check-started" | "live-check-ended" }>;
type Ended = Extract<LiveEvent, { type: "live-check-ended" }>;

/** Folds the events of live checks. */
export function reduceLive(state: RunState, event: LiveEvent): RunState {
  const index = ticketIndex(state, event.ticket);
  const ticket = vecAt(state.tickets, index);
  const { live } = ticket;
  if (live === undefined) return state;
  if (event.type === "live-check-started") {
    const { nextAt, ...rest } = live;
    const resume = event.why === "person" && nextAt !== undefined ? { resumeAt: nextAt } : {};
    return withTicket(state, index, { ...ticket, live: { ...rest, ...resume, checking: true } });
  }
  const { at, ok, summary } = event;
  if (event.problem === "waits") return hold(state, index, live, event);
  const { waitsFor: _, untold, ...notHeld } = idleLive(live);
  const checked = withCheck(notHeld, { at, ok, summary });
  if (event.ok) return pass(state, index, checked, at);
  if (event.problem === "gone") return lose(state, index, event);
  if (event.problem !== undefined) return afterNoResult(state, index, { ...checked, ...(untold && { untold }) }, event);
  const { detail, check = live.check, refusedSecret } = event;
  const { refusedSecret: __, ...accepted } = checked;
  const failure = { check, detail, refusedSecret };
  const counted: LiveState = { ...accepted, ...failure, failed: live.failed + 1, inconclusive: 0 };
  const failed = live.isOutOfAttempts ? { ...counted, givenUp: failedChecks(counted).summary } : counted;
  const known = withBase(withTicket(state, index, { ...ticket, live: failed }), index, at);
  // A person's check counts as none of the repeats, so looking often starts no agent.
  if (live.resumeAt !== undefined)
    return withTicket(known, index, {
      ...ticket,
      live: { ...failed, requested: (live.requested ?? 0) + 1, nextAt: live.resumeAt },
    });
  return afterFailure(known, index, at);
}

/**
 * The check is repeated. If it passed and only the tracker could not be told, the base is whole until it fails again. A ticket that
 * is missing there is checked once it is back.
 */
function afterNoResult(state: RunState, index: number, live: LiveState, event: Ended): RunState {
  const ticket = vecAt(state.tickets, index);
  const isUntold = event.problem === "untold";
  const repeated = afterInconclusive(live, batchLiveSpec(state.batch), event);
  const next = isUntold && ticket.tracked?.unavailable !== undefined ? idleLive(live) : repeated;
  const passes = isUntold ? { untold: true as const } : {};
  return withBase(withTicket(state, index, { ...ticket, live: { ...next, ...passes } }), index, event.at);
}

/** The check waits for another ticket's, so it is repeated. What failed before passes now. */
function hold(state: RunState, index: number, live: LiveState, event: Ended): RunState {
  const waiting = afterInconclusive({ ...idleLive(live), failed: 0, waitsFor: event.summary }, batchLiveSpec(state.batch), event);
  const next = awaitsNobody(state, index) ? { ...idleLive(waiting), givenUp: event.summary } : waiting;
  return withBase(withTicket(state, index, { ...vecAt(state.tickets, index), live: next }), index, event.at);
}

/** True if whatever fails on the ticket's base is not checked again by itself. */
function awaitsNobody(state: RunState, index: number): boolean {
  const repo = state.plan.tickets[index]?.repo;
  return [...vecItems(state.tickets)].every((ticket, i) => {
    if (i === index || state.plan.tickets[i]?.repo !== repo || !isLandedNotLive(ticket)) return true;
    return ticket.live?.waitsFor !== undefined || (ticket.live?.givenUp !== undefined && ticket.phase === "landed");
  });
}

/**
 * A ticket whose attempt ended as `landed`: its change is in the base and a `verify` failed. Without a new landing, an agent has
 * changed nothing about an earlier one: its check is repeated at once, with a fresh count.
 */
export function endAsLanded(
  state: RunState,
  index: number,
  {
    attempt,
    claimed,
    event,
    before,
  }: {
    readonly attempt: Attempt;
    readonly claimed: boolean;
    readonly event: { readonly at: number; readonly evidence?: Evidence; readonly held?: true };
    readonly before: PendingWork | undefined;
  },
): RunState {
  const ticket = vecAt(state.tickets, index);
  const { live: earlier } = ticket;
  const { merge, n } = attempt;
  const { at, evidence, held } = event;
  if (merge?.landed !== true) {
    if (earlier === undefined) return requeue(state, index);
    const live = { ...idleLive(earlier), failed: 0, requested: 0, inconclusive: 0, nextAt: at };
    return withTicket(state, index, { ...ticket, phase: "landed", live });
  }
  const tip = attempt.change?.tip ?? before?.tip;
  const live: LiveState = {
    sha: merge.to,
    from: merge.from,
    landedAt: at,
    attempt: n,
    claimed,
    tip,
    check: evidence?.name ?? "verify",
    failed: 1,
    inconclusive: 0,
    history: earlier?.history ?? [],
    detail: evidence?.detail ?? "",
    refusedSecret: evidence?.refusedSecret,
    reopened: earlier?.reopened ?? 0,
    landings: earlier && [...ticketLandings(earlier), { from: merge.from, sha: merge.to }],
    rewritten: isForOldText(attempt, earlier, before) || undefined,
    revert: earlier && { since: at, ...earlier.revert, failed: LANDED_TWICE, hasLandedTwice: true },
  };
  const summary = evidence?.summary ?? "no reason given";
  if (held) {
    const next = afterInconclusive({ ...live, failed: 0, waitsFor: summary }, batchLiveSpec(state.batch), { at, summary });
    return withBase(withTicket(state, index, { ...ticket, phase: "landed", live: next }), index, at);
  }
  const checked = withCheck(live, { at, ok: false, summary });
  const incidents = withIncident(state.incidents, { kind: "live-check", at, ticket: ticket.id, step: "verify", summary });
  const landed = withTicket({ ...state, incidents }, index, { ...ticket, phase: "landed", live: checked });
  return afterFailure(withBase(landed, index, at), index, at);
}

/** True if a landing was built for a text that a person has rewritten. The agent of a repair has read the new one. */
function isForOldText(attempt: Attempt, earlier: LiveState | undefined, before: PendingWork | undefined): boolean {
  return attempt.isOutdated === true || (earlier === undefined && before?.rewritten === true);
}

/** The reason why a repair that has landed on top of a change is not reverted: the earlier change would stay. */
const LANDED_TWICE = "it has landed more than once, and only its last landing could be reverted";

/** A done ticket as a landed one, after a failed re-verification: its check is repeated first. Undefined without a commit. */
export function reopenedAsLanded(ticket: TicketState, evidence: Evidence, at: number): TicketState | undefined {
  const { landedEarlier, live: earlier, history } = ticket;
  const { mergedSha: sha = landedEarlier?.sha, mergedFrom: from = landedEarlier?.from ?? sha } = ticket;
  if (sha === undefined || from === undefined) return undefined;
  const live: LiveState = {
    attempt: history.at(-1)?.n ?? 0,
    claimed: false,
    history: [],
    ...(earlier && idleLive(earlier)),
    sha,
    from,
    landedAt: at,
    check: evidence.name,
    detail: evidence.detail,
    ...(evidence.refusedSecret && { refusedSecret: true }),
    failed: 1,
    requested: 0,
    inconclusive: 0,
    reopened: (earlier?.reopened ?? 0) + 1,
  };
  const checked = withCheck(live, { at, ok: false, summary: evidence.summary });
  return { ...ticket, phase: "landed", mergedSha: sha, mergedFrom: from, live: checked };
}

/** Settles a ticket whose live check passed. Its dependents wait for it no longer. */
function pass(state: RunState, index: number, live: LiveState, at: number): RunState {
  const { stalledReason: _, stalledBy: __, signs: ___, ...ticket } = vecAt(state.tickets, index);
  if (ticket.phase === "done" || ticket.phase === "human-gated" || ticket.attempt !== undefined) return state;
  const { givenUp: ____, isOutOfAttempts: _____, revert, ...rest } = live;
  const kept = revert?.hasLandedTwice ? { revert } : {};
  const done: TicketState = {
    ...ticket,
    phase: "done",
    endedAt: at,
    live: { ...rest, ...kept, failed: 0, requested: 0, inconclusive: 0 },
  };
  const next = withBase(dequeue(withTicket(state, index, done), index), index, at);
  return shiftDependents(
    {
      ...next,
      exhausted: next.exhausted.filter((other) => other !== index),
      claims: { ...next.claims, upheld: next.claims.upheld + (live.claimed ? 1 : 0) },
      incidents: endTicketIncidents(next.incidents, ticket.id, at),
      reverified: false,
    },
    index,
    -1,
  );
}

/** Restarts a ticket whose commit is no longer in the base. */
function lose(state: RunState, index: number, { summary, detail, at }: Ended): RunState {
  const { live: _, mergedSha: __, mergedFrom: ___, ...ticket } = vecAt(state.tickets, index);
  if (ticket.phase !== "landed" && ticket.phase !== "waiting") return state;
  const evidence: Evidence = { step: "merge", name: "merge", summary, detail };
  const open = withBase(withTicket(state, index, withEvidence({ ...ticket, phase: "waiting" }, evidence)), index, at);
  return requeue({ ...open, reverified: false }, index);
}

/**
 * Plans the next step after a failed check of a landed ticket: a repeat; once the repeats are used up, a revert or an agent; or
 * nothing more by itself, if the attempts are used up too or a host refuses the batch's secret.
 */
export function afterFailure(state: RunState, index: number, at: number): RunState {
  const ticket = vecAt(state.tickets, index);
  const { live } = ticket;
  if (ticket.phase !== "landed" || live === undefined || live.givenUp !== undefined) return state;
  const spec = batchLiveSpec(state.batch);
  if (state.checksOnly) return giveUp(state, index, live.history.at(-1)?.summary ?? "no reason given");
  if (live.reopened > state.batch.limits.attempts)
    return giveUp(state, index, `it passed and failed again ${live.reopened} times`);
  const repeated = live.failed - (live.requested ?? 0);
  if (repeated <= spec.repeats)
    return withTicket(state, index, { ...ticket, live: { ...live, nextAt: at + waitAfter(repeated, spec) } });
  // Neither a revert nor an agent can help: only a person renews a secret or the rights that come with it.
  if (live.refusedSecret) return giveUp(state, index, failedChecks(live).summary);
  if (state.batch.onBroken === "revert" && live.revert?.failed === undefined)
    return withTicket(state, index, { ...ticket, live: { ...idleLive(live), revert: { since: at, ...live.revert } } });
  const failures = ticket.failures + 1;
  const evidence = failedChecks(live);
  const next = withEvidence({ ...ticket, failures, signs: failedAgain(ticket.signs ?? {}, evidence) }, evidence);
  if (failures >= attemptsAt(state, index))
    return giveUp(withTicket(state, index, { ...next, live: { ...live, isOutOfAttempts: true } }), index, evidence.summary);
  return requeue({ ...withTicket(state, index, { ...next, phase: "waiting" }), reverified: false }, index);
}

/** The evidence of a landed change whose live checks failed, as often as they were repeated. */
export function failedChecks({ check, detail, failed, history }: LiveState): Evidence {
  const last = history.at(-1)?.summary ?? "no reason given";
  const what = failed === 1 ? "the live check failed" : `${failed} live checks in a row failed`;
  return { step: "verify", name: check, summary: `${what}: ${last}`, detail };
}

/** Stops repeating the check. Only a person, a new engine or the last re-verification checks the ticket again. */
function giveUp(state: RunState, index: number, givenUp: string): RunState {
  return withTicket(state, index, givenUpLive(vecAt(state.tickets, index), givenUp));
}

/** A landed ticket that no agent repairs any more. It is not stalled, because its change is in the base. */
export function givenUpLive(ticket: TicketState, givenUp: string): TicketState {
  return ticket.live === undefined ? ticket : { ...ticket, phase: "landed", live: { ...idleLive(ticket.live), givenUp } };
}

/** Without a revert that is planned and has not begun to land. One that failed stays, and one that a person asked for. */
export function withoutPlannedRevert(live: LiveState): LiveState {
  const { revert, ...rest } = live;
  return revert?.failed === undefined && revert?.to === undefined && !revert?.byPerson ? rest : live;
}

/** Makes the check of every landed ticket due: a new engine checks at once, and repeats a check of the last one. */
export function withChecksDue(state: RunState, at: number): RunState {
  let next = state;
  let index = 0;
  for (const ticket of vecItems(state.tickets)) {
    const { live } = ticket;
    if (live !== undefined && (ticket.phase === "landed" || live.checking)) {
      const isDue = ticket.phase === "landed" && live.revert?.to === undefined && !live.revert?.byPerson;
      next = withTicket(next, index, {
        ...ticket,
        live: { ...(isDue ? withoutPlannedRevert(idleLive(live)) : idleLive(live)), ...(isDue ? { nextAt: at } : {}) },
      });
    } else if (live?.revert !== undefined && ticket.phase === "done") {
      next = withTicket(next, index, { ...ticket, live: withoutPlannedRevert(live) });
    }
    index += 1;
  }
  return next;
}
