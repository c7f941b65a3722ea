import type { VerdictWord } from "../domain/event.ts";
import type { RunId } from "../domain/ids.ts";
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
  recordCost(run: RunId, at: number, usd: number): void;
  close(): void;
}
