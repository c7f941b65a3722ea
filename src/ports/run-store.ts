import type { EarlierRun, Numbers } from "../domain/results/trend.ts";
import type { Question, VerdictWord } from "../domain/run/event.ts";
import type { Fence, RunId } from "../domain/values/ids.ts";
import type { Journal } from "./journal.ts";

/** A run as the list of runs shows it. */
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

/** What a journal's rows up to `seq` make, as text. */
export interface KeptState {
  readonly seq: number;
  readonly text: string;
}

/** How far a run is, in numbers: tickets and interventions. `stopped`: its engine was told to stop, and has stopped. */
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
  /** Opens the journal of a run that exists. Throws a UserError where it does not. */
  open(run: RunId): Journal;
  /** Opens the journal for reading while an engine may be writing. */
  openForReading(run: RunId): Journal;
  end(run: RunId, options: { at: number; verdict: VerdictWord; exitCode: number; reason: string }): void;
  /** Newest first. */
  list(): readonly RunRow[];
  /** How many events the run's journal is recorded to hold. */
  eventCount(run: RunId): number;
  /**
   * Keeps what the run's journal makes up to a row that is on the disk, so that whoever only looks need not read all before it.
   * Nothing that judges, ends or goes on with a run may read it: the journal alone is the record.
   */
  keepState(run: RunId, state: KeptState): void;
  /** What was kept last, where it is as it was written and the journal still has the row that it was made up to. */
  keptState(run: RunId): KeptState | undefined;
  /** Records how far a run is, for the list of runs. */
  recordTally(run: RunId, tally: Tally): void;
  /** By run; runs of an older loopdash have none. */
  tallies(): ReadonlyMap<RunId, Tally>;
  /** Keeps the ledger of a run as it stands, for `earlier`. */
  recordNumbers(run: RunId, numbers: Numbers): void;
  /** Runs of the same batch file that began before this one, newest first, at most so many; those that never wrote an event are left out. */
  earlier(run: RunId, most: number): readonly EarlierRun[];
  /** The newest run of a batch file that has not ended. */
  unfinished(batchPath: string): RunRow | undefined;
  /** Working milliseconds per ticket id, from done tickets of earlier runs of the same batch file. */
  durations(batchPath: string): Readonly<Record<string, number>>;
  /** Records what a finished ticket took, for `durations`. */
  recordDuration(run: RunId, ticket: string, ms: number): void;
  /** Dollars spent since `since` (milliseconds) by all runs but `except`. */
  spentSince(since: number, except?: RunId): number;
  /**
   * Sets dollars aside for an attempt's agent, or for a question of it to the second model, before either starts, unless all
   * that was spent and set aside since `since`, by any run, would pass `capUsd` with it. One step for all engines: of two that
   * want the last dollar, one gets it. What is never settled (the engine was killed) stays counted. An attempt that has its
   * money, or a question that was not answered yet, gets it again.
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
  /** Puts what an agent, or a question, did cost in the place of what was set aside for it. */
  settleCost(run: RunId, fence: Fence, usd: number, question?: Question): void;
  close(): void;
}
