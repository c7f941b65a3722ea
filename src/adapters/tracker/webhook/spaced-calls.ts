import type { Clock } from "../../../ports/clock.ts";

/** Calls that are at least `ms` milliseconds apart: the first wish at once, and one later call for all wishes in between. */
export class SpacedCalls {
  readonly #call: () => void;
  readonly #ms: number;
  readonly #clock: Clock;
  #cancel: (() => void) | undefined;
  #isWanted = false;

  constructor(call: () => void, ms: number, clock: Clock) {
    this.#call = call;
    this.#ms = ms;
    this.#clock = clock;
  }

  want(): void {
    this.#isWanted = true;
    if (this.#cancel === undefined) this.#next();
  }

  /** No call comes after this. */
  end(): void {
    this.#cancel?.();
    this.#isWanted = false;
  }

  #next(): void {
    this.#cancel = undefined;
    if (!this.#isWanted) return;
    this.#isWanted = false;
    this.#cancel = this.#clock.after(this.#ms, () => this.#next());
    this.#call();
  }
}
