import type { EarlierRun, Numbers } from "../domain/results/trend.ts";
import type { Question } from "../domain/run/attempt-fact.ts";
import type { RunEvent, RunFact, VerdictWord } from "../domain/run/event.ts";
import type { Fence, RunId } from "../domain/values/ids.ts";
import type { CheckResults, KeptResultRow } from "./check-results.ts";

/** A run in the list of runs. */
export interface RunRow {
  readonly run: RunId;
  readonly name: string;
  readonly batchPath: string;
  /** sha256 of the batch file's bytes when the run began. */
  readonly batchFileSha: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly verdict?: VerdictWord;
  readonly exitCode?: number;
  readonly reason?: string;
}

/** The state that a journal's rows up to `seq` make, as text. */
export interface KeptState {
  readonly seq: number;
  readonly text: string;
}

/** The progress of a run: tickets and interventions. `stopped`: its engine was told to stop, and has stopped. */
export interface Tally {
  readonly done: number;
  readonly gated: number;
  readonly open: number;
  readonly interventions: number;
  readonly stopped: boolean;
}

/** All runs on this machine, under one LOOPDASH_HOME. */
export interface RunStore {
  /** Records a new run and opens its journal. */
  create(row: Omit<RunRow, "endedAt" | "verdict" | "exitCode" | "reason">): Journal;
  /** Opens the journal of an existing run. Throws a UserError if there is none. */
  open(run: RunId): Journal;
  /** Opens the journal for reading while an engine may be writing. */
  openForReading(run: RunId): Journal;
  /**
   * The rows of a run's journal as they are stored, unchecked, up to its end as it is on record; that end; and the number of the last
   * row at the same moment, which is another if rows were lost or added. Throws a UserError if there is no such run; `rows` throws
   * JournalBroken if one cannot be read.
   */
  rawJournal(run: RunId): { readonly rows: Iterable<JournalRow>; readonly recorded: Tip; readonly last: number };
  end(run: RunId, options: { at: number; verdict: VerdictWord; exitCode: number; reason: string }): void;
  /** Makes an ended run unfinished again: a person has approved what it had left to them. */
  reopen(run: RunId): void;
  /** Newest first. */
  list(): readonly RunRow[];
  /** The number of events on record for the run's journal. */
  eventCount(run: RunId): number;
  /**
   * Stores a state made from the journal up to a row that is on disk, so that readers need not read all rows before it. Nothing
   * that judges, ends or resumes a run may use it: the journal alone is the record.
   */
  keepState(run: RunId, state: KeptState): void;
  /** The last stored state, if it is unchanged and the journal still has the row that it was made up to. */
  keptState(run: RunId): KeptState | undefined;
  /** Records the progress of a run, for the list of runs. */
  recordTally(run: RunId, tally: Tally): void;
  /** By run. */
  tallies(): ReadonlyMap<RunId, Tally>;
  /** Stores the present ledger of a run, for `earlier`. */
  recordNumbers(run: RunId, numbers: Numbers): void;
  /** Earlier runs of the same batch file, newest first, at most `most`. Runs without an event are left out. */
  earlier(run: RunId, most: number): readonly EarlierRun[];
  /** The newest unfinished run of a batch file. */
  unfinished(batchPath: string): RunRow | undefined;
  /** Working milliseconds per ticket id, from done tickets of earlier runs of the same batch file. */
  durations(batchPath: string): Readonly<Record<string, number>>;
  /** Records the working time of a finished ticket, for `durations`. */
  recordDuration(run: RunId, ticket: string, ms: number): void;
  /** Results of checks, for a run. Only what was written with the same secret is found. */
  checkResults(options: { readonly run: RunId; readonly secret: Buffer }): CheckResults;
  /** All kept results of checks, the last used first. */
  keptResults(): readonly KeptResultRow[];
  /** Removes what is known of checks. Gives the number of results. */
  clearKeptResults(): number;
  /** Dollars spent since `since` (milliseconds) by all runs except `except`. */
  spentSince(since: number, except?: RunId): number;
  /**
   * Sets dollars aside for an attempt's agent or a question to the reviewer before it starts, unless that would exceed `capUsd`
   * together with all that any run has spent and set aside since `since`. One step for all engines: only one of two gets the last
   * dollar. A reservation that is never settled (the engine was killed) stays counted. An attempt that has its money, or a
   * question without an answer, gets it again.
   */
  reserveCost(options: {
    readonly run: RunId;
    readonly fence: Fence;
    readonly question?: Question | undefined;
    readonly at: number;
    readonly usd: number;
    readonly since: number;
    readonly capUsd: number;
  }): boolean;
  /** Replaces the reservation of an agent or a question by its cost. */
  settleCost(run: RunId, fence: Fence, usd: number, question?: Question): void;
  close(): void;
}

/** The append-only record of one run. The engine that holds the run's lock is its only writer. */
export interface Journal {
  /**
   * Gives the fact its place and writes it. On return the event survives a power loss, unless it `mayWait`: then it is written
   * together with the next one that may not, or within a quarter of a second. Throws if the disk refuses; then nothing of the
   * fact is kept.
   */
  append(fact: RunFact): RunEvent;
  /** Writes the waiting events. */
  flush(): void;
  /**
   * Every event in order, or those after the `after`-th, without checking the rows before. Throws JournalBroken if a row is
   * missing, changed or out of its chain.
   */
  read(after?: number): Iterable<RunEvent>;
  close(): void;
}

/** A stored row of the journal. `data` is the fact as JSON text; the hash covers that text. */
export interface JournalRow {
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly ticket: string | null;
  readonly data: string;
  readonly prev: string;
  readonly hash: string;
}

/** The end of a chain, which the next row follows. */
export interface Tip {
  readonly seq: number;
  readonly hash: string;
}

/** The journal's rows do not follow each other: somebody edited or lost one. */
export class JournalBroken extends Error {
  override readonly name = "JournalBroken";
}
