import { countIntervention } from "../results/intervention.ts";
import type { RunEvent } from "./event.ts";
import { baseKey, type PeopleFact, type SeenPlace } from "./people-fact.ts";
import type { RunState } from "./state.ts";

export type PeopleEvent = Extract<RunEvent, { type: PeopleFact["type"] }>;

export function isPeopleEvent(event: RunEvent): event is PeopleEvent {
  return event.type === "places-seen" || event.type === "act-observed";
}

/** Folds what people did beside loopdash, and counts it. */
export function reducePeople(state: RunState, event: PeopleEvent): RunState {
  if (event.type === "places-seen") return withPlaces(state, event.places);
  const { at, target, note, place } = event;
  const interventions = countIntervention(state.interventions, { at, class: event.class, target, note, observed: true });
  return { ...withPlaces(state, [place]), interventions };
}

/** A landing moves the base that was seen, unless somebody had moved it before. */
export function withBaseMoved(
  state: RunState,
  move: { readonly repo: string; readonly from: string; readonly to: string },
): RunState {
  const key = baseKey(move.repo);
  return state.places?.[key] === move.from ? withPlaces(state, [{ key, value: move.to }]) : state;
}

function withPlaces(state: RunState, places: readonly SeenPlace[]): RunState {
  return { ...state, places: { ...state.places, ...Object.fromEntries(places.map(({ key, value }) => [key, value])) } };
}
