import type { Suspension } from "../domain/run/suspension.ts";

/** The time source of the loop. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `then` once after `ms` milliseconds. The returned function cancels it. Never keeps the process alive. */
  after(ms: number, then: () => void): () => void;
}

/** The same for one process that runs with pauses: it may be stopped or starved, or its machine asleep. */
export interface EngineClock extends Clock {
  /** Milliseconds in which the engine ran. Every limit counts them. */
  ran(): number;
  /** The times in which it did not run, each once. */
  gaps(): readonly Suspension[];
}
