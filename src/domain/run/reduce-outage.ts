import { haltByOutage } from "../schedule/model-outage.ts";
import type { RunEvent } from "./event.ts";
import type { OutageFact } from "./outage-fact.ts";
import type { RunState } from "./state.ts";

/** Events of outages. */
export type OutageEvent = Extract<RunEvent, { type: OutageFact["type"] }>;

/** True for an event of an outage. */
export function isOutageEvent(event: RunEvent): event is OutageEvent {
  return event.type === "outage-started" || event.type === "outage-continues" || event.type === "outage-ended";
}

/** Folds the events of outages. */
export function reduceOutage(state: RunState, event: OutageEvent): RunState {
  const { what } = event;
  const { [what]: before, ...others } = state.outages ?? {};
  if (event.type !== "outage-ended") {
    const { why, nextAt, until, at, isBusy } = event;
    const tries = (before?.tries ?? 0) + 1;
    const outage = { since: before?.since ?? at, why, nextAt, until, tries, ...(isBusy && { isBusy }) };
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
