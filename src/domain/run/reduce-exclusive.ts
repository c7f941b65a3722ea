import type { ExclusiveFact } from "./exclusive-fact.ts";
import type { RunState } from "./state.ts";

/**
 * Folds what is known of exclusive names that other runs of this machine hold. The kernel holds them, so this is never proof: the
 * engine takes a name before an attempt begins.
 */
export function reduceExclusive(state: RunState, event: ExclusiveFact & { readonly at: number }): RunState {
  const { [event.name]: before, ...others } = state.heldElsewhere;
  if (event.type === "exclusive-freed") return { ...state, heldElsewhere: others };
  const held = { ...(event.by === undefined ? {} : { by: event.by }), since: before?.since ?? event.at };
  return { ...state, heldElsewhere: { ...others, [event.name]: held } };
}
