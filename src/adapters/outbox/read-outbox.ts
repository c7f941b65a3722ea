import type { Outbox } from "../../ports/outbox.ts";

/** Reads an agent's outbox from its folder. */
export function createOutbox(): Outbox {
  return { read: () => Promise.resolve({ discoveries: [], refused: [] }) };
}
