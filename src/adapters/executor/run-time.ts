import type { Suspension } from "../../domain/run/suspension.ts";

/** Time between two beats. Milliseconds. */
const BEAT_MS = 250;
/** Time between two beats from which on this process counts as not running. Milliseconds. */
const GAP_MS = 1_000;
/** The shortest such time that is worth a word. Milliseconds. */
const TOLD_MS = 3_000;

let ran = 0;
let last = performance.now();
let lastAt = Date.now();
let isBeating = false;
const told: Suspension[] = [];

/**
 * Milliseconds in which this process ran, on the clock by which every limit is counted. Time in which it was stopped (SIGSTOP), starved or
 * asleep with its machine is no part of it, so whoever is timed is not charged for it. A machine's sleep moves only the time of day.
 */
export function ranMs(): number {
  if (!isBeating) setInterval(ranMs, BEAT_MS).unref();
  isBeating = true;
  const [now, at] = [performance.now(), Date.now()];
  const passed = now - last;
  if (passed < GAP_MS) ran += passed;
  if (Math.max(passed, at - lastAt) >= TOLD_MS) told.push({ from: lastAt, to: at });
  [last, lastAt] = [now, at];
  return ran;
}

/** The times in which this process did not run, each once. The first call begins to look for them. */
export function takeGaps(): readonly Suspension[] {
  ranMs();
  return told.splice(0);
}

/** Node's timers fire at once if the delay is larger (2^31 - 1 ms, about 24.8 days). */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/**
 * Calls `then` once, when `remaining()` (milliseconds) is no longer positive even after everything that is pending was read. It asks again
 * only after the time that it was told, so postponing the moment costs nothing. Never keeps the process alive. Returns what cancels it.
 */
export function whenOver(remaining: () => number, then: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let turn: NodeJS.Immediate | undefined;
  const ask = (hasRead: boolean): void => {
    const left = remaining();
    if (left > 0) timer = setTimeout(ask, Math.min(Math.ceil(left), LONGEST_DELAY_MS), false).unref();
    else if (hasRead) then();
    else turn = setImmediate(ask, true);
  };
  ask(false);
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
}

/** Calls `then` once this process has run for `ms` milliseconds. Returns what cancels it. */
export function afterRunning(ms: number, then: () => void): () => void {
  const end = ranMs() + ms;
  return whenOver(() => end - ranMs(), then);
}
