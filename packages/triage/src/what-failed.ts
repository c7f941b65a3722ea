import { collapseRepeats, plainText } from "@loopdash/values";
import { parseFailedJob } from "./findings.ts";
import { prioritised } from "./priority.ts";
import { failureList } from "./words.ts";

/**
 * The failures that a check's output names, the cause first, as text that is to be fenced; empty if it printed nothing. At most
 * `limit` characters, and 40 lines. Failures that the check has on the base too (`onBase`: its output there) are left out, unless there
 * are no others. The candidate wrote the output, so the list helps the next attempt and proves nothing.
 */
export function whatFailed(options: {
  readonly check: string;
  readonly output: string;
  readonly onBase?: string | undefined;
  readonly roots: readonly string[];
  readonly limit: number;
}): string {
  const { check, output, onBase, roots, limit } = options;
  const { findings } = parseFailedJob({ job: check, log: output, roots });
  const known = onBase === undefined ? [] : parseFailedJob({ job: check, log: onBase, roots }).findings;
  const before = new Set(known.map(({ identity }) => identity));
  const own = findings.filter(({ identity }) => !before.has(identity));
  return failureList(prioritised(own.length > 0 ? own : findings, { attempt: 1, earlier: [] }), limit);
}

/** Lines of an output's end that are shown, and characters of one. */
const END_LINES = 30;
const LINE_CHARS = 200;

/** The end of an output as a person reads it: the last state of a progress bar, long lines cut, equal lines in a row as one. */
export function endOfOutput(output: string): string {
  const lines = output
    .trimEnd()
    .split("\n")
    .map((line) => {
      const shown = line.trimEnd();
      return plainText(shown.slice(shown.lastIndexOf("\r") + 1), LINE_CHARS).trimEnd();
    });
  const shown = collapseRepeats(lines);
  const cut = shown.length - END_LINES;
  return [...(cut > 0 ? [`[… ${cut} lines cut …]`] : []), ...shown.slice(-END_LINES)].join("\n");
}
