import type { RunFact } from "../../domain/run/event.ts";
import type { CalledSource, Outage } from "../../domain/run/outage-fact.ts";
import { nthDelay } from "../../domain/values/delays.ts";
import { errorMessage, plainText } from "../../domain/values/text.ts";
import type { EngineClock } from "../../ports/clock.ts";
import { ForgeUnavailable } from "../../ports/forge.ts";
import { TrackerBusy } from "../../ports/tracker.ts";
import { pause } from "./wait.ts";

/** The first wait before a call is repeated. It doubles each time. Milliseconds. A question to the reviewer costs money. */
const FIRST_MS: Readonly<Record<CalledSource, number>> = {
  tracker: 250,
  forge: 1_000,
  git: 250,
  disk: 500,
  program: 1_000,
  worktree: 1_000,
  oracle: 2_000,
  tripwire: 2_000,
  reverify: 2_000,
  reviewer: 5_000,
  secondReviewer: 5_000,
  secret: 2_000,
};

/** The longest wait between two retries. Milliseconds. */
const LONGEST_MS = 30_000;

/** The longest wait of the tracker's: a try may take as long again, and people see within half a minute that it is back. Milliseconds. */
const LONGEST_OF_TRACKER_MS = 15_000;

/** The longest wait that a source can ask for: the budgets of Linear and GitHub are refilled every hour. Milliseconds. */
const LONGEST_TOLD_MS = 2 * 60 * 60_000;

/**
 * A busy source has so much more time: a tracker's reading may lag 10 seconds behind a write (`SETTLED_MS` of its adapters), which is no
 * outage, however short outages may be. Milliseconds.
 */
const BUSY_GRACE_MS = 15_000;

/** Characters of a reason. */
const WHY_CHARS = 500;

/** Options of `Outages`. */
export interface OutagesOptions {
  readonly clock: EngineClock;
  /** Minutes for which a failing call is repeated. */
  readonly minutes: number;
  readonly report: (fact: RunFact) => boolean;
}

/** Thrown once the time for an outage is over. The run ends unjudged, and no attempt is counted as failed. */
export class OutageGivenUp extends Error {
  override readonly name = "OutageGivenUp";
}

/** The time from which a call may be repeated, if its error tells. Milliseconds since the epoch. */
export function errorRetryAt(error: unknown): number | undefined {
  return error instanceof TrackerBusy || error instanceof ForgeUnavailable ? error.retryAt : undefined;
}

/** Options of a repeated call. */
export interface PersistOptions {
  /** Ends the wait at once. */
  readonly signal: AbortSignal;
  /** True for an error that says nothing about what was asked. Default: every error. */
  readonly isOutage?: (error: unknown) => boolean;
}

/**
 * Repeats the engine's own calls (tracker, oracle, git, disk, reviewer, secrets) while they fail. Each call has its own bound,
 * because other calls of the same source may succeed meanwhile. The facts name each source once, however many calls wait for it.
 */
export class Outages {
  readonly #options: OutagesOptions;
  readonly #sources = new Map<CalledSource, Source>();

  constructor(options: OutagesOptions) {
    this.#options = options;
  }

  /**
   * Calls until the call succeeds. Throws what it threw if that is no outage or if the signal is aborted, and OutageGivenUp once
   * the time is over.
   */
  async persist<T>(what: CalledSource, call: () => Promise<T>, { signal, isOutage = () => true }: PersistOptions): Promise<T> {
    const retry = this.retry(what);
    try {
      for (;;) {
        try {
          return await call();
        } catch (error) {
          if (!signal.aborted) await this.#failed(retry, error, { signal, isOutage });
          if (!signal.aborted) continue;
          retry.cutOff();
          throw error;
        }
      }
    } finally {
      retry.end();
    }
  }

  /** Waits after a failed call. Throws the error if it is no outage, and OutageGivenUp once the time is over. */
  async #failed(retry: Retry, error: unknown, { signal, isOutage }: Required<PersistOptions>): Promise<void> {
    if (error instanceof OutageGivenUp || !isOutage(error)) throw error;
    const why = errorMessage(error);
    if (!retry.failed(why, errorRetryAt(error))) throw new OutageGivenUp(plainText(why, WHY_CHARS));
    await retry.wait(signal);
  }

  /** The retries of one call, for a caller that repeats it itself. */
  retry(what: CalledSource): Retry {
    const { clock, minutes } = this.#options;
    const source = this.#sources.get(what) ?? new Source(what, this.#options);
    this.#sources.set(what, source);
    const longestMs = what === "tracker" ? LONGEST_OF_TRACKER_MS : LONGEST_MS;
    return new Retry(source, { clock, firstMs: FIRST_MS[what], longestMs, mostMs: minutes * 60_000 });
  }

  /** Ends the waits of every failing call, so that each is tried at once; a time that a source has told is still waited for. */
  tryNow(): void {
    for (const source of this.#sources.values()) source.tryNow();
  }
}

interface RetryOptions {
  readonly clock: EngineClock;
  /** The first wait, the longest one, and the time after which the call is given up. Milliseconds. */
  readonly firstMs: number;
  readonly longestMs: number;
  readonly mostMs: number;
}

