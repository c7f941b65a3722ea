import type { ResultsFormat, ResultsReading } from "@loopdash/test-evidence/reports";

/** Folders that differ from run to run and are therefore removed from test ids. Absolute. */
export type Roots = readonly string[];

/** A place for an expected report. Nothing lies there when it is handed out. */
export interface AwaitedResults {
  /** Reads the report. Never throws for its contents. Call it once everything that could write is dead. */
  read(roots: Roots): Promise<ResultsReading>;
}

/** Results that test runners are made to tell. */
export interface FoundResults {
  /** Variables that make them tell, given those that the command has already. `results`: the folder as the command sees it. */
  variables(results: string, env: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** A folder that the command must be able to read. */
  readonly reporters: string;
  /** Reads all results: those in the folders, or else those that the output streams show. The same as `AwaitedResults.read`. */
  read(outputs: readonly string[], roots: Roots): Promise<ResultsReading>;
}

/** Results of test runs. They are hostile input: the code under test runs in the process that writes them. */
export interface TestResultsReader {
  /**
   * Prepares a place: removes anything at `path` below `folder`, and remembers the moment. If the path leads through a link, the
   * reading says so. `written` is the folder that takes the writes to `folder`, if that is another one (see Layer in sandbox.ts).
   */
  await(options: {
    readonly format: ResultsFormat;
    readonly folder: string;
    readonly path: string;
    readonly written?: string;
  }): Promise<AwaitedResults>;
  /**
   * Prepares the folder `artifacts`, which is empty, for the results of whatever runners a command starts. `checkout` is where the command
   * runs: builds leave reports there. Both are the folders that take the writes; see `await`.
   */
  find(written: { readonly artifacts: string; readonly checkout: string }): Promise<FoundResults>;
  /** Reads results that came as text. */
  parse(options: { readonly format: ResultsFormat; readonly text: string; readonly roots: Roots }): Promise<ResultsReading>;
}
