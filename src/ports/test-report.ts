import type { TestResult } from "../domain/evidence/results.ts";

/** The format of a report. vitest's and jest's JSON are one. */
export type ReportFormat = "junit" | "vitest" | "jest" | "tap";

/** The results of a report, or the reason why it cannot be believed. Ids are raw. */
export type ReportReading =
  | { readonly ok: true; readonly tests: readonly TestResult[] }
  /** `absent`: there is no report at all. `problem` is in plain words. */
  | { readonly ok: false; readonly absent: boolean; readonly problem: string };

/** Folders that differ from run to run and are therefore removed from test ids. Absolute. */
export type Roots = readonly string[];

/** A place for an expected report. Nothing lies there when it is handed out. */
export interface AwaitedReport {
  /** Reads the report. Never throws for its contents. Call it once everything that could write is dead. */
  read(roots: Roots): Promise<ReportReading>;
}

/** Reports of test runs. They are hostile input: the code under test runs in the process that writes them. */
export interface TestReports {
  /**
   * Prepares a place: removes anything at `path` below `folder`, and remembers the moment. If the path leads through a link, the
   * reading says so. `written` is the folder that takes the writes to `folder`, if that is another one (see Layer in sandbox.ts).
   */
  await(options: {
    readonly format: ReportFormat;
    readonly folder: string;
    readonly path: string;
    readonly written?: string;
  }): Promise<AwaitedReport>;
  /** Reads a report that came as text. */
  parse(options: { readonly format: ReportFormat; readonly text: string; readonly roots: Roots }): Promise<ReportReading>;
}
