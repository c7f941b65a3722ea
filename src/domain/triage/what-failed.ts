import { findingsOf } from "./findings.ts";
import { prioritised } from "./priority.ts";
import { failureList } from "./words.ts";

/**
 * The failures that a check's output names, the worst first, as text that is to be fenced; empty if no tool is recognised. At most
 * `limit` characters. It is read from what the candidate printed, so it helps the next attempt and proves nothing.
 */
export function whatFailed(options: {
  readonly check: string;
  readonly output: string;
  readonly roots: readonly string[];
  readonly limit: number;
}): string {
  const { check, output, roots, limit } = options;
  const { findings } = findingsOf({ job: check, log: output, roots });
  const known = findings.filter(({ category }) => category !== "unknown");
  return failureList(prioritised(known, { attempt: 1, earlier: [] }), limit);
}
