import { createLocks } from "../adapters/locks/sqlite-locks.ts";
import type { RunFact } from "../domain/run/event.ts";
import type { RunState } from "../domain/run/state.ts";
import type { RunId } from "../domain/values/ids.ts";
import type { RunStore } from "../ports/run-store.ts";
import { lastRun } from "./engine/carry-over.ts";
import { batchLock } from "./engine/engine-locks.ts";
import { stateFromJournal } from "./engine/journal-state.ts";
import { type RecordedRun, withStore } from "./find-run.ts";

/** Facts for the journal of a run on which no engine is at work. */
interface JournalChange<T> {
  /** The facts to append; none changes nothing. */
  readonly facts: readonly RunFact[];
  readonly result: T;
}

interface JournalOptions {
  /** Makes the error for a run that an engine holds, or that cannot go on. */
  readonly refuse: (why: string) => Error;
  /** Set if a run that has ended goes on with the same command then. It must be the last one of its batch. */
  readonly reopens?: true;
}

/**
 * Appends facts to the journal of a run on which no engine is at work; the next engine finds them there. The lock on the batch makes this
 * process the journal's only writer.
 */
export function changeJournal<T>(
  { row: { run, batchPath, endedAt } }: RecordedRun,
  { refuse, reopens }: JournalOptions,
  change: (state: RunState) => JournalChange<T>,
): T {
  return withStore((store, home) => {
    const taken = createLocks(home.locks).take([batchLock(batchPath)], { pid: process.pid, run, since: Date.now() });
    if (!taken.ok) throw refuse("the run's engine started meanwhile: give the same command again");
    try {
      const last = reopens ? lastRun(store, batchPath)?.run : undefined;
      if (last !== undefined && last !== run) throw refuse(`the run ${run} is not the last one of its batch: ${last} is`);
      const { facts, result } = change(stateFromJournal(store.openForReading(run), run));
      append(store, run, facts);
      if (reopens && endedAt !== undefined) store.reopen(run);
      return result;
    } finally {
      for (const lock of taken.locks) lock[Symbol.dispose]();
    }
  });
}

function append(store: RunStore, run: RunId, facts: readonly RunFact[]): void {
  if (facts.length === 0) return;
  const journal = store.open(run);
  for (const fact of facts) journal.append(fact);
  journal.close();
}
