import { failedAgain } from "../schedule/breaker.ts";
import { dequeue, requeue, shiftDependents, withTicket } from "../schedule/queue.ts";
import { vecAt } from "../values/vec.ts";
import type { Evidence } from "./attempt-fact.ts";
import type { RunEvent } from "./event.ts";
import { indexOf, type RunState } from "./state.ts";
import type { TicketState } from "./ticket-state.ts";

/** Attempts whose evidence is kept for the next prompt. */
const KEPT_EVIDENCE = 3;

/** Appends evidence, keeping the newest three. */
export function withEvidence(ticket: TicketState, evidence: Evidence | undefined): TicketState {
  return evidence === undefined ? ticket : { ...ticket, evidence: [...ticket.evidence, evidence].slice(-KEPT_EVIDENCE) };
}

type TicketEvent = Extract<
  RunEvent,
  {
    type:
      | "gate-requested"
      | "gate-writing"
      | "gate-postponed"
      | "ticket-gated"
      | "ticket-stalled"
      | "ticket-retried"
      | "ticket-reopened";
  }
>;

/** Folds the events of a ticket outside its attempts. */
export function reduceTicket(state: RunState, event: TicketEvent): RunState {
  const index = indexOf(state, event.ticket);
  const ticket = vecAt(state.tickets, index);
  switch (event.type) {
    case "gate-requested": {
      const gated = withTicket(state, index, { ...ticket, gate: { step: event.step, writing: false } });
      const gating = gated.gating.includes(index) ? gated.gating : [...gated.gating, index];
      return { ...dequeue(gated, index), gating, reverified: false };
    }
    case "gate-writing":
      return withTicket(state, index, { ...ticket, gate: { ...(ticket.gate ?? { step: "" }), writing: true } });
    case "gate-postponed":
      return withTicket(state, index, { ...ticket, gate: { ...(ticket.gate ?? { step: "" }), writing: false, postponed: true } });
    case "ticket-gated": {
      const { gate: _, stalledReason: __, stalledBy: ___, ...rest } = ticket;
      return settle(state, index, { ...rest, phase: "human-gated", humanStep: event.step, endedAt: event.at });
    }
    case "ticket-stalled": {
      const { gate: _, stalledBy: __, ...rest } = ticket;
      const by = event.by === undefined ? {} : { stalledBy: event.by };
      return settle(state, index, { ...rest, phase: "stalled", stalledReason: event.reason, ...by, endedAt: event.at });
    }
    case "ticket-retried":
      return retry(state, index, ticket);
    case "ticket-reopened":
      return reopen(state, index, event.evidence);
  }
}

/** Puts a ticket that nothing more happens to into place. */
export function settle(state: RunState, index: number, ticket: TicketState): RunState {
  const next = dequeue(withTicket(state, index, ticket), index);
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
function retry(state: RunState, index: number, ticket: TicketState): RunState {
  if (ticket.phase !== "stalled") return state;
  const next = withTicket(state, index, { ...renewed(ticket), retriedAfter: ticket.history.length });
  if (ticket.unfiled === true) return { ...next, filing: [...next.filing, index], reverified: false };
  return requeue({ ...next, reverified: false }, index);
}

/** Reopens a done ticket. Its dependents wait for it again, unless they are already running. An open ticket stays as it is. */
function reopen(state: RunState, index: number, evidence: Evidence): RunState {
  const { endedAt: _, mergedSha, ...rest } = vecAt(state.tickets, index);
  if (rest.phase !== "done") return state;
  const signs = failedAgain(rest.signs ?? {}, evidence);
  // If a verification failed, the landed change is still there.
  const landed = mergedSha === undefined || evidence.step === "merge" ? {} : { mergedSha };
  const ticket = withEvidence({ ...rest, ...landed, phase: "waiting", failures: rest.failures + 1, signs }, evidence);
  const next = shiftDependents(withTicket(state, index, ticket), index, 1);
  return requeue({ ...next, reverified: false, reopened: state.reopened + 1 }, index);
}
