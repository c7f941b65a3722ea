import { phaseOf } from "../../domain/batch/contract-spec.ts";
import type { StepSpec } from "../../domain/batch/step-spec.ts";
import type { Remark } from "../../domain/evidence/compare.ts";
import type { Allowance } from "../../domain/evidence/results.ts";
import { plainText } from "../../domain/values/text.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { CommandOutcome } from "../programs/run-on-commit.ts";
import type { StepFact, StepScope } from "../programs/scope.ts";
import { runCheckCommand } from "./base-results.ts";
import type { CheckStopwatch } from "./check-stopwatch.ts";
import type { Built } from "./landing.ts";
import type { StepContext, StepFailed, StepPassed } from "./step.ts";

/** A `check` step. */
export type Check = Extract<StepSpec, { step: "check" }>;

/** One check of one candidate. */
export interface CheckRun {
  readonly ctx: StepContext;
  readonly scope: StepScope;
  readonly repo: Repo;
  readonly step: Check;
  readonly candidate: Built;
  readonly allow: Allowance;
  readonly stopwatch: CheckStopwatch;
}

/** The findings against the candidate, in words; and the command's output, or why there is no result. */
export interface Outcome {
  readonly findings: readonly Remark[];
  readonly output: string;
  readonly passed: Omit<StepPassed, "ok" | "facts">;
  /** True if tests fail on the base. */
  readonly isRed?: boolean;
  readonly facts?: readonly StepFact[];
}

/** Runs the command of a check on a commit. */
export function runCheck({ ctx, scope, repo, step, candidate }: CheckRun, commit: string): Promise<CommandOutcome> {
  const command = { step, commit, attributesOf: candidate.base, log: `check-${step.name}`, purpose: "check" } as const;
  return runCheckCommand(ctx, scope, repo, command);
}

/** A command that overwrites files that its result depends on has decided that result itself (adversary case F1). */
export function overwrittenFindings({ overwritten }: Extract<CommandOutcome, { ok: true }>): readonly Remark[] {
  if (overwritten.length === 0) return [];
  const what =
    overwritten.length === 1 ? "a file that its result depends on" : `${overwritten.length} files that its result depends on`;
  const ids = overwritten.map((path) => plainText(path, 200));
  return [{ says: `the command changed or shadowed ${what}: ${ids[0] ?? ""}; allow it with "writes"`, ids }];
}

/** A criterion of a phase says which: an attempt that starts afresh, or a person who finds the ticket stopped, begins there. */
export function refuse({ step, scope }: CheckRun, what: string, detail: string): StepFailed {
  const phase = phaseOf(scope.ticket.contract ?? {}, step.name);
  const summary = phase === undefined ? what : `phase ${phase}: ${what}`;
  return { ok: false, evidence: { step: "check", name: step.name, summary, detail } };
}
