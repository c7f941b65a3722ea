import type { StepSpec } from "../../domain/batch/step-spec.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { OpenAttempt, StepResult } from "../attempt-scope.ts";
import type { LoopContext } from "../context.ts";
import { runCommandStep } from "./command-step.ts";

/** Runs a verify command on what has landed. */
export function runVerifyStep(
  ctx: LoopContext,
  scope: OpenAttempt,
  repo: Repo,
  step: Extract<StepSpec, { step: "verify" }>,
  landed: string,
): Promise<StepResult> {
  return runCommandStep(ctx, scope, repo, step, landed);
}
