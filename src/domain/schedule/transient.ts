import { RE2JS } from "re2js";
import type { TransientSpec } from "../batch/transient-spec.ts";
import { plainLines } from "../values/text.ts";

/** The end of a failed command's output, in characters: so much of it is looked at. */
export const MAX_LOOKED_AT = 64 * 1024;

/** A kind of command that may fail by a hiccup. */
export type TransientKind = TransientSpec["steps"][number];

/** What a class that takes these for a hiccup would take anything for. */
const PLAIN_FAILURES = ["", "FAIL", "1 test failed", "AssertionError: expected 1 to be 2"];

/**
 * The first class that a failed command's output belongs to; undefined: it is a real failure. `specs` in order: the batch's own
 * first. Escape sequences and other controls are taken out of the output before it is looked at.
 *
 * The patterns are run by an engine whose time grows linearly with the text (RE2), since a backtracking one can be made to hang
 * by a pattern, or by an output, and the engine of a run has one thread.
 */
export function transientOf(specs: readonly TransientSpec[], kind: TransientKind, output: string): TransientSpec | undefined {
  const mine = specs.filter(({ steps }) => steps.includes(kind));
  if (mine.length === 0) return undefined;
  const text = plainLines(output.slice(-MAX_LOOKED_AT), { maxLines: Number.POSITIVE_INFINITY }).join("\n");
  return mine.find(({ pattern }) => compile(pattern).matcher(text).find());
}

/** Why a pattern cannot name a class of hiccups; undefined where it can. In words that follow "must". */
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

/** `^` and `$` are the ends of a line, `.` ends with it. Throws where it is no pattern. */
function compile(pattern: string): RE2JS {
  return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE | RE2JS.MULTILINE);
}
