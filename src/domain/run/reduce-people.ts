import { countIntervention } from "../results/intervention.ts";
import { plural } from "../values/text.ts";
import type { EventOf, RunEvent } from "./event.ts";
import { baseKey, type Fingerprint } from "./people-fact.ts";
import type { RunState } from "./state.ts";

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
