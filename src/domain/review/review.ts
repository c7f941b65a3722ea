import { z } from "zod";
import { SEVERITIES, type Severity } from "../batch/party.ts";
import { firstFew, plainText, plural } from "../values/text.ts";

const words = (most: number) => z.string().trim().min(1).max(most);

const Finding = z.strictObject({
  file: z.string().max(1000),
  /** In the new file, from 1; 0 for the file as a whole. */
  line: z.number().int().min(0),
  severity: z.enum(SEVERITIES),
  title: words(1000),
  /** The events in which it does harm. */
  scenario: words(8000),
  fix: z.string().max(8000).nullish(),
});
export type ReviewFinding = z.infer<typeof Finding>;

/** A reviewer's answer. */
export const Review = z.strictObject({
  nonce: z.string(),
  tree: z.string(),
  findings: z.array(Finding).max(100),
  verdict: z.enum(["pass", "fail"]),
});
export type Review = z.infer<typeof Review>;

/** The ruling on a review: one line for people, and the evidence for the next attempt. */
export interface Ruling {
  readonly ok: boolean;
  readonly summary: string;
  readonly detail: string;
}

/** The number of findings by severity; severities without any are left out. */
export function countBySeverity(findings: readonly Pick<ReviewFinding, "severity">[]): Partial<Record<Severity, number>> {
  const counts: Partial<Record<Severity, number>> = {};
  for (const { severity } of findings) counts[severity] = (counts[severity] ?? 0) + 1;
  return counts;
}

/** Findings that a summary names one by one. */
const NAMED = 3;
/** Characters of a ruling's evidence (see Evidence). */
const DETAIL_CHARS = 4_000;

/** True if a severity is at least as bad as another. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(least);
}

/**
 * Rules on a review. It passes if its verdict is "pass" and it has no finding at or above `blocking`. A review that contradicts
 * itself does not pass: "pass" with a blocking finding, or "fail" with none.
 */
export function ruleOnReview({ findings, verdict }: Pick<Review, "findings" | "verdict">, blocking: Severity): Ruling {
  const sorted = findings.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  const grave = sorted.filter(({ severity }) => isAtLeast(severity, blocking));
  const detail = formatFindings(sorted);
  if (grave.length > 0) {
    const said = verdict === "pass" ? "; its verdict says pass" : "";
    return { ok: false, summary: `${named(grave)}${said}`, detail };
  }
  if (verdict === "fail") {
    const what = findings.length === 0 ? "names no finding" : `names none of severity ${blocking} or worse: ${named(sorted)}`;
    return { ok: false, summary: `its verdict is fail, and it ${what}`, detail };
  }
  return { ok: true, summary: sorted.length === 0 ? "no findings" : `${counted(sorted.length)}: ${named(sorted)}`, detail };
}

function counted(n: number): string {
  return plural(n, "finding");
}

function named(findings: readonly ReviewFinding[]): string {
  const shown = findings.map((each) => `${plainText(each.title, 80)} (${each.severity}, ${formatFindingPlace(each)})`);
  return firstFew(shown, NAMED).join("; ");
}

function formatFindingPlace({ file, line }: ReviewFinding): string {
  const name = file.trim() === "" ? "no file" : plainText(file, 100);
  return line === 0 ? name : `${name}:${line}`;
}

/** The worst first. Findings beyond the space are counted. */
function formatFindings(findings: readonly ReviewFinding[]): string {
  const parts: string[] = [];
  let room = DETAIL_CHARS - 60;
  for (const [i, each] of findings.entries()) {
    const fix = each.fix?.trim() ? `\n   fix: ${plainText(each.fix, 500)}` : "";
    const scenario = plainText(each.scenario, 900);
    const part = `${i + 1}. ${each.severity}  ${formatFindingPlace(each)}  ${plainText(each.title, 200)}\n   scenario: ${scenario}${fix}`;
    if (part.length + 1 > room) return [...parts, `[+${findings.length - i} more findings]`].join("\n");
    parts.push(part);
    room -= part.length + 1;
  }
  return parts.join("\n");
}
