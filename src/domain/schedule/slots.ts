import type { RunState } from "../run/state.ts";

type Slots = RunState["slots"];

/** Resizes the slots. Missing ones are added at once; surplus ones are removed as soon as no agent has them. */
export function resized(slots: Slots, workers: number): Slots {
  const length = Math.max(workers, slots.findLastIndex((index) => index !== null) + 1);
  return slots.length < length ? [...slots, ...new Array<null>(length - slots.length).fill(null)] : slots.slice(0, length);
}

/** The slots after an agent has left one. */
export function leftSlot({ slots, workers }: Pick<RunState, "slots" | "workers">, slot: number): Slots {
  return resized(slots.with(slot, null), workers);
}
