import { resolve } from "node:path";

const tails = new Map<string, Promise<unknown>>();

/**
 * Runs `work` after everything that was queued for the same path in this process has settled, in any way. Across processes the
 * run's lock ensures that there is one writer.
 */
export function queuePerFile<T>(path: string, work: () => Promise<T>): Promise<T> {
  const key = resolve(path);
  const before = tails.get(key) ?? Promise.resolve();
  const result = before.then(work, work);
  tails.set(key, result);
  const forget = () => {
    if (tails.get(key) === result) tails.delete(key);
  };
  result.then(forget, forget);
  return result;
}
