import { firstFew, firstFewLine, plainText, plural } from "@loopdash/values";
import { type Comparison, type Remark, tests } from "./compare.ts";
import { type CheckStrength, ran } from "./results.ts";

/** Ids that one finding lists. */
const LISTED = 15;
/** Characters of one id that are shown, because an id is outside text. */
const ID_CHARS = 160;

/** One line that names every finding. */
export function findingsLine(findings: readonly Remark[]): string {
  return plainText(findings.map(({ says }) => says).join("; "), 400);
}

/** Each finding with its tests, one line each; bounded. */
export function findingsText(findings: readonly Remark[]): string {
  return findings
    .map(({ says, ids }) => {
      const shown = ids.map((id) => plainText(id, ID_CHARS));
      const lines = firstFew(shown, LISTED).map((line) => `\n  ${line}`);
      return `${says}${ids.length > 0 ? ":" : ""}${lines.join("")}`;
    })
    .join("\n");
}

/** The summary of a passed check. `seconds` is the command's duration. */
export function passedLine(options: { strength: CheckStrength; seconds: string; comparison?: Comparison }): string {
  const took = `passed in ${options.seconds} s`;
  const { comparison } = options;
  if (comparison === undefined) return `exit code only: ${took}`;
  const count = tests(ran(comparison.candidate));
  const skipped = comparison.candidate.skipped > 0 ? `, ${comparison.candidate.skipped} skipped` : "";
  const before = options.strength === "compared" ? `${ran(comparison.base)} on the base` : "none on the base to compare with";
  const known = comparison.preExisting.length > 0 ? `; ${failingOnBaseLine(comparison.preExisting)}` : "";
  return `${took}: ${count}${skipped}, ${before}${known}`;
}

/** Tests that one line names, and characters of each. */
const NAMED = 3;
const NAMED_CHARS = 80;

/** Says that tests fail on the base and do not count. The ids are raw; `count` is their number if not all are given. */
export function failingOnBaseLine(ids: readonly string[], count = ids.length): string {
  const shown = ids.slice(0, NAMED).map((id) => plainText(id, NAMED_CHARS));
  const more = count > shown.length ? [`${count - shown.length} more`] : [];
  if (count === 0) return "no test fails on the base any more";
  const fail = plural(count, "test fails on the base and does", "tests fail on the base and do");
  return `${fail} not count: ${[...shown, ...more].join(", ")}`;
}

/** The deep proof's part of a passed check's summary: what happened, and nothing else. `newTests`: see `newTestsLine`. */
export function proofLine(proof: {
  readonly planted: number;
  readonly note?: string | undefined;
  readonly newTests?: string | undefined;
}): string {
  const { planted, note, newTests } = proof;
  const done = planted === 0 ? "proven without planted tests" : `proven with ${plural(planted, "planted test")}`;
  const noted = note === undefined ? done : `${done}: ${note}`;
  return newTests === undefined ? noted : `${noted}; ${newTests}`;
}

/** New tests that pass without the change they came with show nothing of it; `passing` is undefined if they could not be tried. */
export function newTestsLine(count: number, passing: readonly string[] | undefined): string | undefined {
  if (passing === undefined) return `${plural(count, "new test")} not tried without the change`;
  if (passing.length === 0) return undefined;
  const ids = firstFewLine(
    passing.map((id) => plainText(id, 100)),
    3,
  );
  const verb = passing.length === 1 ? "passes" : "pass";
  return `${passing.length} of ${plural(count, "new test")} ${verb} without the change too: ${ids}`;
}
