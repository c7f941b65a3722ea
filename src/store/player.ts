import type { RunEvent } from "../domain/run/event.ts";
import { reduce } from "../domain/run/reduce.ts";
import type { RunState } from "../domain/run/state.ts";

/** Events between two kept states: a seek reduces at most this many again. */
const EVERY = 1_000;

/** The inputs of a player. */
export interface PlayerOptions {
  /** The run's events after the `after`-th, in order. Read several times; only as far as needed. */
  readonly read: (after: number) => Iterable<RunEvent>;
  /** @default 1000 */
  readonly every?: number;
}

/**
 * A recorded run: gives the state after any of its events. It keeps the time of each event and a state at intervals (states share
 * what has not changed), and no events.
 */
export class Player {
  readonly #read: PlayerOptions["read"];
  readonly #every: number;
  /**
   * The time of each event, in order. It never decreases, even if the machine's clock went back. Milliseconds since the epoch.
   */
  readonly #times: number[] = [];
  /** After the first event, and after each `#every`-th from there on. */
  readonly #kept: RunState[] = [];
  #last: RunState | undefined;
  #at: RunState | undefined;
  #ahead: Iterator<RunEvent> | undefined;

  constructor({ read, every = EVERY }: PlayerOptions) {
    this.#read = read;
    this.#every = every;
  }

  /** Records the next event of the run, in order. Gives the state after it. Throws a RangeError if the event does not follow. */
  record(event: RunEvent): RunState {
    const state = reduce(this.#last, event);
    this.#last = state;
    this.#times.push(Math.max(event.at, this.#times.at(-1) ?? event.at));
    if ((event.seq - 1) % this.#every === 0) this.#kept.push(state);
    return state;
  }

  /** The number of recorded events. */
  get count(): number {
    return this.#times.length;
  }

  /** The time of an event, counted from 1. */
  eventTime(seq: number): number {
    const time = this.#times[seq - 1];
    if (time === undefined) throw new RangeError(`no event ${seq} of ${this.count}`);
    return time;
  }

  /** The last event at or before a time; the first one for any time before it. */
  seqAt(time: number): number {
    let [low, high] = [1, Math.max(1, this.count)];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.eventTime(middle) <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Goes to the state after an event; `passed` gets each event that is played on the way there. */
  seek(seq: number, passed: (event: RunEvent, state: RunState) => void = () => undefined): RunState {
    this.eventTime(seq);
    const kept = this.#keptBefore(seq);
    if (this.#at === undefined || this.#at.seq > seq || this.#at.seq < kept.seq) {
      this.#at = kept;
      this.#ahead = undefined;
    }
    this.#ahead ??= this.#read(this.#at.seq)[Symbol.iterator]();
    while (this.#at.seq < seq) {
      const { value, done } = this.#ahead.next();
      if (done === true) throw new RangeError(`the tape ends after event ${this.#at.seq}, and had ${this.count}`);
      this.#at = reduce(this.#at, value);
      passed(value, this.#at);
    }
    return this.#at;
  }

  #keptBefore(seq: number): RunState {
    const kept = this.#kept[Math.floor((seq - 1) / this.#every)];
    if (kept === undefined) throw new RangeError(`no event ${seq} of ${this.count}`);
    return kept;
  }
}
