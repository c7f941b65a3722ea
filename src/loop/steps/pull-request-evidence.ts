import {
  type FlakyTests,
  flakyTests,
  type JobRecord,
  parseFailedJob,
  type Triage,
  type TriageMeta,
  testRecords,
  triageCheck,
  withFlaky,
} from "@loopdash/triage";
import type { PullRequestMove } from "../../domain/forge/next-move.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { boundedHead, plainLines, plainText } from "../../domain/values/text.ts";
import type { FailedCheck, PastCheck } from "../../ports/forge.ts";

/** Characters of one remark, and its lines. */
const REMARK_CHARS = 1_000;
const MOST_LINES = 40;
/** Characters of the whole. */
const DETAIL_CHARS = 4_000;
/** Ids of tests by which a breaker knows a failure again. */
const MOST_TESTS = 50;

const NONE_FLAKY: FlakyTests = { flaky: new Set(), excluded: new Set() };

/** The runs of checks on a commit, for the history of its tests. */
export function jobRecords(past: readonly PastCheck[], at: Pick<JobRecord, "tree" | "isBase">): readonly JobRecord[] {
  return past.map(({ name, failure }) => {
    const findings =
      failure === undefined ? [] : parseFailedJob({ job: name, log: failure.log, annotations: failure.annotations }).findings;
    const failed = findings.flatMap(({ test, category }) => (test === undefined || category !== "test" ? [] : [test]));
    return { job: name, ...at, hasPassed: failure === undefined, failed };
  });
}

/** The triage of the failed checks of one commit, with the tests that are known to fail by chance. */
export function triageOfChecks(
  failures: readonly FailedCheck[],
  meta: Pick<TriageMeta, "run" | "ticket" | "attempt" | "headSha">,
  flaky: FlakyTests = NONE_FLAKY,
): Triage {
  const read = failures.map(({ name, log, annotations, reports }) =>
    parseFailedJob({
      job: name,
      log,
      annotations,
      reports: reports.map(({ text }) => text),
    }),
  );
  const counts = read.flatMap(({ tests }) => (tests === undefined ? [] : [tests]));
  const tests =
    counts.length === 0
      ? {}
      : { tests: counts.reduce((all, next) => ({ failed: all.failed + next.failed, total: all.total + next.total })) };
  const check = failures.map(({ name }) => name).join(", ");
  return triageCheck(
    withFlaky(
      read.flatMap(({ findings }) => findings),
      flaky,
    ),
    { ...meta, check, ...tests },
  );
}

/** The triage of failed checks. The history of their tests is asked for only if tests alone have failed. */
export async function triageWithHistory(
  failures: readonly FailedCheck[],
  meta: Pick<TriageMeta, "run" | "ticket" | "attempt" | "headSha">,
  history: () => Promise<readonly JobRecord[]>,
): Promise<Triage> {
  const plain = triageOfChecks(failures, meta);
  const { findings } = plain.json;
  const areTests = findings.length > 0 && findings.every(({ category, test }) => category === "test" && test !== undefined);
  return areTests ? triageOfChecks(failures, meta, flakyTests(testRecords(await history()))) : plain;
}

/** The evidence for the next attempt: failed checks, and the remarks of bots and people at the forge. All of it is text of others, and bounded. */
export function fixEvidence(
  { why, remarks, checks }: Extract<PullRequestMove, { do: "fix" }>,
  { json, markdown }: Triage,
): Evidence {
  const quotes = remarks.map((remark) => {
    const place = remark.kind === "thread" ? ` at ${plainText(remark.place, 200)}` : "";
    return `${plainText(remark.author, 60)}${place}:\n${quoted(remark.body)}`;
  });
  const detail = [...quotes, ...(checks.length > 0 ? [markdown] : [])].join("\n\n");
  const tests = [...new Set(json.findings.flatMap(({ test }) => (test === undefined ? [] : [test])))].slice(0, MOST_TESTS);
  return {
    step: "merge",
    name: "pull request",
    summary: plainText(why, 300),
    detail: boundedHead(detail, DETAIL_CHARS),
    tests: tests.length > 0 ? tests : undefined,
  };
}

/** Text of others, each line marked as such: it cannot pass for the engine's own. */
function quoted(text: string): string {
  return plainLines(text.slice(0, REMARK_CHARS), { maxLines: MOST_LINES })
    .map((line) => `> ${line}`)
    .join("\n");
}
