import type { TestRun } from "@loopdash/test-evidence";

/** A run of a check's command, as it is kept. Times in milliseconds, `at` since the epoch. */
export interface KeptRun extends TestRun {
  readonly durationMs: number;
  readonly at: number;
  /** True if the commit was measured as a base, false if it was a candidate. */
  readonly isBase: boolean;
}

/** A kept run, and whether the present run of loopdash has measured it. */
export interface FoundRun extends KeptRun {
  readonly isEarlier: boolean;
}

/** A test that has passed and failed on one tree of a base, and when that was last seen. */
export interface FlakyTest {
  readonly id: string;
  readonly tree: string;
  readonly at: number;
}

/**
 * Results of checks by key: a hash of the tree, the command and the environment. They bear the engine's own checksum, and one that
 * does not fit is as good as none. What cannot be written or read is not there: a result can always be measured again.
 */
export interface CheckResults {
  /** The result of this run, or else one that every run may use. */
  find(key: string): FoundRun | undefined;
  /** Keeps a result: for this run, or for every run. `name` is for people. The ones not used for longest make room. */
  keep(key: string, run: KeptRun, options: { readonly forEveryRun: boolean; readonly name: string }): void;
  /** Lets every run use a result of this one, which was proven to be honest. */
  share(key: string): void;
  /** The tests of a check that are known to be flaky, the last seen first. */
  flakyTests(check: string): readonly FlakyTest[];
  /** Adds such tests. They are forgotten when they were not seen for months. */
  addFlakyTests(check: string, tests: readonly FlakyTest[]): void;
  /** The duration of the check's last run, on any tree. Milliseconds. */
  lastMs(check: string): number | undefined;
  recordMs(check: string, ms: number): void;
}

/** A row for people. Times in milliseconds since the epoch; `bytes` on the disk. */
export interface KeptResultRow {
  readonly key: string;
  readonly run: string;
  readonly name: string;
  readonly at: number;
  readonly usedAt: number;
  readonly bytes: number;
  readonly forEveryRun: boolean;
}
