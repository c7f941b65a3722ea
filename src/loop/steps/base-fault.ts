import { failingAmong } from "@loopdash/test-evidence";
import type { Check } from "../../domain/batch/step-spec.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { StepScope } from "../programs/scope.ts";
import { repairsTests } from "./base-health.ts";
import { baseResults, settledCheck } from "./base-results.ts";
import type { Built, StepContext } from "./step.ts";

/** Says whether a landed change is at fault for a check that fails on its base. `passes`: the check passes there now. */
export type Fault = { readonly as: "proven" } | { readonly as: "passes" | "unproven"; readonly why: string };

/** Runs a check once more on the tip of a base, where it must fail, and on the base before a landing, where it must pass. */
export async function proveFault(
  ctx: StepContext,
  scope: StepScope,
  repo: Repo,
  { step, tip, before }: { readonly step: Check; readonly tip: string; readonly before: string },
): Promise<Fault> {
  const now = await ctx.baseHealth.checkAgain(ctx, scope, repo, { step, tip });
  if (now.as === "passed") return { as: "passes", why: `the check ${step.name} passes on the base again` };
  if (now.as === "unknown") return { as: "unproven", why: `the check ${step.name} could not run on the base: ${now.summary}` };
  const passes = await passesOn(ctx, scope, repo, { step, commit: before, tests: now.tests });
  if (passes) return { as: "proven" };
  return { as: "unproven", why: `the check ${step.name} does not pass on the base before its change either` };
}

async function passesOn(
  ctx: StepContext,
  scope: StepScope,
  repo: Repo,
  {
    step: planned,
    commit,
    tests,
  }: { readonly step: Check; readonly commit: string; readonly tests: readonly string[] | undefined },
): Promise<boolean> {
  const step = await settledCheck(ctx, scope, repo, { step: planned, commit });
  if (step.report === undefined) return (await ctx.baseHealth.checkTip(ctx, scope, repo, { step, tip: commit })).as === "passed";
  const manifest = await baseResults(ctx, scope, repo, { step, commit });
  return manifest.as === "tests" && failingAmong(tests ?? [], manifest.run).length === 0;
}

/** True if a candidate that has passed a check also passes the tests that broke on its base. */
export async function repairsBase(
  ctx: StepContext,
  scope: StepScope,
  repo: Repo,
  { step, candidate }: { readonly step: Check; readonly candidate: Built },
): Promise<boolean> {
  if (step.report === undefined) return true;
  const onBase = await ctx.baseHealth.checkTip(ctx, scope, repo, { step, tip: candidate.base });
  if (onBase.as !== "failed" || onBase.tests === undefined) return true;
  return repairsTests(ctx, scope, repo, { step, commit: candidate.commit, tests: onBase.tests });
}
