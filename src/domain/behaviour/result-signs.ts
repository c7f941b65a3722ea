import type { ActionEffect } from "@loopdash/guard";
import type { AgentEvent } from "../run/agent-event.ts";

type Result = Extract<AgentEvent, { what: "result" }>;

/** Characters of a result that are looked at, at each end. */
const LOOKED_AT = 2_000;
/** A shell's complaint about a file is short; a file that quotes one is not. */
const COMPLAINT_CHARS = 500;

/** Words for a file or a text that is not there, of the vendors' tools and of the usual programs. */
const NOT_THERE =
  /no such file|does(?: not|n't) exist|not found|ENOENT|cannot find|could not find|0 occurrences|no matches? found|failed to find|unable to find/i;
/** The complaint of a program that reads files (strerror(3)). */
const SHELL_COMPLAINT = /^[\w./-]+: .*(?:No such file or directory|cannot access|can't read)/m;

/** True if a result says that what was to be read or edited is not there. */
export function isMissing(
  { text, failed }: Result,
  { effect, isShell }: { readonly effect: ActionEffect; readonly isShell: boolean },
): boolean {
  if (effect.runs || effect.reads.length + effect.edits.length === 0) return false;
  if (isShell && text.length <= COMPLAINT_CHARS && SHELL_COMPLAINT.test(text)) return true;
  return failed && NOT_THERE.test(text.slice(0, LOOKED_AT));
}

/** The words by which test runners, compilers and runtimes tell a failure. */
const SAYS_FAILED =
  /\b(?:[1-9]\d* (?:failed|failing|failures?|errors?)|(?:\w*Error|Exception)\b[: [(]|Traceback \(most recent|FAIL(?:ED|URE)?\b|npm ERR!|npm error|not ok \d|panicked at|exited with code: [1-9]|fatal:|command not found|Segmentation fault)|[\u2716\u2717]/;

/**
 * True if a command failed. A program that does not tell the exit code of a command that printed something (`isExitUntold`) leaves only
 * the words of the output.
 */
export function hasFailed({ text, failed, isExitUntold }: Result, { runs }: ActionEffect): boolean {
  if (failed || isExitUntold !== true || !runs) return failed;
  const ends = text.length <= 2 * LOOKED_AT ? text : `${text.slice(0, LOOKED_AT)}\n${text.slice(-LOOKED_AT)}`;
  return SAYS_FAILED.test(ends);
}

/** Characters of a text that decide if another is the same. */
const COMPARED = 2_000;
/** What differs between two runs of the same command: durations, clocks, dates, and hexadecimal numbers. */
const CHANGING =
  /\d+(?:\.\d+)?\s?(?:ms|µs|ns|s|sec|seconds?|min|minutes?)\b|\d{4}-\d\d-\d\d[T ]?|\d\d?:\d\d(?::\d\d)?(?:\.\d+)?|\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b/gi;

/** A short text that is equal for texts that differ only in times and hashes. 53 bits: equal by chance in no attempt. */
export function sameness(text: string): string {
  const both = text.length <= COMPARED ? text : text.slice(0, COMPARED / 2) + text.slice(-COMPARED / 2);
  const lasting = both.replace(CHANGING, "#");
  // cyrb53, a public-domain hash for strings.
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < lasting.length; i++) {
    const code = lasting.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}
