/** Runs tasks one at a time per key, in the order they came. */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<void>>();

  /** Waits for all earlier tasks of `key`, then runs `task`. A task that throws does not hold up the next. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tails.set(key, promise);
    await before;
    try {
      return await task();
    } finally {
      if (this.#tails.get(key) === promise) this.#tails.delete(key);
      resolve();
    }
  }
}
