import type { TestResult } from "../domain/evidence/results.ts";

/** Which language a report is written in. vitest's and jest's JSON are one. */
export type ReportFormat = "junit" | "vitest" | "jest" | "tap";

/** What a report says, or why it says nothing that could be believed. Ids are raw. */
export type ReportReading =
  | { readonly ok: true; readonly tests: readonly TestResult[] }
  /** `absent`: there is no report at all. `problem` is in plain words. */
  | { readonly ok: false; readonly absent: boolean; readonly problem: string };

/** Folders that differ from run to run, and so are taken out of test ids. Absolute. */
export type Roots = readonly string[];

/** A place at which a report is to appear. Nothing lies there when this is given out. */
export interface AwaitedReport {
  /** Reads what has appeared since. Never throws for what was found there. Call it once everything that could write is dead. */
  read(roots: Roots): Promise<ReportReading>;
}

/** Reports of test runs: hostile input, for the code that is judged runs in the process that writes them. */
export interface TestReports {
  /**
   * Makes a place ready: what lies at `path` below `folder` is removed, and the moment is remembered. Where the way there
   * leads through a link, the reading says so. `written` is the folder that takes what is written to `folder`, where that is
   * another one (see Layer in sandbox.ts).
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
