import { reduce } from "../../domain/run/reduce.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { type Journal, JournalBroken, type RunStore } from "../../ports/run-store.ts";

/** True if the run's first event was written: an engine that died before that left a row and nothing else. */
export function hasBegun(store: RunStore, run: RunId): boolean {
  const journal = store.openForReading(run);
  try {
    return journal.read()[Symbol.iterator]().next().done !== true;
  } catch (error) {
    // A broken journal has rows; `stateFromJournal` reports the damage.
    if (error instanceof JournalBroken) return true;
    throw error;
  } finally {
    journal.close();
  }
}

/** Folds a journal into its state. */
export function stateFromJournal(journal: Journal, run: RunId): RunState {
  let state: RunState | undefined;
  try {
    for (const event of journal.read()) state = reduce(state, event);
  } catch (error) {
    if (!(error instanceof JournalBroken)) throw error;
    throw tampered(run, `its journal is broken: ${error.message}`, error);
  }
  if (state === undefined) throw tampered(run, "its journal is empty");
  return state;
}

/** The refusal to resume a run whose record or oracle has changed: its results could not be believed (exit 3). */
export function tampered(run: RunId, why: string, cause?: unknown): UserError {
  const todo = "Look at what changed the state folder; start the batch again with --fresh.";
  return new UserError({ what: `the run ${run} cannot be judged`, why, todo, exitCode: EXIT.unjudged, cause });
}
