import { type RunState, ticketIndex } from "../run/state.ts";
import { claimsDone } from "../run/ticket-state.ts";
import { vecAt } from "../values/vec.ts";
import { attemptCap } from "./money.ts";

/**
 * Tickets that wait only for tickets on the finish line, by index. A slot is reserved for one of them if its remaining path is
 * longer than that of the ticket that could have the slot now. Agents are never interrupted, so the longer path would otherwise
 * wait for all of its work.
 *
 * A finish line may take long, or fail. So a slot is reserved for at most the time that the previous agent had it: waiting as
 * long as a mistake would cost pays at most twice (the ski rental rule).
 */
export function soonReady(state: RunState, now: number): readonly number[] {
  const soon = new Set<number>();
  const ending = new Set(state.finishing.filter((index) => isSoonOver(state, index, now)));
  for (const index of ending) {
    for (const dependent of state.plan.dependents[index] ?? []) {
      if (!soon.has(dependent) && waitsOnlyFor(state, dependent, ending)) soon.add(dependent);
    }
  }
  return [...soon];
}

/** True if a soon ready ticket has a longer remaining path than a ready one. */
export function precedes(state: RunState, soon: number, ready: number): boolean {
  return (state.plan.rank[soon] ?? 0) > (state.plan.rank[ready] ?? 0);
}

function isSoonOver(state: RunState, index: number, now: number): boolean {
  const until = reservedUntil(state, index);
  return until !== undefined && now < until;
}

/** The end of the reservation for the dependents of this ticket, in milliseconds since the epoch; undefined if there is none. */
export function reservedUntil(state: RunState, index: number): number | undefined {
  const { attempt, gate } = vecAt(state.tickets, index);
  if (attempt?.slotLeftAt === undefined || attempt.waiting !== undefined) return undefined;
  if (attempt.killing !== undefined || gate !== undefined) return undefined;
  // An attempt that did not claim to be done is only collected for the next one. It makes no ticket ready.
  const claims = attempt.agent === undefined || claimsDone(attempt.agent);
  return claims ? attempt.slotLeftAt + (attempt.slotLeftAt - attempt.startedAt) : undefined;
}

function waitsOnlyFor(state: RunState, index: number, ending: ReadonlySet<number>): boolean {
  const ticket = vecAt(state.tickets, index);
  const { phase, openDeps, gate } = ticket;
  if (phase !== "waiting" || gate !== undefined || openDeps === 0 || openDeps > ending.size) return false;
  if (attemptCap(state, ticket) !== undefined) return false;
  const { dependsOn = [], exclusive = [] } = state.plan.tickets[index] ?? {};
  const isFree = (resource: string): boolean => {
    if (Object.hasOwn(state.heldElsewhere, resource)) return false;
    const by = Object.hasOwn(state.held, resource) ? state.held[resource] : undefined;
    return by === undefined || ending.has(ticketIndex(state, by));
  };
  return exclusive.every(isFree) && dependsOn.every((id) => isDoneOrEnding(state, ticketIndex(state, id), ending));
}

function isDoneOrEnding(state: RunState, index: number, ending: ReadonlySet<number>): boolean {
  return ending.has(index) || vecAt(state.tickets, index).phase === "done";
}
