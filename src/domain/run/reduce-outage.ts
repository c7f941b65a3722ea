import { haltByOutage } from "../schedule/model-outage.ts";
import { withTicket } from "../schedule/queue.ts";
import { vecAt, vecItems } from "../values/vec.ts";
import type { RunEvent } from "./event.ts";
import { idleLive } from "./live-check.ts";
import type { Outage, OutageFact } from "./outage-fact.ts";
import type { RunState } from "./state.ts";
import type { Attempt } from "./ticket-state.ts";

/** Events of outages. */
type OutageEvent = Extract<RunEvent, { type: OutageFact["type"] }>;

/** Folds the events of outages. */
export function reduceOutage(state: RunState, event: OutageEvent): RunState {
  const { what } = event;
  const { [what]: before, ...others } = state.outages ?? {};
  if (event.type !== "outage-ended") {
    const { why, nextAt, until, at, isBusy } = event;
    const tries = (before?.tries ?? 0) + 1;
    const outage = { since: before?.since ?? at, why, nextAt, until, tries, isBusy };
    return { ...state, outages: { ...others, [what]: outage } };
  }
  const next: RunState = { ...state, outages: others };
  if (event.givenUp === undefined || state.fatalOutage !== undefined) return next;
  return haltByOutage(next, { what, why: event.givenUp, ms: event.ms });
}

/** The state without outages: a new engine repeats every call from the start. */
export function withoutOutages({ outages: _, fatalOutage: __, ...rest }: RunState): RunState {
  return rest;
}

/**
 * The state for those who watch while the journal cannot be written. The engine has ended every agent, command and question by then,
 * and could journal no end of them: the state as it was would show them at work.
 */
export function heldByJournal(state: RunState, journal: Outage): RunState {
  const idle: RunState = { ...state, outages: { journal }, oracle: { ...state.oracle, asking: false } };
  return [...vecItems(state.tickets)].reduce((held, ticket, index) => {
    const { attempt, live } = ticket;
    if (attempt === undefined && live?.checking === undefined) return held;
    return withTicket(held, index, {
      ...vecAt(held.tickets, index),
      ...(attempt && { attempt: heldAttempt(attempt, journal.since) }),
      ...(live && { live: idleLive(live) }),
    });
  }, idle);
}

/** An attempt of which nothing runs since then (milliseconds since the epoch). */
function heldAttempt({ step: _, asked: __, retried: ___, preparing: ____, agent, ...attempt }: Attempt, since: number): Attempt {
  return { ...attempt, ...(agent && { agent: { ...agent, endedAt: agent.endedAt ?? since } }), isHeld: true };
}
