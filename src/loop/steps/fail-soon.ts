import {
  commandTestFiles,
  failingAmong,
  filesLoading,
  findRunners,
  namedAsOn,
  tests as numberOfTests,
  type Remark,
  selectTests,
  type TestRun,
  tallies,
} from "@loopdash/test-evidence";
import type { Check } from "../../domain/batch/step-spec.ts";
import { ticketById } from "../../domain/run/state.ts";
import { plainText } from "../../domain/values/text.ts";
import type { Repo } from "../../ports/vcs.ts";
import { execSeconds } from "../programs/run-in.ts";
import { runOnCommit } from "../programs/run-on-commit.ts";
import type { StepScope } from "../programs/scope.ts";
import { type ResultsContext, readTestRun, resultsKey } from "./base-results.ts";
import type { TimedRun } from "./manifests.ts";
import type { Built } from "./step.ts";

/** A check's command that takes less is as good as a selection of its tests: each run has a checkout of its own. Milliseconds. */
const LEAST_CHECK_MS = 10_000;
/** Characters of a test's id in evidence; see Evidence.tests. */
const ID_CHARS = 300;

/** Tests that fail before the whole check has run, and the end of the output. */
export interface FailedSoon {
  readonly finding: Remark;
  readonly output: string;
}

/** What is to run, and on which commit; `trusted` decides about the selection and how files are checked out. */
interface SelectedRun {
  readonly step: Check;
  readonly commit: string;
  readonly trusted: string;
  readonly ids: readonly string[];
  /** Files of tests to run whole, in place of `ids`. */
  readonly whole?: readonly string[] | undefined;
  /** The results of a whole run on a base, with the names as they are there. */
  readonly base: TestRun;
  readonly part: string;
  /** The whole command runs, whatever the runner can select. */
  readonly isWhole?: boolean;
  /** For a proof: the whole command runs if the runner cannot select. */
  readonly forProof?: boolean;
}

/**
 * Runs some tests of a check, and little else. Gives the results of whatever ran; undefined if the runner cannot select, or left no
 * report. A test that is not among the results has none.
 */
export async function runSelected(
  ctx: ResultsContext,
  scope: StepScope,
  repo: Repo,
  { step, commit, trusted, ids, whole, base, part, forProof = false, isWhole = false }: SelectedRun,
): Promise<(TestRun & { readonly output: string; readonly durationMs: number }) | undefined> {
  const packageJson = await repo.readFile({ commit: trusted, path: "package.json" });
  const files = await repo.files(commit);
  const found = findRunners(step.command, packageJson);
  const selection = isWhole ? undefined : selectTests({ command: step.command, found, packageJson, ids, whole, files });
  const command = selection ?? (forProof ? step.command : undefined);
  if (command === undefined) return undefined;
  const selected = { ...step, command };
  const of = {
    step: selected,
    commit,
    attributesOf: trusted,
    log: `check-${step.name}-selected`,
    part,
    purpose: forProof ? "proof" : "check",
    isPart: selection !== undefined,
  } as const;
  const ran = await runOnCommit(ctx, scope, repo, of);
  if (!ran.ok) return undefined;
  const run = namedAsOn(base, readTestRun(selected, ran.result, ran.reading), command);
  return "says" in run ? undefined : { ...run, output: ran.result.tail, durationMs: ran.result.durationMs };
}

/** A candidate, its check, and the results of the whole check on its base. */
interface ToFailSoon {
  readonly step: Check;
  readonly candidate: Built;
  readonly base: TimedRun;
  readonly leastMs?: number;
}

/**
 * Runs the tests first that failed in the ticket's last attempt, and then those whose files load what it changes, if the whole check takes
 * long and its runner can select. If some fail that pass on the base in the same selection, the whole suite would only say the same later.
 * Otherwise it decides: undefined.
 */
