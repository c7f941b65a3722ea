import { endTicketIncidents, withIncident } from "../results/incident.ts";
import { failedAgain } from "../schedule/breaker.ts";
import { dequeue, requeue, shiftDependents, withTicket } from "../schedule/queue.ts";
import type { TicketId } from "../values/ids.ts";
import { vecAt } from "../values/vec.ts";
import type { AttemptOutcome } from "./attempt-fact.ts";
import { withBlocked } from "./blocked-fact.ts";
import type { EventOf, RunEvent } from "./event.ts";
import { idleLive } from "./live-check.ts";
import { planAfterRetry } from "./plan-fact.ts";
import type { StepPart } from "./prepare-fact.ts";
import { tipKnown, withBase } from "./reduce-base.ts";
import { afterFailure, givenUpLive, reopenedAsLanded } from "./reduce-live.ts";
import { findAttempt, type Reducers } from "./reducers.ts";
import { type DueRemedy, failedGateText, type Remedy } from "./remedy-fact.ts";
import { type RunState, ticketIndex } from "./state.ts";
import { countWait } from "./suite-fact.ts";
import { type Attempt, type TicketState, withEvidence } from "./ticket-state.ts";

/** What happens to a ticket outside its attempts. */
export const TICKET_REDUCERS = {
  "gate-requested"(state, { ticket: id, step, by }) {
    const index = ticketIndex(state, id);
    const gated = withTicket(state, index, { ...vecAt(state.tickets, index), gate: { step, writing: false, by } });
    const gating = gated.gating.includes(index) ? gated.gating : [...gated.gating, index];
    return { ...dequeue(gated, index), gating, reverified: false };
  },
  "gate-writing": (state, { ticket }) => withGate(state, ticket, { writing: true }),
  "gate-postponed": (state, { ticket }) => withGate(state, ticket, { writing: false, postponed: true }),
  "ticket-gated"(state, { ticket: id, step, at }) {
    const index = ticketIndex(state, id);
    const { gate: _, stalledReason: __, stalledBy: ___, ...rest } = vecAt(state.tickets, index);
    const incidents = endTicketIncidents(state.incidents, id, at, "left to a person");
    const gated: TicketState = { ...rest, phase: "human-gated", humanStep: step, endedAt: at };
    return withBase(settle({ ...state, incidents }, index, gated), index, at);
  },
  "ticket-stalled"(state, { ticket: id, reason, by, at }) {
    const index = ticketIndex(state, id);
    const ticket = vecAt(state.tickets, index);
    if (ticket.live !== undefined && by === "attempts") return settle(state, index, givenUpLive(ticket, reason));
    const { gate: _, stalledBy: __, ...rest } = ticket;
    return settle(state, index, { ...rest, phase: "stalled", stalledReason: reason, ...(by && { stalledBy: by }), endedAt: at });
  },
  "ticket-retried": retry,
  "ticket-reopened": reopen,
} satisfies Partial<Reducers>;

function withGate(
  state: RunState,
  id: TicketId,
  part: Pick<NonNullable<TicketState["gate"]>, "writing" | "postponed">,
): RunState {
  const index = ticketIndex(state, id);
  const { gate = { step: "" }, ...ticket } = vecAt(state.tickets, index);
  return withTicket(state, index, { ...ticket, gate: { ...gate, ...part } });
}

/** Puts a ticket that nothing more happens to into place. No live check of it is planned any more. */
export function settle(state: RunState, index: number, { live, ...ticket }: TicketState): RunState {
  const settled: TicketState = live === undefined ? ticket : { ...ticket, live: idleLive(live) };
  const next = dequeue(withTicket(state, index, settled), index);
  return {
    ...next,
    reverified: false,
    exhausted: next.exhausted.filter((i) => i !== index),
    gating: next.gating.filter((i) => i !== index),
    filing: next.filing.filter((i) => i !== index),
  };
}

/** A ticket that was given up, reset as if it were new, except for its history. */
export function renewed({ signs: _, stalledReason: __, stalledBy: ___, endedAt: ____, ...ticket }: TicketState): TicketState {
  return { ...ticket, phase: "waiting", failures: 0 };
}

/**
 * The ticket waits again, or is filed again if the tracker does not hold it yet. Its dependents have been waiting for it all
 * along.
 */
function retry(state: RunState, { ticket: id }: EventOf<"ticket-retried">): RunState {
  const index = ticketIndex(state, id);
  const ticket = vecAt(state.tickets, index);
  if (ticket.phase !== "stalled") return state;
  const { due: _, plan: __, ...fresh } = renewed(ticket);
  const next = withTicket(state, index, { ...fresh, ...planAfterRetry(ticket), retriedAfter: ticket.history.length });
  if (ticket.unfiled === true) return { ...next, filing: [...next.filing, index], reverified: false };
  return requeue({ ...next, reverified: false }, index);
}

