/** Time, as the loop sees it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `then` once after `ms` milliseconds; the returned function calls it off. Never keeps the process alive. */
  after(ms: number, then: () => void): () => void;
}
