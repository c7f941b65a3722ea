import { errorMessage } from "@loopdash/values";
import { z } from "zod";
import type { TestOutcome } from "../compare/results.ts";
import { BadResults, GatheredResults, type ParsedResults } from "./parsed-results.ts";

/** The outcomes of a test in jest's and vitest's words. Another word is not believed. */
const OUTCOMES = {
  passed: "passed",
  failed: "failed",
  skipped: "skipped",
  pending: "skipped",
  disabled: "skipped",
  focused: "passed",
  todo: "todo",
} as const satisfies Record<string, TestOutcome>;

const count = z.number().int().nonnegative();

/** The part of the report of `jest --json` and `vitest --reporter=json` that is read. */
const JsonReport = z.object({
  numTotalTests: count,
  numFailedTests: count,
  numFailedTestSuites: count,
  success: z.boolean(),
  startTime: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(
        z.object({
          ancestorTitles: z.array(z.string()),
          title: z.string(),
          status: z.enum(Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[]),
        }),
      ),
    }),
  ),
});

/** The JSON of vitest and of jest. A file that could not run at all is a failed test with the file's name. */
export function parseJsonResults(text: string, roots: readonly string[]): ParsedResults {
  const read = JsonReport.safeParse(json(text));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new BadResults(`it is not a report of vitest or jest (${issue?.path.join(".") || "the whole"}: ${issue?.message})`);
  }
  const report = read.data;
  const gathered = new GatheredResults(roots);
  for (const file of report.testResults) {
    for (const { ancestorTitles, title, status } of file.assertionResults)
      gathered.add([file.name, ...ancestorTitles, title], OUTCOMES[status]);
    if (file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"))
      gathered.add([file.name], "failed");
  }
  const named = report.testResults.reduce((sum, file) => sum + file.assertionResults.length, 0);
  if (named < report.numTotalTests) throw new BadResults(`it counts ${report.numTotalTests} tests and names ${named}`);
  const declared = report.numFailedTests + (named > 0 ? report.numFailedTestSuites : 0);
  if (declared > 0 && gathered.failed === 0) throw new BadResults("it counts failures and names none");
  return { tests: gathered.tests, startedAt: report.startTime };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BadResults(`it is not JSON: ${errorMessage(error)}`);
  }
}
