import { orAborted } from "./or-aborted.ts";

export type SerialQueue = <T>(task: () => Promise<T>) => Promise<T>;

/** Runs tasks one after another, in the order they came; a failed one does not stop those after it. */
export function serialQueue(): SerialQueue {
  const queue = new KeyedQueue();
  return (task) => queue.run("", task);
}

/** The same for each key. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Waits for all earlier tasks of the same key, then runs `task`. Throws the signal's reason if it is aborted before its turn; then
   * the task does not run.
   */
  async run<T>(key: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const over = Promise.withResolvers<void>();
    const mine = before.then(() => over.promise);
    this.#last.set(key, mine);
    try {
      await orAborted(before, signal);
      return await task();
    } finally {
      over.resolve();
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
