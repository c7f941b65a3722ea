import type { RunState } from "../run/state.ts";

type Slots = RunState["slots"];

/** The slots where so many are wanted: what is missing is there at once, what is beyond goes as far as no agent has it. */
export function resized(slots: Slots, workers: number): Slots {
  const length = Math.max(workers, slots.findLastIndex((index) => index !== null) + 1);
  return slots.length < length ? [...slots, ...new Array<null>(length - slots.length).fill(null)] : slots.slice(0, length);
}

/** The slots once an agent has left one. */
export function leftSlot({ slots, workers }: Pick<RunState, "slots" | "workers">, slot: number): Slots {
  return resized(slots.with(slot, null), workers);
}
