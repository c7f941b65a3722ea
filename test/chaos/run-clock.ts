import type { EngineClock } from "../../src/ports/clock.ts";

/** A timer that waits. */
interface Due {
  readonly at: number;
  readonly then: () => void;
}

/** The clock of one run: time passes only if a test lets it, from one timer to the next. It begins on a day that services can have. */
export class RunClock implements EngineClock {
  #now = Date.UTC(2026, 10, 26, 9);
  #due: Due[] = [];

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
    const due = { at: this.#now + Math.max(0, ms), then };
    const at = this.#due.findLastIndex((each) => each.at <= due.at);
    this.#due.splice(at + 1, 0, due);
    return () => {
      const index = this.#due.indexOf(due);
      if (index !== -1) this.#due.splice(index, 1);
    };
  }

  /** When the next timer is due; undefined if none waits. */
  get next(): number | undefined {
    return this.#due[0]?.at;
  }

  /** Fires the next timer, at its time. */
  step(): void {
    const due = this.#due.shift();
    if (due === undefined) return;
    this.#now = Math.max(this.#now, due.at);
    due.then();
  }
}
