import type { EngineClock } from "../../src/ports/clock.ts";

/** A clock that a test moves by hand. */
export class FakeClock implements EngineClock {
  #now = 1_000_000;
  #due: { at: number; then: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  ran(): number {
    return this.#now;
  }

  gaps(): [] {
    return [];
  }

  after(ms: number, then: () => void): () => void {
    const entry = { at: this.#now + ms, then };
    this.#due.push(entry);
    return () => {
      this.#due = this.#due.filter((each) => each !== entry);
    };
  }

  /** How many timers wait. */
  get waiting(): number {
    return this.#due.length;
  }

  /** When the next timer is due; undefined if none waits. */
  get next(): number | undefined {
    return this.#due.length === 0 ? undefined : Math.min(...this.#due.map(({ at }) => at));
  }

  /** Moves on by `ms` milliseconds and fires what falls due, in order. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const next = this.#due.filter((each) => each.at <= until).toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#due = this.#due.filter((each) => each !== next);
      this.#now = next.at;
      next.then();
    }
    this.#now = until;
  }
}
