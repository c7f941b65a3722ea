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

/** Node's timers fire at once if the delay is larger (2^31 - 1 ms, about 24.8 days). */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/**
 * Calls `then` once, when `remaining()` (milliseconds) is no longer positive. It asks again only after the time that it was told,
 * so postponing the moment costs nothing. Never keeps the process alive; removed when `lifetime` aborts.
 */
export function whenOver(remaining: () => number, lifetime: AbortSignal, then: () => void): void {
  if (lifetime.aborted) return;
  let timer: NodeJS.Timeout | undefined;
  const ask = () => {
    const left = remaining();
    if (left <= 0) then();
    else timer = setTimeout(ask, Math.min(Math.ceil(left), LONGEST_DELAY_MS)).unref();
  };
  lifetime.addEventListener("abort", () => clearTimeout(timer), { once: true });
  ask();
}
