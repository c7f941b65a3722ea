import { countIntervention } from "../results/intervention.ts";
import { plural } from "../values/text.ts";
import type { EventOf, RunEvent } from "./event.ts";
import { baseKey, type Fingerprint, type PeopleFact } from "./people-fact.ts";
import type { RunState } from "./state.ts";

/** Events about people's acts outside loopdash. */
export type PeopleEvent = Extract<RunEvent, { type: PeopleFact["type"] }>;

const PEOPLE_TYPES: ReadonlySet<string> = new Set<PeopleEvent["type"]>([
  "fingerprints-recorded",
  "act-observed",
  "branch-commits-observed",
  "merge-observed",
]);

/** True for an event about people's acts outside loopdash. */
export function isPeopleEvent(event: RunEvent): event is PeopleEvent {
  return PEOPLE_TYPES.has(event.type);
}

/** Counts a person's act outside loopdash as an intervention. */
export function reduceAct(state: RunState, event: EventOf<"act-observed">): RunState {
  const { at, target, note, fingerprint } = event;
  const interventions = countIntervention(state.interventions, { at, class: event.class, target, note, observed: true });
  return { ...withFingerprints(state, [fingerprint]), interventions };
}

/** Counts the words of people at a pull request that lead to an attempt. They are recorded once, however often the forge shows them. */
export function withPeoplesWords(state: RunState, event: Extract<RunEvent, { type: "pull-request-words" }>): RunState {
  const { ticket: target, people, at } = event;
  if (people === 0) return state;
  const note = `${plural(people, "remark")} at its pull request led to an attempt`;
  return { ...state, interventions: countIntervention(state.interventions, { at, class: "I2", target, note, observed: true }) };
}

/** Records the base after a landing of the engine, unless somebody else had moved it before. */
export function withBaseMoved(
  state: RunState,
  landing: { readonly repo: string; readonly from: string; readonly to: string },
): RunState {
  const key = baseKey(landing.repo);
  return state.fingerprints?.[key] === landing.from ? withFingerprints(state, [{ key, value: landing.to }]) : state;
}

export function withFingerprints(state: RunState, fingerprints: readonly Fingerprint[]): RunState {
  return {
    ...state,
    fingerprints: { ...state.fingerprints, ...Object.fromEntries(fingerprints.map(({ key, value }) => [key, value])) },
  };
}
