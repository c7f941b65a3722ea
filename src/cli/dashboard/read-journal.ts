import { setImmediate as turn } from "node:timers/promises";
import { isActivity, type RunEvent } from "../../domain/run/event.ts";
import { reduce } from "../../domain/run/reduce.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { Journal } from "../../ports/run-store.ts";
import { lookBackFrom, RECENT } from "../engine/snapshot.ts";

/** Longest time that reading a journal blocks keys and frames. Milliseconds. */
const SLICE_MS = 12;
/** Interval between progress reports: each one draws a frame. Milliseconds. */
const TELL_MS = 100;

/** The content of a journal: the state, the last events other than activity, and the number of rows read. */
export interface JournalRead {
  readonly state: RunState;
  readonly recent: readonly RunEvent[];
  readonly rows: number;
}

/**
 * Takes one event after the other, in slices; `between` regularly gets the number taken. Rejects if `signal` is aborted, and with
 * the reader's errors.
 */
export async function inSlices({
  events,
  take,
  between,
  signal,
}: {
  readonly events: Iterable<RunEvent>;
  readonly signal: AbortSignal;
  readonly take: (event: RunEvent) => void;
  readonly between?: (taken: number) => void;
}): Promise<number> {
  let taken = 0;
  let sliceEnd = performance.now() + SLICE_MS;
  let tellAt = 0;
  for (const event of events) {
    take(event);
    taken += 1;
    const now = performance.now();
    if (now < sliceEnd) continue;
    if (now >= tellAt) {
      between?.(taken);
      tellAt = now + TELL_MS;
    }
    await turn();
    signal.throwIfAborted();
    sliceEnd = performance.now() + SLICE_MS;
  }
  return taken;
}

/**
 * Reads a journal: all of it or, from a kept state, only the rows after it (and a few before, for recent events). Undefined if
 * the journal is empty.
 */
export async function readJournal(options: {
  readonly journal: Journal;
  readonly kept?: RunState;
  readonly signal: AbortSignal;
  readonly between?: (taken: number) => void;
}): Promise<JournalRead | undefined> {
  let state = options.kept;
  let recent: RunEvent[] = [];
  const take = (event: RunEvent): void => {
    if (state === undefined || event.seq > state.seq) state = reduce(state, event);
    if (isActivity(event)) return;
    recent.push(event);
    if (recent.length >= 2 * RECENT) recent = recent.slice(-RECENT);
  };
  const after = options.kept === undefined ? 0 : lookBackFrom(options.kept.seq);
  const rows = await inSlices({ ...options, events: options.journal.read(after), take });
  return state === undefined ? undefined : { state, recent: recent.slice(-RECENT), rows };
}
