import { setTimeout as wait } from "node:timers/promises";
import { openRunStore } from "../../adapters/journal/sqlite-run-store.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { JournalBroken, type RunStore } from "../../ports/run-store.ts";
import { type DashboardStore, resetDashboard, toSecond } from "../../store/dashboard-store.ts";
import type { Feed } from "../../store/feed.ts";
import { tampered } from "../engine/journal-state.ts";
import { keepState, keptStateOf } from "../engine/snapshot.ts";
import { stateHome } from "../state-home.ts";
import { type JournalRead, readJournal } from "./read-journal.ts";

/** Head start of the first frame before the journal is read in the background. Milliseconds. */
const FIRST_FRAME_MS = 250;
/** The message for an unreachable engine, short enough for the last line of a narrow terminal. */
export const GONE = "the engine is gone; start its batch file again";

/** A run without an engine, and the store that shows it. */
export interface DiskRunOptions {
  readonly run: RunId;
  readonly store: DashboardStore;
  readonly feed: Feed;
  /** Aborted if an engine starts to report the run, or another run is shown. */
  readonly signal: AbortSignal;
}

/**
 * Shows a run from its records: first its kept state, if there is one, then its journal, read and verified whole in the
 * background. Returns the journal's state, or undefined if the read is aborted. Rejects with a UserError (exit 3) if the journal
 * is broken; the run is then taken off the screen.
 */
export async function showFromDisk(options: DiskRunOptions): Promise<RunState | undefined> {
  const records = openRunStore(stateHome(process.env, process.cwd()).db);
  try {
    const first = await showKept(options, records);
    if (first !== undefined) await wait(FIRST_FRAME_MS, undefined, { signal: options.signal });
    const whole = await readWhole(options, records, first === undefined);
    if (whole === undefined) throw tampered(options.run, "its journal is empty");
    if (JSON.stringify(first?.state) !== JSON.stringify(whole.state)) {
      show(options, whole);
      keepForNext(records, whole.state);
    }
    return whole.state;
  } catch (error) {
    if (options.signal.aborted) return undefined;
    throw showBroken(options, error);
  } finally {
    records.close();
  }
}

/** Removes everything that a broken journal has put on the screen. Returns the error to throw. */
export function showBroken({ run, store }: Pick<DiskRunOptions, "run" | "store">, error: unknown): unknown {
  const broken = error instanceof JournalBroken ? tampered(run, `its journal is broken: ${error.message}`, error) : error;
  const reason = error instanceof JournalBroken ? "the run's journal is broken" : "the run's records cannot be read";
  resetDashboard(store);
  store.dispatch({ type: "connection", connection: { state: "lost", reason } });
  return broken;
}

/** Keeps the state so that the next read of this run is short. A failed write only costs that time. */
function keepForNext(records: RunStore, state: RunState): void {
  try {
    keepState(records, state);
  } catch {
    // The disk is full or the folder is read-only: only time is lost.
  }
}

/** Shows the kept state and the few rows after it. A journal that does not continue it is read whole, which gives the reason. */
async function showKept(options: DiskRunOptions, records: RunStore): Promise<JournalRead | undefined> {
  const kept = keptStateOf(records, options.run);
  if (kept === undefined) return undefined;
  try {
    const read = await readJournal({ journal: records.openForReading(options.run), kept, signal: options.signal });
    if (read !== undefined) show(options, read);
    return read;
  } catch (error) {
    if (error instanceof JournalBroken) return undefined;
    throw error;
  }
}

async function readWhole(options: DiskRunOptions, records: RunStore, told: boolean): Promise<JournalRead | undefined> {
  const count = records.eventCount(options.run);
  const tell = (rows: number): void => {
    options.store.dispatch({ type: "connection", connection: { state: "reading", rows, total: count } });
  };
  if (told) tell(0);
  const between = told ? { between: tell } : {};
  return readJournal({ journal: records.openForReading(options.run), signal: options.signal, ...between });
}

/** Nothing is known after the last event. If the run has not ended, its clock stands still there. */
function show({ store, feed }: DiskRunOptions, { state, recent }: JournalRead): void {
  feed.take({ kind: "snapshot", state, recent });
  if (state.end !== undefined) return;
  store.dispatch({ type: "connection", connection: { state: "lost", reason: GONE } });
  store.setState({ now: toSecond(state.lastEventAt) });
}
