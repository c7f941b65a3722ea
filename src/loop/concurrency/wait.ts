import type { Clock } from "../../ports/clock.ts";

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
