/** Runs tasks one at a time per key, in the order they came. */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<void>>();

  /**
   * Waits for all earlier tasks of `key`, then runs `task`. A task that throws does not hold up the next. Throws the
   * signal's reason where it is aborted before the task's turn has come: then the task does not run.
   */
  async run<T>(key: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tails.set(key, promise);
    const leave = (): void => {
      if (this.#tails.get(key) === promise) this.#tails.delete(key);
      resolve();
    };
    try {
      await turnOf(before, signal);
    } catch (error) {
      // Who comes after still waits for who was before.
      void before.then(leave);
      throw error;
    }
    try {
      return await task();
    } finally {
      leave();
    }
  }
}

async function turnOf(before: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return before;
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => reject(signal.reason);
  signal.addEventListener("abort", giveUp);
  try {
    await Promise.race([before, promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
