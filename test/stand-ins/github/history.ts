import type { State } from "./state.ts";

/** States that are kept for stale reads. */
const KEPT = 20;

/** Earlier states, and until when each was. */
export class History {
  /** How often a state was kept. */
  count = 0;
  readonly #states: { readonly state: State; readonly until: number }[] = [];

  /** Keeps a copy of a state that is about to change, or that has just been changed. */
  keep(state: State, now: number): void {
    this.count += 1;
    this.#states.push({ state, until: now });
    if (this.#states.length > KEPT) this.#states.shift();
  }

  /** The state of so many writes ago, as far as it is kept. */
  writesAgo(writes: number): State | undefined {
    return this.#states.at(-writes)?.state ?? this.#states[0]?.state;
  }

  /** The state of a time; undefined if nothing has changed since. */
  at(time: number): State | undefined {
    return this.#states.find(({ until }) => until > time)?.state;
  }
}
