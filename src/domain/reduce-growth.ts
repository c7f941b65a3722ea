import type { RunEvent } from "./event.ts";
import type { RunState } from "./state.ts";

/** What lets a batch grow: a ticket that a worker found and the engine files. */
export type GrowthEvent = Extract<RunEvent, { type: "ticket-discovered" | "discovery-filed" }>;

/** Folds it: the ticket belongs to the batch from its discovery on, and nothing takes it out again. */
export function reduceGrowth(state: RunState, event: GrowthEvent): RunState {
  throw new RangeError(`${event.type} in ${state.run}: to be folded`);
}
