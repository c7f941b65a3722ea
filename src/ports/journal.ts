import type { RunEvent, RunFact } from "../domain/run/event.ts";

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