/** The retries of one call, or of one kind of call of which only one runs at a time. */
export class Retry {
  readonly #source: Source;
  readonly #options: RetryOptions;
  #failures = 0;
  #since = 0;
  #until = 0;
  /** The time of day without the time in which the engine ran: more of it is no part of an outage. */
  #idle = 0;
  /** True if the outage has waited beyond its time, because its source had said how long it would be busy. */
  #isExtended = false;
  #nextAt = 0;
  #isTold = false;

  /** Made by `Outages.retry`. */
  constructor(source: Source, options: RetryOptions) {
    this.#source = source;
    this.#options = options;
  }

  /**
   * Records a failed call. False if the time is over: the run ends, so do not retry. `retryAt`: the source answers no call before
   * that time, in milliseconds since the epoch. If that wait alone is as long as an outage may last, the outage's time begins after
   * it, but once: a source that is busy again and again is as good as away.
   */
  failed(reason: string, retryAt = 0): boolean {
    const { clock, firstMs, longestMs, mostMs } = this.#options;
    const why = plainText(reason, WHY_CHARS) || "no reason given";
    const now = clock.now();
    if (this.#failures === 0) {
      this.#since = now;
      this.#until = now + mostMs;
      this.#isExtended = false;
    } else this.#until += now - clock.ran() - this.#idle;
    this.#idle = now - clock.ran();
    this.#failures += 1;
    const told = Math.min(retryAt, now + LONGEST_TOLD_MS);
    this.#isTold = told > now;
    if (this.#isTold) this.#until = Math.max(this.#until, this.#since + mostMs + BUSY_GRACE_MS);
    if (this.#isTold && told - now >= mostMs && !this.#isExtended) {
      this.#until = Math.max(this.#until, told + mostMs);
      this.#isExtended = true;
    }
    const soonest = now + nthDelay(this.#failures, firstMs, longestMs);
    this.#nextAt = Math.min(Math.max(soonest, told), this.#until);
    this.#source.fails(this, { why, nextAt: this.#nextAt, until: this.#until, isBusy: this.#isTold || undefined });
    if (now < this.#until && !this.#source.isGivenUp) return true;
    this.#source.giveUp(why);
    return false;
  }

  /**
   * Waits until the next retry is due, or another call shows that the source is back. Settles at once before the first failure, and
   * if the signal is aborted.
   */
  async wait(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const ms = this.#failures === 0 ? 0 : this.#nextAt - clock.now();
    if (ms > 0) await pause(clock, ms, this.#isTold ? signal : AbortSignal.any([signal, this.#source.now]));
  }

  /** The call has succeeded. The next failure is a first one again. Does nothing after `cutOff`. */
  end(): void {
    this.#failures = 0;
    this.#source.ends(this);
  }

  /** The call is not made any more, for a reason of its own: whether its source is back is not known. */
  cutOff(): void {
    this.#failures = 0;
    this.#source.ends(this, { isCutOff: true });
  }
}

/** The calls that fail at one source. */
class Source {
  readonly #what: CalledSource;
  readonly #options: OutagesOptions;
  readonly #failing = new Map<Retry, number>();
  #since = 0;
  /** What was reported last: another call that fails for the same reason before the next try says nothing new. */
  #told: Pick<Outage, "why" | "nextAt" | "until"> | undefined;
  #isGivenUp = false;
  #now = new AbortController();

  constructor(what: CalledSource, options: OutagesOptions) {
    this.#what = what;
    this.#options = options;
  }

  /** Aborted once the failing calls are to be tried at once. */
  get now(): AbortSignal {
    return this.#now.signal;
  }

  tryNow(): void {
    this.#told = undefined;
    this.#now.abort();
    this.#now = new AbortController();
  }

  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  fails(retry: Retry, { until, ...said }: Pick<Outage, "why" | "nextAt" | "until" | "isBusy">): void {
    if (this.#isGivenUp) return;
    const isFirst = this.#failing.size === 0;
    if (isFirst) this.#since = this.#options.clock.now();
    this.#failing.set(retry, until);
    const soonest = Math.min(...this.#failing.values());
    const isKnown = this.#told?.why === said.why && this.#told.until === soonest && this.#options.clock.now() < this.#told.nextAt;
    if (!isFirst && isKnown) return;
    this.#told = { ...said, until: soonest };
    const type = isFirst ? "outage-started" : "outage-continues";
    this.#options.report({ type, what: this.#what, ...said, until: soonest });
  }

  ends(retry: Retry, { isCutOff = false }: { readonly isCutOff?: boolean } = {}): void {
    if (!this.#failing.delete(retry)) return;
    if (!isCutOff) this.tryNow();
    if (this.#failing.size > 0 || this.#isGivenUp) return;
    this.#reportEnd(isCutOff ? { cutOff: true } : {});
  }

  giveUp(why: string): void {
    if (this.#isGivenUp) return;
    this.#isGivenUp = true;
    this.#reportEnd({ givenUp: why });
  }

  #reportEnd(how: { readonly givenUp?: string; readonly cutOff?: true }): void {
    const ms = this.#options.clock.now() - this.#since;
    this.#options.report({ type: "outage-ended", what: this.#what, ms, ...how });
  }
}
