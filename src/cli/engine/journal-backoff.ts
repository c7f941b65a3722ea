import { delays } from "../../domain/values/delays.ts";

/** The first wait for a journal that cannot be written, and the longest one. It doubles each time. Milliseconds. */
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/** One wait. Milliseconds; the moments since the epoch. */
export interface JournalWait {
  readonly ms: number;
  /** The beginning of the outage. */
  readonly since: number;
  /** The time of the last retry. */
  readonly until: number;
}

/**
 * The waits for a journal that cannot be written: each doubles, and their total is bounded. A fault that comes back has only what
 * is left of the time, and no short waits, because each fault ends every agent. Once an engine has worked for the whole time
 * without a fault, the next one starts afresh.
 */
export class JournalBackoff {
  readonly #totalMs: number;
  #leftMs: number;
  #delays = delays(FIRST_MS, LONGEST_MS);
  #since = 0;
  #endedAt: number | undefined;

  /** `totalMs`: the longest time for which the journal may be unwritable. */
  constructor(totalMs: number) {
    this.#totalMs = totalMs;
    this.#leftMs = totalMs;
  }

  /** The journal cannot be written. */
  begin(now: number): void {
    this.#since = now;
    if (this.#endedAt === undefined || now - this.#endedAt < this.#totalMs) return;
    this.#leftMs = this.#totalMs;
    this.#delays = delays(FIRST_MS, LONGEST_MS);
  }

  /** The next wait; undefined if the time is over. */
  next(now: number): JournalWait | undefined {
    const until = this.#since + this.#leftMs;
    if (now >= until) return undefined;
    const ms = Math.min(this.#delays.next().value, until - now);
    return { ms, since: this.#since, until };
  }

  /** An engine works again. */
  end(now: number): void {
    this.#leftMs -= now - this.#since;
    this.#endedAt = now;
  }
}
