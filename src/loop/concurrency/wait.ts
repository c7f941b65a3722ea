import type { Clock } from "../../ports/clock.ts";

/** Settles as the promise does, or rejects with the signal's reason once it is aborted. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => reject(signal.reason);
  signal.addEventListener("abort", giveUp);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

/** Waits `ms` milliseconds, or until the signal is aborted. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      off();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const off = clock.after(ms, done);
    signal.addEventListener("abort", done);
  });
}
