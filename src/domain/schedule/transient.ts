import { RE2JS } from "re2js";
import type { TransientSpec } from "../batch/transient-spec.ts";
import { plainLines } from "../values/text.ts";

/** Characters at the end of a failed command's output that are searched. */
export const MAX_LOOKED_AT = 64 * 1024;

/** A kind of command that may fail by a transient. */
export type TransientKind = TransientSpec["steps"][number];

/** `start`: any command that could not be started, in the system's own words. */
export type FailureKind = TransientKind | "start";

/** Outputs of real failures. A class that matches one of these would match anything. */
const PLAIN_FAILURES = ["", "FAIL", "1 test failed", "AssertionError: expected 1 to be 2"];

/**
 * The first class that matches a failed command's output; undefined for a real failure. `specs` in order: the batch's own first.
 * Control characters are removed from the output before.
 *
 * RE2 runs the patterns in time linear to the text. A pattern or an output can make a backtracking engine hang, and the engine of
 * a run has one thread.
 */
export function matchTransient(specs: readonly TransientSpec[], kind: FailureKind, output: string): TransientSpec | undefined {
  const mine = specs.filter(({ steps }) => kind === "start" || steps.includes(kind));
  if (mine.length === 0) return undefined;
  const text = plainLines(output.slice(-MAX_LOOKED_AT), { maxLines: Number.POSITIVE_INFINITY }).join("\n");
  return mine.find(({ pattern }) => compile(pattern).matcher(text).find());
}

/** The reason why a pattern cannot name a class of transients, in words that follow "must"; undefined if it can. */
export function unfitForTransient(pattern: string): string | undefined {
  let compiled: RE2JS;
  try {
    compiled = compile(pattern);
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : String(error);
    return `must be a regular expression of RE2, which has no lookaround and no backreferences (${why})`;
  }
  const taken = PLAIN_FAILURES.find((failure) => compiled.matcher(failure).find());
  return taken === undefined
    ? undefined
    : `must be narrow: it takes ${JSON.stringify(taken)} for a transient, and so any failure`;
}

/** `^` and `$` match the ends of a line; `.` matches no line break. Throws if it is no pattern. */
function compile(pattern: string): RE2JS {
  return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE | RE2JS.MULTILINE);
}
