import type { Check } from "../../domain/batch/step-spec.ts";
import type { Repo } from "../../ports/vcs.ts";
import { AttemptOver } from "../programs/scope.ts";
import { type BaseCheckResult, repairsTests } from "../steps/base-health.ts";
import { baseResults, settledCheck } from "../steps/base-results.ts";
import { type ProofTiming, runCheckStep } from "../steps/check-step.ts";
import type { Built, StepResult } from "../steps/step.ts";
import type { LoopContext, OpenAttempt } from "./context.ts";

/** A check of a candidate, and the check's index in the finish line. */
interface CandidateCheck {
  readonly index: number;
  readonly step: Check;
  readonly candidate: Built;
  readonly proof: ProofTiming;
}

/**
 * Runs a check. If it fails on the base's tip too, without the change, and has passed on an earlier base of this run, the base is
 * broken and the attempt is put off with its work. What fails beside that is the change's own fault.
 */
export async function checkCandidate(
  ctx: LoopContext,
  scope: OpenAttempt,
  repo: Repo,
  { index, step: planned, candidate, proof }: CandidateCheck,
): Promise<StepResult> {
  const { base: tip } = candidate;
  const step = await settledCheck(ctx, scope, repo, { step: planned, commit: tip });
  if (!(await repo.contains(tip))) return checkOnUnlanded(ctx, scope, repo, { step, candidate, proof });
  // With a report, the base is measured first in any case.
  const measured = step.report ? await ctx.baseHealth.checkTip(ctx, scope, repo, { step, tip }) : undefined;
  const result = await runCheckStep(ctx, scope, repo, step, candidate, { proof });
  if (scope.signal.aborted) return result;
  const onBase = measured ?? (result.ok ? undefined : await resultOnBase(ctx, scope, repo, { step, tip }));
  if (onBase?.as !== "failed") return result;
  const at = { repo: repo.id, sha: tip, foundBy: scope.ticket.id, step: index };
  ctx.report({ type: "base-check-ended", ...at, ok: false, summary: onBase.summary });
  if (await countsOnBrokenBase(ctx, scope, repo, { result, onBase, step, candidate })) return result;
  const summary = `waits: ${step.name} fails on the base of ${repo.id} too, without its change`;
  const { detail } = result.ok ? { detail: onBase.summary } : result.evidence;
  throw new AttemptOver({ outcome: "stopped", evidence: { step: "check", name: step.name, summary, detail } });
}

/**
 * Runs a check on what has not landed yet. A failure there is checked again once that has. So is a candidate of which tests fail that
 * fail there too: nobody knows yet whether that would break the base.
 */
async function checkOnUnlanded(
  ctx: LoopContext,
  scope: OpenAttempt,
  repo: Repo,
  { step, candidate, proof }: Omit<CandidateCheck, "index">,
): Promise<StepResult> {
  const result = await runCheckStep(ctx, scope, repo, step, candidate, { proof });
  if (!result.ok || step.report === undefined) return result;
  const below = await baseResults(ctx, scope, repo, { step, commit: candidate.base });
  if (below.as !== "tests" || !below.run.tests.some(({ outcome }) => outcome === "failed")) return result;
  const summary = "tests fail that fail on what is about to land, too";
  return { ok: false, evidence: { step: "check", name: step.name, summary, detail: "" } };
}

/** The result of a failed check without a report on the base, if the failure may come from there. */
async function resultOnBase(
  ctx: LoopContext,
  scope: OpenAttempt,
  repo: Repo,
  checked: { readonly step: Check; readonly tip: string },
): Promise<BaseCheckResult | undefined> {
  const canComeFrom = await ctx.baseHealth.canComeFrom(ctx.state(), repo, checked);
  return canComeFrom ? ctx.baseHealth.checkTip(ctx, scope, repo, checked) : undefined;
}

/**
 * True if the result of a check counts although the base fails it too. A change that passes is the repair if no test that broke
 * on the base fails with it; other changes land if the batch says so. A change whose own tests fail is at fault.
 */
async function countsOnBrokenBase(
  ctx: LoopContext,
  scope: OpenAttempt,
  repo: Repo,
  checked: {
    readonly result: StepResult;
    readonly onBase: Extract<BaseCheckResult, { as: "failed" }>;
    readonly step: Check;
    readonly candidate: Built;
  },
): Promise<boolean> {
  const { result, step, candidate } = checked;
  const { tests } = checked.onBase;
  if (tests === undefined) return result.ok;
  if (!result.ok || ctx.batch.onBroken === "continue") return true;
  return repairsTests(ctx, scope, repo, { step, commit: candidate.commit, tests });
}
