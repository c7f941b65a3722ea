import type { RunState } from "../run/state.ts";
import type { TicketState } from "../run/ticket-state.ts";
import type { TicketId } from "../values/ids.ts";
import { vecItems } from "../values/vec.ts";

/** Landed tickets whose live check is due, longest due first. No more run at a time than the run has workers. */
export function dueChecks(state: RunState, now: number): readonly TicketId[] {
  const landed = landedTickets(state);
  const running = landed.filter(({ live }) => live?.checking).length;
  return landed
    .flatMap(({ id, live, gate }) =>
      live?.nextAt !== undefined && live.nextAt <= now && gate === undefined ? [{ id, at: live.nextAt }] : [],
    )
    .toSorted((a, b) => a.at - b.at)
    .slice(0, Math.max(0, state.workers - running))
    .map(({ id }) => id);
}

/** The time of the next live check, in milliseconds since the epoch; undefined if none is planned. */
export function nextCheckAt(state: RunState): number | undefined {
  const times = landedTickets(state).flatMap(({ live, gate }) => (gate === undefined ? (live?.nextAt ?? []) : []));
  return times.length === 0 ? undefined : Math.min(...times);
}

/** True while a live check runs. */
export function isChecking(state: RunState): boolean {
  return landedTickets(state).some(({ live }) => live?.checking);
}

/** True while a landed ticket will be checked again by itself. */
export function awaitsChecks(state: RunState): boolean {
  return landedTickets(state).some(({ live, gate }) => live?.checking || (live?.nextAt !== undefined && gate === undefined));
}

/** Tickets that have landed, are not live, and have no agent. The count spares most decisions the search. */
export function landedTickets(state: RunState): readonly TicketState[] {
  if (state.counts.landed === 0) return [];
  return [...vecItems(state.tickets)].filter(({ phase }) => phase === "landed");
}
