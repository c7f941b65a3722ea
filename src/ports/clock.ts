/** The time source of the loop. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `then` once after `ms` milliseconds. The returned function cancels it. Never keeps the process alive. */
  after(ms: number, then: () => void): () => void;
}
