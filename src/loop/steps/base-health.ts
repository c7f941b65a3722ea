import type { TestRun } from "@loopdash/test-evidence";
import { brokenTests, brokenTestsLine, failingAmong, namedAsOn } from "@loopdash/test-evidence";
import { type Check, wantedExitCode } from "../../domain/batch/step-spec.ts";
import type { FailingCheck } from "../../domain/run/base-check.ts";
import { checkKey, failingStep, landedThrough, repoLandings } from "../../domain/run/reduce-base.ts";
import type { RunState } from "../../domain/run/state.ts";
import { plainText } from "../../domain/values/text.ts";
import { vecItems } from "../../domain/values/vec.ts";
import type { Repo } from "../../ports/vcs.ts";
import { commandEvidence } from "../programs/run-in.ts";
import { runOnCommit } from "../programs/run-on-commit.ts";
import type { StepScope } from "../programs/scope.ts";
import { baseResults, type CheckedCommit, measureBase, type ResultsContext, resultsKey, settledCheck } from "./base-results.ts";

/**
 * The result of a check on a base without a change. `tests`: those that broke on it during the run; absent if the check has no
 * readable report there. Unknown: it could not run, so the base neither passes nor fails.
 */
export type BaseCheckResult =
  | { readonly as: "passed" }
  | { readonly as: "failed"; readonly summary: string; readonly tests?: readonly string[] }
  | { readonly as: "unknown"; readonly summary: string };

/** A check, and the tip of a base that it runs on. */
interface CheckedTip {
  readonly step: Check;
  readonly tip: string;
}

/** Runs checks on bases without any change. */
export class BaseHealth {
  readonly #results = new Map<string, BaseCheckResult>();

  /**
   * True if a check that fails on a candidate may fail because of its base: it is known to fail there, or it has passed on an
   * earlier commit of that base, and not on its tip. Otherwise running it on the base would explain nothing.
   */
  async canComeFrom(state: RunState, repo: Repo, { step, tip }: CheckedTip): Promise<boolean> {
    if (failingOn(state, repo, step) !== undefined) return true;
    const passed = landedThrough(state, repo.id, step);
    if (passed.length === 0 || passed.includes(tip)) return false;
    return (await repo.missingFromBase(passed)).length < passed.length;
  }

  /** The result of a check on a tip of the base without any change. It runs at most once per tip and step. */
  async checkTip(ctx: ResultsContext, scope: StepScope, repo: Repo, checked: CheckedTip): Promise<BaseCheckResult> {
    return this.#results.get(tipKey(repo, checked)) ?? this.checkAgain(ctx, scope, repo, checked);
  }

  /** The same, but it always runs. */
  async checkAgain(ctx: ResultsContext, scope: StepScope, repo: Repo, checked: CheckedTip): Promise<BaseCheckResult> {
    const step = await settledCheck(ctx, scope, repo, { step: checked.step, commit: checked.tip });
    const check = step.report === undefined ? byExitCode : byTests;
    const result = await check(ctx, scope, repo, { ...checked, step });
    if (result.as !== "unknown") this.#results.set(tipKey(repo, checked), result);
    return result;
  }
}

/** True if none of the tests that broke on a base fails on a candidate that has passed the check there. */
export async function repairsTests(
  ctx: ResultsContext,
  scope: StepScope,
  repo: Repo,
  { tests, ...checked }: CheckedCommit & { readonly tests: readonly string[] },
): Promise<boolean> {
  const kept = await ctx.manifests.kept(resultsKey(ctx, scope, repo, checked));
  return kept !== undefined && failingAmong(tests, kept).length === 0;
}

async function byExitCode(
  ctx: ResultsContext,
  scope: StepScope,
  repo: Repo,
  { step, tip }: CheckedTip,
): Promise<BaseCheckResult> {
  const command = { step, commit: tip, attributesOf: tip, log: `check-${step.name}-base`, purpose: "base" } as const;
  const ran = await runOnCommit(ctx, scope, repo, command);
  if (!ran.ok) return { as: "unknown", summary: ran.evidence.summary };
  const { ending, exitCode } = ran.result;
  if (ending === "exited" && exitCode === wantedExitCode(step)) return { as: "passed" };
  return { as: "failed", summary: commandEvidence({ step: "check", name: step.name }, step.command, ran.result).summary };
}

