import { claimsDone, indexOf, type RunState } from "../run/state.ts";
import { vecAt } from "../values/vec.ts";
import { attemptCap } from "./money.ts";

/**
 * Tickets that wait for nothing but tickets on the finish line, by index. A slot is worth keeping for one of them where its
 * remaining path is longer than that of who could have the slot now: an agent is never interrupted, so the longer path
 * would wait for all of its work.
 *
 * A finish line may take long, or never end well. So a slot is kept for at most the time that the agent before had it:
 * whoever waits as long as a mistake would cost pays at most twice (the ski rental rule).
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

/** Whether a ticket that is soon ready has a longer path before it than one that is ready. */
export function precedes(state: RunState, soon: number, ready: number): boolean {
  return (state.plan.rank[soon] ?? 0) > (state.plan.rank[ready] ?? 0);
}

function isSoonOver(state: RunState, index: number, now: number): boolean {
  const until = reservedUntil(state, index);
  return until !== undefined && now < until;
}

/** Until when a slot may be kept for those who wait for this ticket, in milliseconds since the epoch; undefined where none is. */
export function reservedUntil(state: RunState, index: number): number | undefined {
  const { attempt, gate } = vecAt(state.tickets, index);
  if (attempt?.slotLeftAt === undefined || attempt.waiting !== undefined) return undefined;
  if (attempt.killing !== undefined || gate !== undefined) return undefined;
  // What failed to claim is collected for the next attempt; it makes nobody ready.
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
    const by = Object.hasOwn(state.held, resource) ? state.held[resource] : undefined;
    return by === undefined || ending.has(indexOf(state, by));
  };
  return exclusive.every(isFree) && dependsOn.every((id) => isDoneOrEnding(state, indexOf(state, id), ending));
}

function isDoneOrEnding(state: RunState, index: number, ending: ReadonlySet<number>): boolean {
  return ending.has(index) || vecAt(state.tickets, index).phase === "done";
}
