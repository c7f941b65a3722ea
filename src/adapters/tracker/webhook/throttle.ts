import type { Clock } from "../../../ports/clock.ts";

/** Calls a function at most once in `ms` milliseconds: at once for the first request, and once more for all requests meanwhile. */
export class Throttle {
  readonly #call: () => void;
  readonly #ms: number;
  readonly #clock: Clock;
  #cancel: (() => void) | undefined;
  #isRequested = false;
  #isOver = false;

  constructor(call: () => void, ms: number, clock: Clock) {
    this.#call = call;
    this.#ms = ms;
    this.#clock = clock;
  }

  request(): void {
    if (this.#isOver) return;
    this.#isRequested = true;
    if (this.#cancel === undefined) this.#next();
  }

  /** No call comes after this, whatever is requested. */
  end(): void {
    this.#isOver = true;
    this.#cancel?.();
  }

  #next(): void {
    this.#cancel = undefined;
    if (!this.#isRequested) return;
    this.#isRequested = false;
    this.#cancel = this.#clock.after(this.#ms, () => this.#next());
    this.#call();
  }
}
