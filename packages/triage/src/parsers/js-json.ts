import { z } from "zod";
import { type Draft, type ParsedReport, RAW_CHARS, relativeFile } from "../draft.ts";
import { MAX_BLOCKS } from "./blocks.ts";
import { jsDraft } from "./js-tests.ts";

/** Suites in suites whose names count. */
const MOST_TITLES = 20;

const JsonReport = z.object({
  numTotalTests: z.number(),
  numFailedTests: z.number(),
  numRuntimeErrorTestSuites: z.number().optional(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(""),
      assertionResults: z.array(
        z.object({
          ancestorTitles: z.array(z.string()),
          title: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});

/** The JSON of `jest --json` and `vitest --reporter=json`. Undefined if it is none. */
export function parseJsJson(value: unknown, roots: readonly string[]): ParsedReport | undefined {
  const read = JsonReport.safeParse(value);
  if (!read.success) return undefined;
  // Only jest has this count.
  const runner = read.data.numRuntimeErrorTestSuites === undefined ? "vitest" : "jest";
  const drafts = read.data.testResults.flatMap((each): readonly Draft[] => {
    const file = relativeFile(each.name.slice(0, RAW_CHARS), roots);
    const failed = each.assertionResults.filter(({ status }) => status === "failed").slice(0, MAX_BLOCKS);
    if (failed.length === 0)
      return each.status === "failed" ? [jsDraft(runner, { file, titles: [], body: jestMessageLines(each.message) })] : [];
    return failed.map(({ ancestorTitles, title, failureMessages }) =>
      jsDraft(runner, {
        file,
        titles: [...ancestorTitles, title].slice(0, MOST_TITLES).map((name) => name.slice(0, RAW_CHARS)),
        body: jestMessageLines(failureMessages?.[0] ?? ""),
      }),
    );
  });
  return { drafts, counts: { failed: read.data.numFailedTests, total: read.data.numTotalTests } };
}

/** A message without jest's title of a file that did not load, and without the word before an assertion's own words. */
function jestMessageLines(message: string): readonly string[] {
  const lines = message.slice(0, 100_000).split("\n");
  return lines[0]?.startsWith("  ● ")
    ? lines.slice(1)
    : [(lines[0] ?? "").replace(/^Error: (?=expect\()/, ""), ...lines.slice(1)];
}
