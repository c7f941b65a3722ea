import { requeue, withTicket } from "../schedule/queue.ts";
import { vecAt } from "../values/vec.ts";
import { withApproved } from "./approval.ts";
import type { ApprovalFact } from "./approval-fact.ts";
import type { RunEvent } from "./event.ts";
import { type RunState, ticketIndex } from "./state.ts";
import type { TicketState } from "./ticket-state.ts";

/** Folds the wait for an approval, and the approval: the ticket goes on with its work, also if it was left to a person meanwhile. */
export function reduceApproval(state: RunState, event: Extract<RunEvent, ApprovalFact>): RunState {
  const index = ticketIndex(state, event.ticket);
  const ticket = vecAt(state.tickets, index);
  if (event.type === "approval-awaited") {
    const { commit, base, change, zones, files, complexity, why, at } = event;
    const awaited = { commit, base, change, zones, files, ...(complexity && { complexity }), ...(why && { why }) };
    const awaiting = [...(state.awaiting ?? []).filter((other) => other !== index), index];
    return withTicket({ ...state, awaiting }, index, { ...ticket, approval: { ...awaited, at } });
  }
  const approved: TicketState = { ...ticket, approved: withApproved(ticket, event.change) };
  const { awaiting = [] } = state;
  const next = { ...state, awaiting: awaiting.filter((other) => other !== index), reverified: false };
  if (ticket.phase !== "human-gated" && ticket.gate === undefined) return requeue(withTicket(next, index, approved), index);
  return ungate(next, index, approved);
}

/** Lets a ticket go on that was left to a person, or is about to be. */
export function ungate(state: RunState, index: number, ticket: TicketState): RunState {
  const { gate: _, humanStep: __, endedAt: ___, ...open } = ticket;
  const gating = state.gating.filter((other) => other !== index);
  const isToldGated = ticket.phase === "human-gated";
  const waiting: TicketState = { ...open, phase: "waiting", ...(isToldGated && { ungated: true }) };
  return requeue(withTicket({ ...state, gating, reverified: false }, index, waiting), index);
}
