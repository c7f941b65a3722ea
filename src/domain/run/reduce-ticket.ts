import { endTicketIncidents, withIncident } from "../results/incident.ts";
import { failedAgain } from "../schedule/breaker.ts";
import { dequeue, requeue, shiftDependents, withTicket } from "../schedule/queue.ts";
import { vecAt } from "../values/vec.ts";
import type { RunEvent } from "./event.ts";
import { idleLive } from "./live-check.ts";
import { withBase } from "./reduce-base.ts";
import { afterFailure, givenUpLive, reopenedAsLanded } from "./reduce-live.ts";
import { planAfterRetry } from "./reduce-plan.ts";
import { indexOf, type RunState } from "./state.ts";
import { type TicketState, withEvidence } from "./ticket-state.ts";

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
      const gated = withTicket(state, index, {
        ...ticket,
        gate: { step: event.step, writing: false, ...(event.by && { by: event.by }) },
      });
      const gating = gated.gating.includes(index) ? gated.gating : [...gated.gating, index];
      return { ...dequeue(gated, index), gating, reverified: false };
    }
    case "gate-writing":
      return withTicket(state, index, { ...ticket, gate: { ...(ticket.gate ?? { step: "" }), writing: true } });
    case "gate-postponed":
      return withTicket(state, index, { ...ticket, gate: { ...(ticket.gate ?? { step: "" }), writing: false, postponed: true } });
    case "ticket-gated": {
      const { gate: _, stalledReason: __, stalledBy: ___, ...rest } = ticket;
      const incidents = endTicketIncidents(state.incidents, ticket.id, event.at, "left to a person");
      const gated: TicketState = { ...rest, phase: "human-gated", humanStep: event.step, endedAt: event.at };
      return withBase(settle({ ...state, incidents }, index, gated), index, event.at);
    }
    case "ticket-stalled": {
      if (ticket.live !== undefined && event.by === "attempts") return settle(state, index, givenUpLive(ticket, event.reason));
      const { gate: _, stalledBy: __, ...rest } = ticket;
      const by = event.by === undefined ? {} : { stalledBy: event.by };
      return settle(state, index, { ...rest, phase: "stalled", stalledReason: event.reason, ...by, endedAt: event.at });
    }
    case "ticket-retried":
      return retry(state, index, ticket);
    case "ticket-reopened":
      return reopen(state, index, event);
  }
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
function retry(state: RunState, index: number, ticket: TicketState): RunState {
  if (ticket.phase !== "stalled") return state;
  const { due: _, plan: __, ...fresh } = renewed(ticket);
  const next = withTicket(state, index, { ...fresh, ...planAfterRetry(ticket), retriedAfter: ticket.history.length });
  if (ticket.unfiled === true) return { ...next, filing: [...next.filing, index], reverified: false };
  return requeue({ ...next, reverified: false }, index);
}

/** Reopens a done ticket. Its dependents wait for it again, unless they are already running. An open ticket stays as it is. */
function reopen(state: RunState, index: number, { evidence, at }: Extract<TicketEvent, { type: "ticket-reopened" }>): RunState {
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
