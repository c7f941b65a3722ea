import { errorMessage, plainText } from "@loopdash/values";
import { SKEW_MS } from "./bounds.ts";
import { parseJsonResults } from "./json-results.ts";
import { parseJunit } from "./junit.ts";
import { parseOutput } from "./output-results.ts";
import { BadResults } from "./parsed-results.ts";
import type { ResultsFormat, ResultsReading } from "./results-reading.ts";
import { parseTap } from "./tap.ts";

const PARSERS = {
  junit: parseJunit,
  vitest: parseJsonResults,
  jest: parseJsonResults,
  tap: parseTap,
  output: parseOutput,
} as const;

/** The format of a report, or what a command printed. */
export type ParseFormat = ResultsFormat | "output";

/** Test results to parse, as they are sent to the thread. */
export interface ParseTask {
  readonly format: ParseFormat;
  readonly bytes: Uint8Array;
  readonly roots: readonly string[];
  /** The start of the command. Milliseconds since the epoch. */
  readonly notBefore: number;
}

/** Reads test results. Never throws: a failure of any kind is a problem. */
export function parseResults({ format, bytes, roots, notBefore }: ParseTask): ResultsReading {
  if (bytes.length === 0 && format !== "output") return unread("it is empty");
  try {
    const { tests, startedAt } = PARSERS[format](new TextDecoder().decode(bytes), roots);
    if (startedAt !== undefined && startedAt < notBefore - SKEW_MS)
      return unread(`it is of another run: that began ${Math.round((notBefore - startedAt) / 1000)} s before the command`);
    return { ok: true, tests };
  } catch (error) {
    if (error instanceof BadResults) return unread(error.message);
    return unread(`it could not be read: ${errorMessage(error)}`);
  }
}

/** A parser's message may repeat the results. Characters. */
const MAX_PROBLEM = 500;

function unread(problem: string): ResultsReading {
  return { ok: false, absent: false, problem: plainText(problem, MAX_PROBLEM) };
}