/** Reopens a done ticket. Its dependents wait for it again, unless they are already running. An open ticket stays as it is. */
function reopen(state: RunState, { ticket: id, evidence, at }: EventOf<"ticket-reopened">): RunState {
  const index = ticketIndex(state, id);
  const { endedAt: _, ...before } = vecAt(state.tickets, index);
  if (before.phase !== "done") return state;
  const { step, summary } = evidence;
  const incidents = withIncident(state.incidents, { kind: "reopened", at, ticket: before.id, step, summary });
  const again = evidence.step === "merge" ? undefined : reopenedAsLanded(before, evidence, at);
  if (again !== undefined) {
    const open = shiftDependents(withTicket(state, index, again), index, 1);
    return afterFailure(withBase({ ...open, reverified: false, incidents }, index, at), index, at);
  }
  const { mergedSha: __, mergedFrom: ___, live: ____, ...rest } = before;
  const signs = failedAgain(rest.signs ?? {}, evidence);
  const ticket = withEvidence({ ...rest, phase: "waiting", failures: rest.failures + 1, signs }, evidence);
  const next = shiftDependents(withTicket(state, index, ticket), index, 1);
  return requeue({ ...next, reverified: false, incidents }, index);
}

/** Events of the programs that prepare an attempt, and of their connections. */
export type PreparingEvent = Extract<
  RunEvent,
  { type: "prepare-started" | "prepare-failed" | "step-part-started" | "connection-blocked" }
>;

/** Folds the start of a prepare command or of a part of a step, and a blocked connection of any program of an attempt. */
export function reducePreparing(state: RunState, event: PreparingEvent): RunState {
  const { index, ticket, attempt } = findAttempt(state, event);
  if (event.type === "connection-blocked")
    return withTicket(state, index, { ...ticket, attempt: { ...attempt, blocked: withBlocked(attempt.blocked, event) } });
  if (event.type === "prepare-failed") return unprepared(state, state.plan.tickets[index]?.repo ?? "", event);
  if (event.type === "step-part-started") {
    const { step } = attempt;
    if (step === undefined) return state;
    const next = withTicket(state, index, { ...ticket, attempt: { ...attempt, step: { ...step, part: toStepPart(event) } } });
    return step.kind === "check" && step.part === undefined ? countWait(next, event.at - step.startedAt) : next;
  }
  const preparing = { command: event.command, startedAt: event.at };
  return withTicket(state, index, { ...ticket, attempt: { ...attempt, preparing, lastOutputAt: event.at } });
}

function toStepPart({ part, at, expectedMs, train, behind }: Extract<PreparingEvent, { type: "step-part-started" }>): StepPart {
  return { ...{ text: part, startedAt: at }, expectedMs, train, behind };
}

/** Counts the failures of the same base in a row. */
function unprepared(
  state: RunState,
  repo: string,
  { base, summary, at, blocked }: Extract<PreparingEvent, { type: "prepare-failed" }>,
): RunState {
  const before = state.unprepared?.[repo];
  const same = before?.base === base ? before : undefined;
  const failures = (same?.failures ?? 0) + 1;
  const next = { base, seen: tipKnown(state, repo), failures, summary, since: same?.since ?? at, ...(blocked && { blocked }) };
  return { ...state, unprepared: { ...state.unprepared, [repo]: next } };
}

/** The attempt with its worktree prepared. */
export function withWorktree(
  { retried: _, preparing: __, ...rest }: Attempt,
  { path, branch, baseSha }: Extract<RunEvent, { type: "worktree-ready" }>,
): Attempt {
  return { ...rest, worktree: { path, branch, baseSha } };
}

/** Remediations that a ticket remembers. Each of a person's retries allows it some more. */
const KEPT = 100;

/**
 * Folds a remediation: unless its agent is only told something, the agent at work is to be ended, and the next attempt is as the action says,
 * or there is none.
 */
export function reduceRemedy(state: RunState, event: Extract<RunEvent, { type: "remediated" }>): RunState {
  const { index, ticket, attempt } = findAttempt(state, event);
  const { at, gate, action, was, did, now, bound } = event;
  const account = event.account === undefined ? {} : { account: event.account };
  const remedy: Remedy = { n: attempt.n, at, gate, action, was, did, now, bound, ...account };
  const { due: _, ...known } = ticket;
  const remedies = [...(ticket.remedies ?? []), remedy].slice(-KEPT);
  if (action === "nudge") return withTicket(state, index, { ...ticket, remedies });
  const next: TicketState = { ...known, remedies };
  const ended = endedBy(attempt);
  // No human gate: that would settle the ticket, and the signals of a gate are claims.
  if (action === "gate")
    return withTicket(state, index, {
      ...next,
      signs: { ...ticket.signs, behaviour: failedGateText(gate, was) },
      attempt: ended,
    });
  const due: DueRemedy = { n: attempt.n, gate, action, was, from: event.from };
  return withTicket(state, index, { ...next, due, attempt: ended });
}

/** The attempt, which is over: what its agent does from here on counts for nothing. */
function endedBy(attempt: Attempt): Attempt {
  const isAtWork = attempt.agent !== undefined && attempt.agent.endedAt === undefined;
  return { ...attempt, isRemedied: true, ...(isAtWork && { killing: attempt.killing ?? "remedied" }) };
}

/** What is left of a remediation once an attempt has ended. One that was cut off, or that had no agent, has not carried it out. */
export function dueAfter({ due }: TicketState, attempt: Attempt, outcome: AttemptOutcome): Pick<TicketState, "due"> {
  if (due === undefined || outcome === "done") return {};
  const isCutOff = outcome === "stopped" || outcome === "lost";
  return due.n === attempt.n || isCutOff || attempt.agent === undefined || attempt.isPlanning ? { due } : {};
}
