/** Gives the permit to others while `idle` waits. Throws the signal's reason if it is aborted before a permit is free again. */
export type Rest = (idle: () => Promise<void>) => Promise<void>;

/**
 * Lets at most `most` tasks run at a time, in order of arrival. Neither p-limit nor p-queue does this: a task gives its permit
 * back while it rests, can ask for a permit without waiting (`tryRun`), and can be aborted alone while it waits.
 */
export class Semaphore {
  #most: number;
  /** Negative while more tasks run than the limit allows. */
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
    this.#free = most;
  }

  /** Sets a new limit. Running tasks continue; if they exceed the limit, none begins until enough of them have ended. */
  resize(most: number): void {
    this.#free += most - this.#most;
    this.#most = most;
    while (this.#free > 0 && this.#waiting.length > 0) {
      this.#free -= 1;
      this.#waiting.shift()?.();
    }
  }

  /**
   * Runs `task` once a permit is free, and always gives the permit back. Throws the signal's reason if it is aborted before the
   * task's turn; then the task does not run. While the task rests, others have its permit.
   */
  async run<T>(task: (rest: Rest) => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#take(signal);
    let held = true;
    const rest: Rest = async (idle) => {
      held = false;
      this.#give();
      await idle();
      await this.#take(signal);
      held = true;
    };
    try {
      return await task(rest);
    } finally {
      if (held) this.#give();
    }
  }

  /** Runs `task` if a permit is free now and no task waits for one; otherwise undefined. */
  async tryRun<T>(task: () => Promise<T>): Promise<T | undefined> {
    if (this.#free <= 0) return undefined;
    this.#free -= 1;
    try {
      return await task();
    } finally {
      this.#give();
    }
  }

  async #take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const turn = (): void => {
      signal.removeEventListener("abort", giveUp);
      resolve();
    };
    const giveUp = (): void => {
      this.#waiting.splice(this.#waiting.indexOf(turn), 1);
      reject(signal.reason);
    };
    signal.addEventListener("abort", giveUp, { once: true });
    this.#waiting.push(turn);
    await promise;
  }

  /** Hands the permit to the task that waits longest, or keeps it. */
  #give(): void {
    const next = this.#free < 0 ? undefined : this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
