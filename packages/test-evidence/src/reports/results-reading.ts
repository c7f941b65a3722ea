import type { TestResult } from "../compare/results.ts";

/** The format of a report. vitest's and jest's JSON are one. */
export type ResultsFormat = "junit" | "vitest" | "jest" | "tap";

/** The results of a report, or the reason why it cannot be believed. Ids are raw. */
export type ResultsReading =
  | { readonly ok: true; readonly tests: readonly TestResult[] }
  /** `absent`: there is no file at all. `problem` is in plain words. */
  | { readonly ok: false; readonly absent: boolean; readonly problem: string };