export async function failSoon(
  ctx: ResultsContext,
  scope: StepScope,
  repo: Repo,
  { step, candidate, base, leastMs = LEAST_CHECK_MS }: ToFailSoon,
): Promise<FailedSoon | undefined> {
  const key = resultsKey(ctx, scope, repo, { step, commit: candidate.base });
  const wholeMs = base.durationMs ?? (await ctx.manifests.expectedMs(key)) ?? 0;
  if (wholeMs < leastMs) return undefined;
  const flaky = await ctx.manifests.flakyTests(key);
  // What the base does not have could not be compared with it, and a test may need others to run before it.
  const passing = [...tallies(base.tests)].flatMap(([id, { passed, failed }]) =>
    failed === 0 && passed > 0 && !flaky.has(id) ? [id] : [],
  );
  const failed = failedBefore(ctx, scope, step);
  const again = passing.filter((id) => failed.has(plainText(id, ID_CHARS)));
  const found = again.length > 0 && (await confirmFailing(ctx, scope, repo, { step, candidate, base, ids: again, what: AGAIN }));
  if (found) return found;
  const whole = await testFilesLoading(repo, { step, candidate });
  return whole.length === 0
    ? undefined
    : confirmFailing(ctx, scope, repo, { step, candidate, base, ids: passing, whole, what: LOADING });
}

/** The two selections, as a part of the check and as a finding. */
const AGAIN = { part: "what failed in the last attempt", says: "failed as in the last attempt" };
const LOADING = { part: "tests that load what was changed", says: "failed in files that load what was changed" };

/** Those of these tests that fail on the candidate and pass on its base, in the same selection. */
async function confirmFailing(
  ctx: ResultsContext,
  scope: StepScope,
  repo: Repo,
  options: ToFailSoon & Pick<SelectedRun, "ids" | "whole"> & { readonly what: typeof AGAIN },
): Promise<FailedSoon | undefined> {
  const { step, candidate, base, ids, whole, what } = options;
  const of = { step, trusted: candidate.base, base, whole };
  const now = await runSelected(ctx, scope, repo, { ...of, commit: candidate.commit, ids, part: what.part });
  const failing = now === undefined ? [] : failingAmong(ids, now);
  if (now === undefined || failing.length === 0) return undefined;
  const onBase = { ...of, commit: candidate.base, ids: failing, part: "the same on the base" };
  const before = await runSelected(ctx, scope, repo, onBase);
  const results = tallies(before?.tests ?? []);
  const still = failing.filter((id) => results.get(id)?.failed === 0 && (results.get(id)?.passed ?? 0) > 0);
  if (still.length === 0) return undefined;
  const says = `${numberOfTests(still.length)} ${what.says} (run alone, in ${execSeconds(now)} s)`;
  return { finding: { says, ids: still }, output: now.output };
}

/** Test files that are read, and changed paths that are searched for in them. */
const MOST_READ = 1_000;
const MOST_CHANGED = 200;
/** If more than this share of the test files load the change, the whole suite is about as fast. */
const MOST_SHARE = 1 / 3;

/** The test files of the base that load what a candidate changes, as far as words tell; none if these are most of them. */
async function testFilesLoading(
  repo: Repo,
  { step, candidate }: { readonly step: Check; readonly candidate: Built },
): Promise<readonly string[]> {
  const { base: commit } = candidate;
  const [started] = findRunners(step.command, await repo.readFile({ commit, path: "package.json" }));
  const { paths } = await repo.change({ from: commit, tip: candidate.commit });
  const changed = paths.slice(0, MOST_CHANGED).map(({ path }) => path);
  if (started === undefined) return [];
  const tests = commandTestFiles(started, await repo.files(commit));
  const texts = await repo.readFiles({ commit, paths: tests.slice(0, MOST_READ) });
  const loading = filesLoading(texts, changed);
  return loading.length > tests.length * MOST_SHARE ? [] : loading;
}

/** The tests by which this check failed in the ticket's last attempt that left evidence, as they stand there. */
function failedBefore(ctx: ResultsContext, { ticket }: StepScope, { name }: Check): ReadonlySet<string> {
  const last = ticketById(ctx.state(), ticket.id).evidence.at(-1);
  return new Set(last?.step === "check" && last.name === name ? last.tests : []);
}
