import { orAborted } from "./wait.ts";

/** What reads or moves the bases of repositories: one at a time for each, in order of arrival. */
export class MergeQueue {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Waits for all earlier tasks of the same key, then runs `task`. A task that throws does not block the next. Throws the signal's
   * reason if it is aborted before its turn; then the task does not run.
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

/** The queue of a broken base's repairs: a landing is a compare-and-swap, so a second queue is safe, and they pass those that wait. */
export function repairLane(repo: string): string {
  return `${repo} repair`;
}
