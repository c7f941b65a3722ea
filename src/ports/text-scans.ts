import type {
  Allowance,
  ChangeToClassify,
  ClassifiedChange,
  Comparison,
  FilesMoved,
  NamedFixes,
  Suppression,
  TestRun,
} from "@loopdash/test-evidence";

/** The result of a scan, or the reason why it did not finish, in plain words. */
export type Scanned<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** Two runs of a check's command that are to be compared. */
export interface RunsToCompare {
  /** Undefined if the base has no tests. */
  readonly base: TestRun | undefined;
  readonly candidate: TestRun;
  readonly allow: Allowance;
  readonly fixes: NamedFixes;
  readonly files: FilesMoved;
}

/** A comparison. Each list of ids is sorted, and cut if it is longer than 10,000. */
export interface ComparedRuns {
  readonly comparison: Comparison;
  /** Tests that fail on the base and that the ticket does not fix. */
  readonly failingOnBase: { readonly count: number; readonly first: readonly string[] };
}

/** Scans text that a worker wrote. A long text is scanned off the event loop, with bounds on time and memory. */
export interface TextScans {
  /** Suppressions that a diff (as git writes it) adds: their number, and the first hundred with their text cut. */
  suppressions(diff: Uint8Array): Promise<Scanned<{ readonly count: number; readonly first: readonly Suppression[] }>>;
  compare(runsToCompare: RunsToCompare): Promise<Scanned<ComparedRuns>>;
  classify(change: ChangeToClassify): Promise<Scanned<ClassifiedChange>>;
}