/**
 * A base fails if tests fail on it that did not fail on an earlier commit of it in this run, or if it reports no tests where
 * there were some. Tests that were red before the run do not count. The tests run twice: one that fails only once is no fault of
 * the base, and a candidate has to pass it.
 */
async function byTests(ctx: ResultsContext, scope: StepScope, repo: Repo, { step, tip }: CheckedTip): Promise<BaseCheckResult> {
  if (repoLandings(ctx.state(), repo.id) === undefined) return { as: "passed" };
  const now = await baseResults(ctx, scope, repo, { step, commit: tip });
  if (now.as !== "tests") {
    if (now.hasFailed === undefined) return { as: "unknown", summary: now.why };
    const had = now.hasFailed ? await earlierRuns(ctx, scope, repo, { step, tip }) : [];
    return had.length === 0 ? { as: "passed" } : { as: "failed", summary: plainText(now.why, 300) };
  }
  const { tests } = now.run;
  if (!tests.some(({ outcome }) => outcome === "failed")) return { as: "passed" };
  const runs = await earlierRuns(ctx, scope, repo, { step, tip });
  const earlier = { runs: runs.map((run) => withSuiteNames(now.run, run, step)), awaited: awaitedFixes(ctx.state(), repo) };
  const broken = brokenTests(now.run, earlier);
  if (broken.length === 0) return { as: "passed" };
  const again = await measureBase(ctx, scope, repo, { step, commit: tip, part: "the base again" });
  if (again.as !== "tests") return again.hasFailed ? failedTests(broken) : { as: "unknown", summary: again.why };
  const second = withSuiteNames(now.run, again.run, step);
  const still = failingAmong(broken, second);
  if (still.length > 0) return failedTests(still);
  if (brokenTests(second, earlier).length === 0)
    await ctx.manifests.keep(resultsKey(ctx, scope, repo, { step, commit: tip }), second, { isBase: true });
  return { as: "passed" };
}

function failedTests(tests: readonly string[]): BaseCheckResult {
  return { as: "failed", summary: brokenTestsLine(tests), tests };
}

/** A run whose suites are named as in `now`, if only settings name them differently. */
function withSuiteNames(now: TestRun, run: TestRun, { command }: Check): TestRun {
  const renamed = namedAsOn(now, run, command);
  return "says" in renamed ? run : renamed;
}

/** The check's results on the first base of the run, and on what it last landed through the check before the base broke. */
async function earlierRuns(
  ctx: ResultsContext,
  scope: StepScope,
  repo: Repo,
  { step, tip }: CheckedTip,
): Promise<readonly TestRun[]> {
  const state = ctx.state();
  const initial = repoLandings(state, repo.id)?.initial;
  const failing = failingOn(state, repo, step);
  const passed = failing !== undefined ? failing.passed : landedThrough(state, repo.id, step).findLast((sha) => sha !== tip);
  const commits = [...new Set([initial, passed])].filter((sha) => sha !== undefined && sha !== tip) as string[];
  const missing = new Set(await repo.missingFromBase(commits));
  const runs: TestRun[] = [];
  for (const commit of commits) {
    const manifest = missing.has(commit) ? undefined : await baseResults(ctx, scope, repo, { step, commit });
    if (manifest?.as === "tests") runs.push(manifest.run);
  }
  return runs;
}

/** What is known of this check if it fails on the base. */
function failingOn(state: RunState, repo: Repo, step: Check): FailingCheck | undefined {
  const failing = Object.hasOwn(state.failingChecks, repo.id) ? state.failingChecks[repo.id] : undefined;
  if (failing === undefined) return undefined;
  const planned = failingStep(state, failing);
  return planned !== undefined && checkKey(planned) === checkKey(step) ? failing : undefined;
}

/** Tests that open tickets on this base are to fix. */
function awaitedFixes({ plan, tickets }: RunState, { id: repo }: Repo): readonly string[] {
  return [...vecItems(tickets)].flatMap(({ phase }, index) => {
    const spec = plan.tickets[index];
    return phase === "done" || spec?.repo !== repo ? [] : (spec.fixes ?? []);
  });
}

function tipKey(repo: Repo, { step, tip }: CheckedTip): string {
  return JSON.stringify([repo.id, tip, step]);
}
