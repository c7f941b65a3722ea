import { awaitsApproval } from "../run/approval.ts";
import type { RunState } from "../run/state.ts";
import type { TicketState } from "../run/ticket-state.ts";
import { vecAt, vecWith } from "../values/vec.ts";
import { trippedBreaker } from "./breaker.ts";
import { attemptsAt } from "./stop-conditions.ts";

/** Replaces one ticket and keeps the counts by phase in step. */
export function withTicket(state: RunState, index: number, next: TicketState): RunState {
  const before = vecAt(state.tickets, index).phase;
  const tickets = vecWith(state.tickets, index, next);
  if (before === next.phase) return { ...state, tickets };
  const counts = { ...state.counts, [before]: state.counts[before] - 1 };
  return { ...state, tickets, counts: { ...counts, [next.phase]: counts[next.phase] + 1 } };
}

/** Puts a waiting ticket into the ready list at its place: longest remaining path first, then batch order. */
export function enqueue(state: RunState, index: number): RunState {
  const { ready, plan } = state;
  const rank = plan.rank[index] ?? 0;
  let low = 0;
  let high = ready.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    const other = ready[mid] as number;
    const otherRank = plan.rank[other] ?? 0;
    if (otherRank > rank || (otherRank === rank && other < index)) low = mid + 1;
    else high = mid;
  }
  return ready[low] === index ? state : { ...state, ready: ready.toSpliced(low, 0, index) };
}

/** Takes a ticket out of the ready list, if it is in it. */
export function dequeue(state: RunState, index: number): RunState {
  const at = state.ready.indexOf(index);
  return at === -1 ? state : { ...state, ready: state.ready.toSpliced(at, 1) };
}

/** A dependency became done (-1) or was reopened (+1). Updates the open counts of its dependents and the ready list. */
export function shiftDependents(state: RunState, index: number, by: -1 | 1): RunState {
  let next = state;
  for (const d of state.plan.dependents[index] ?? []) {
    const ticket = vecAt(next.tickets, d);
    const openDeps = ticket.openDeps + by;
    next = withTicket(next, d, { ...ticket, openDeps });
    if (ticket.phase !== "waiting" || ticket.gate !== undefined) continue;
    // A ticket that meanwhile failed for the last time is not ready, though it waits for no other.
    next = openDeps === 0 ? requeue(next, d) : dequeue(next, d);
  }
  return next;
}

/**
 * Queues a waiting ticket again if nothing holds it back. One that the tracker lacks, or whose change a person has to
 * approve, waits. A ticket without attempts left, or that
 * a breaker stops, goes to `exhausted`.
 */
export function requeue(state: RunState, index: number): RunState {
  const ticket = vecAt(state.tickets, index);
  if (ticket.phase !== "waiting" || ticket.gate !== undefined || ticket.tracked?.unavailable !== undefined) return state;
  if (awaitsApproval(ticket)) return state;
  const isSpent = ticket.failures >= attemptsAt(state, index) || trippedBreaker(ticket, state.plan.tickets[index]) !== undefined;
  // A wall is ruled on without an agent.
  if (isSpent && ticket.wall === undefined) {
    return state.exhausted.includes(index) ? state : { ...state, exhausted: [...state.exhausted, index] };
  }
  return ticket.openDeps === 0 ? enqueue(state, index) : state;
}
