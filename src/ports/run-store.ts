import type { Question, VerdictWord } from "../domain/event.ts";
import type { Fence, RunId } from "../domain/ids.ts";
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

/** All runs on this machine, under one LOOPDASH_HOME. */
export interface RunStore {
  /** Records a new run and opens its journal. */
  create(row: Omit<RunRow, "endedAt" | "verdict" | "exitCode" | "reason">): Journal;
  /** Opens the journal of a run that exists. Throws a UserError where it does not. */
  open(run: RunId): Journal;
  /** Opens the journal for reading while an engine may be writing. */
  openForReading(run: RunId): Journal;
  end(run: RunId, of: { at: number; verdict: VerdictWord; exitCode: number; reason: string }): void;
  /** Newest first. */
  list(): readonly RunRow[];
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
  reserveCost(of: {
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
