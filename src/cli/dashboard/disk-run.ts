import { setTimeout as wait } from "node:timers/promises";
import { openRunStore } from "../../adapters/journal/sqlite-run-store.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { JournalBroken } from "../../ports/journal.ts";
import type { RunStore } from "../../ports/run-store.ts";
import { type DashboardStore, resetDashboard, secondOf } from "../../store/dashboard-store.ts";
import type { Feed } from "../../store/feed.ts";
import { tampered } from "../engine/journal-state.ts";
import { keepState, keptStateOf } from "../engine/snapshot.ts";
import { stateHome } from "../state-home.ts";
import { type JournalRead, readJournal } from "./read-journal.ts";

/** How long the first frame has to itself before the journal is read behind it. Milliseconds. */
const FIRST_FRAME_MS = 250;
/** What to say of an engine that cannot be reached, in as few words as the last line of a narrow terminal takes. */
export const GONE = "the engine is gone; run the same command to go on";

/** A run that no engine works on, and where it is shown. */
export interface DiskRunOptions {
  readonly run: RunId;
  readonly store: DashboardStore;
  readonly feed: Feed;
  /** Aborted where an engine tells of the run itself, or another run is shown. */
  readonly signal: AbortSignal;
}

/**
 * Shows a run from its records: at once by the state that was kept of it, where there is one, and then by its journal, which is
 * read and verified whole behind that. Gives what the journal makes; undefined where the reading was given up. Rejects with a
 * UserError (exit 3) where the journal is broken; then nothing of the run is shown any more.
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

/** Takes off the screen whatever a broken journal has told before. Gives what to throw. */
export function showBroken({ run, store }: Pick<DiskRunOptions, "run" | "store">, error: unknown): unknown {
  const broken = error instanceof JournalBroken ? tampered(run, `its journal is broken: ${error.message}`, error) : error;
  const reason = error instanceof JournalBroken ? "the run's journal is broken" : "the run's records cannot be read";
  resetDashboard(store);
  store.dispatch({ type: "connection", connection: { state: "lost", reason } });
  return broken;
}

/** So that the next look need not read all of it. Where that cannot be written, it reads. */
function keepForNext(records: RunStore, state: RunState): void {
  try {
    keepState(records, state);
  } catch {
    // A full disk, or a folder that is only read: nothing but time is lost.
  }
}

/** What the kept state and the few rows after it tell. A journal that does not go on from it is read whole, which says why. */
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

/** Nothing is known of what came after the last event: of a run that has not ended, the time stands still there. */
function show({ store, feed }: DiskRunOptions, { state, recent }: JournalRead): void {
  feed.take({ kind: "snapshot", state, recent });
  if (state.end !== undefined) return;
  store.dispatch({ type: "connection", connection: { state: "lost", reason: GONE } });
  store.setState({ now: secondOf(state.lastEventAt) });
}
