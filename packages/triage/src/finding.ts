import { z } from "zod";

/** Severities of findings, worst first. `blocker`: nothing after it could be judged, as with code that does not compile. */
export const FINDING_SEVERITIES = ["blocker", "high", "medium", "low"] as const;
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number];

/**
 * The kind of a finding. `crash`: an uncaught error ended a program. `infrastructure`: its words are those of a lost machine or an
 * unreachable registry. `flaky`: history says that the test fails by chance. `unknown`: no parser recognised the words.
 */
export const FINDING_CATEGORIES = [
  "test",
  "lint",
  "types",
  "build",
  "format",
  "security",
  "crash",
  "infrastructure",
  "flaky",
  "unknown",
] as const;
export type FindingCategory = (typeof FINDING_CATEGORIES)[number];

/** The longest parts of a finding. Characters; a longer part is cut with "…". */
export const MAX_NAME = 120;
export const MAX_PATH = 300;
export const MAX_TEST_ID = 500;
export const MAX_MESSAGE = 1_200;
export const MAX_HINT = 300;
/** The most hints of a finding. */
export const MAX_HINTS = 3;

const words = (most: number) => z.string().min(1).max(most);

/**
 * One failure of one job, in the same form whatever tool reported it (S4.3). Everything in it comes from a log that the code under
 * judgement has written: it is a claim, plain and bounded, and decides nothing.
 */
export const Finding = z
  .strictObject({
    tool: words(MAX_NAME),
    severity: z.enum(FINDING_SEVERITIES),
    category: z.enum(FINDING_CATEGORIES),
    /** The name of the job or check. */
    job: words(MAX_NAME),
    /** Relative to the repository, if its folder is known; with "/" between names. */
    file: words(MAX_PATH).optional(),
    /** From 1. */
    line: z.number().int().min(1).optional(),
    /** The line of the job's output that begins it, from 0; absent if a report told it. */
    at: z.number().int().min(0).optional(),
    /** The test's id, as its runner names it. */
    test: words(MAX_TEST_ID).optional(),
    /** One or more lines. */
    message: words(MAX_MESSAGE),
    /** A command that shows the failure again: a known tool with validated names. No shell reads it. */
    reproduce: z.array(z.string().min(1)).min(1).readonly().optional(),
    hints: z.array(words(MAX_HINT)).max(MAX_HINTS).readonly(),
    /** Equal for equal failures; see `identityOf`. */
    identity: words(MAX_TEST_ID + MAX_PATH),
  })
  .readonly();
export type Finding = z.infer<typeof Finding>;

/** True if a severity is worse than another. */
export function isWorse(severity: FindingSeverity, than: FindingSeverity): boolean {
  return FINDING_SEVERITIES.indexOf(severity) < FINDING_SEVERITIES.indexOf(than);
}
