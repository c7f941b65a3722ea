import { isResumable } from "../../domain/results/next-steps.ts";
import { runNumbers } from "../../domain/results/trend.ts";
import { isActivity, type RunEvent } from "../../domain/run/event.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { errorMessage } from "../../domain/values/text.ts";
import type { Journal, RunStore, Tally } from "../../ports/run-store.ts";
import { BUILD, VERSION } from "../version.ts";

/** Number of events after which the state is kept again: at most this many are read after it. */
const EVERY = 5_000;
/** Number of events that a new client gets with the state, and how far back to look for them. */
export const RECENT = 1_500;
const LOOK_BACK = 2_000;
/** The program that made a kept state: another version may reduce to another state. */
const MADE_BY = `${VERSION} ${BUILD}`;

/**
 * Keeps a run's data for readers: its state at intervals and at its end, and its tally at each change. A failed write is
 * reported, and the run continues: the journal is the record.
 */
export function keepForLooks({
  store,
  run,
  journal,
  onProblem,
}: {
  readonly run: RunId;
  readonly store: RunStore;
  readonly journal: Journal;
  readonly onProblem: (problem: string) => void;
}): (event: RunEvent, state: RunState) => void {
  let keptAt = 0;
  let told: Tally | undefined;
  const keep = (event: RunEvent, state: RunState): void => {
    const tally = tallyOf(state);
    const news = !sameTally(told, tally);
    // Set before the write: a failed write is not repeated at every event.
    told = tally;
    if (news) store.recordTally(run, tally);
    if (event.type === "run-ended") store.recordNumbers(run, runNumbers(state));
    if (state.seq - keptAt < EVERY && event.type !== "run-ended") return;
    keptAt = state.seq;
    journal.flush();
    keepState(store, state);
  };
  return (event, state) => {
    try {
      keep(event, state);
    } catch (error) {
      onProblem(`what shortens a look at the run was not kept: ${errorMessage(error)}`);
    }
  };
}

/** Keeps a state computed from its run's journal, for the next reader. */
export function keepState(store: RunStore, state: RunState): void {
  store.keepState(state.run, { seq: state.seq, text: JSON.stringify({ by: MADE_BY, state }) });
}

/** The kept state of a run, if this program kept it and the journal still matches. For reading only. */
export function keptStateOf(store: RunStore, run: RunId): RunState | undefined {
  const kept = store.keptState(run);
  if (kept === undefined) return undefined;
  const { by, state } = JSON.parse(kept.text) as { by?: unknown; state: RunState };
  return by === MADE_BY && state.run === run && state.seq === kept.seq ? state : undefined;
}

/** The first sequence number to read if a reader has the state at `seq` and wants recent events. */
export function lookBackFrom(seq: number): number {
  return Math.max(0, seq - LOOK_BACK);
}

/** The last events of a continuing run, oldest first: a new client gets them with the state. */
export function recentOf(journal: Journal, seq: number): RunEvent[] {
  return [...journal.read(lookBackFrom(seq))].filter((event) => !isActivity(event)).slice(-RECENT);
}

/** The progress of a run. */
function tallyOf(state: RunState): Tally {
  const { counts, interventions, plan } = state;
  const [done, gated] = [counts.done, counts["human-gated"]];
  const open = plan.tickets.length - done - gated;
  return { done, gated, open, interventions: interventions.length, stopped: isResumable(state) };
}

function sameTally(a: Tally | undefined, b: Tally): boolean {
  return (
    a !== undefined &&
    a.done === b.done &&
    a.gated === b.gated &&
    a.open === b.open &&
    a.interventions === b.interventions &&
    a.stopped === b.stopped
  );
}
