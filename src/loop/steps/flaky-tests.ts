import { failingAmong, namedAsOn, type TestRun, tallies } from "@loopdash/test-evidence";
import { eitherRun, failingTests } from "@loopdash/triage";
import type { Check } from "../../domain/batch/step-spec.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { StepScope } from "../programs/scope.ts";
import { type ResultsContext, readTestRun, resultsKey, runCheckCommand } from "./base-results.ts";
import { runSelected } from "./fail-soon.ts";
import type { TimedRun } from "./manifests.ts";
import type { Built } from "./step.ts";

/** Failing tests that may be flaky: with more, something else is wrong. */
const MOST_FLAKY = 5;

/** A check's run on a candidate in which tests fail that pass on the base. */
interface FailedRun {
  readonly step: Check;
  readonly candidate: Built;
  readonly base: TimedRun;
  /** With the names as on the base. */
  readonly run: TestRun;
}

/** The results of two runs of the command, and the flaky tests that failed in one of them. */
export interface SettledRun {
  readonly run: TestRun;
  readonly excused: readonly string[];
}

/**
 * Settles tests that are known to be flaky on the base by one more run of the command, if nothing else fails: those that fail twice
 * count. Undefined if the run stands as it is, as with `"flaky": "count"`. What nobody knows to be flaky is measured again on the
 * base, never on the candidate (adversary case A19): a change could make its own tests fail by chance.
 */
export async function settleFlakyTests(
  ctx: ResultsContext,
  scope: StepScope,
  repo: Repo,
  { step, candidate, base, run }: FailedRun,
): Promise<SettledRun | undefined> {
  if (ctx.batch.flaky === "count") return undefined;
  const failing = failingTests(base, run);
  if (failing.length === 0 || failing.length > MOST_FLAKY) return undefined;
  // A train that fails is halved: only a candidate by itself is worth runs that find out.
  const find = scope.train === undefined ? knownAmong : knownBefore;
  const known = await find(ctx, scope, repo, { step, candidate, base, failing });
  if (known.length < failing.length) return undefined;
  const ran = await runCheckCommand(ctx, scope, repo, {
    ...{ step, commit: candidate.commit, attributesOf: candidate.base, log: `check-${step.name}-again` },
    ...{ part: "once more, because flaky tests alone failed", purpose: "check" },
  });
  const again = ran.ok ? namedAsOn(base, readTestRun(step, ran.result, ran.reading), step.command) : undefined;
  return again === undefined || "says" in again ? undefined : eitherRun(run, again, known);
}

/** What is to be found out about failing tests. */
type Failing = Omit<FailedRun, "run"> & { readonly failing: readonly string[] };

/** Those of the failing tests that are known to be flaky on the base. */
async function knownBefore(
  ctx: ResultsContext,
  scope: StepScope,
  repo: Repo,
  { step, candidate, failing }: Failing,
): Promise<readonly string[]> {
  const flaky = await ctx.manifests.flakyTests(resultsKey(ctx, scope, repo, { step, commit: candidate.base }));
  return failing.filter((id) => flaky.has(id));
}

/**
 * Those of the failing tests that are flaky on the base, by what is known or what one more run of them there shows; two, if they fail
 * there and nobody has measured this base before.
 */
async function knownAmong(
  ctx: ResultsContext,
  scope: StepScope,
  repo: Repo,
  { step, candidate, base, failing }: Failing,
): Promise<readonly string[]> {
  const key = resultsKey(ctx, scope, repo, { step, commit: candidate.base });
  const onBase = tallies(base.tests);
  const runs: TestRun[] = [];
  for (;;) {
    const flaky = await ctx.manifests.flakyTests(key);
    const known = failing.filter((id) => flaky.has(id));
    const unknown = failing.filter((id) => !flaky.has(id));
    const mayLearn = unknown.length > 0 && unknown.every((id) => onBase.has(id));
    if (!mayLearn || runs.length === 2 || (runs[0] !== undefined && failingAmong(unknown, runs[0]).length === 0)) return known;
    const part = "what failed, on the base";
    const of = { step, commit: candidate.base, trusted: candidate.base, ids: unknown, base, part };
    const run = await runSelected(ctx, scope, repo, of);
    if (run === undefined) return known;
    runs.push({ exitCode: run.exitCode, tests: run.tests.filter(({ id }) => unknown.includes(id)) });
    await ctx.manifests.learnFlaky(key, runs);
  }
}
