import { setTimeout as pause } from "node:timers/promises";

/** True if `promise` is fulfilled within `ms` milliseconds; its rejection is passed on. Leaves no timer behind. */
export async function isFulfilledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  // It is rejected only by its own abort, which ends the wait.
  const late = pause(ms, false, { signal: timer.signal }).catch(() => false);
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    timer.abort();
  }
}
