import type { StepSpec } from "../../domain/batch/step-spec.ts";
import type { TestResult } from "../../domain/evidence/results.ts";
import { expectedPasses, passingNames } from "../../domain/proof/findings.ts";
import type { JudgeAllowance } from "../../domain/proof/permission.ts";
import type { Origin } from "../../domain/run/landings.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { StepScope } from "../programs/scope.ts";
import { baseResults } from "./base-results.ts";
import { JudgesTree } from "./judges-tree.ts";
import type { Built } from "./landing.ts";
import { withoutTheChange } from "./new-tests.ts";
import type { ProofOutcome } from "./proof.ts";
import { proveByExitCode } from "./prove-by-exit-code.ts";
import { proveByTests } from "./prove-by-tests.ts";
import { sortChange } from "./sort-change.ts";
import { unsearched } from "./static-findings.ts";
import type { StepContext } from "./step.ts";

/** A candidate, and the base in which its code must prove itself. */
export interface ToProve {
  readonly step: Extract<StepSpec, { step: "check" }>;
  readonly candidate: Built;
  readonly origin: Origin;
  /** What the candidate's own ticket may change of what judges. */
  readonly allow: JudgeAllowance;
  /** Tests that must pass though the base fails them. */
  readonly fixes?: readonly string[];
}

/**
 * Shows that the results of a tree are honest (adversary cases G1 to G3): the command runs in the judge's tree, which is the trusted
 * base with the candidate's code under test alone, and with twins of passing tests that must fail. One run if all is well. What
 * deviates is repeated, compared with the same twins on the trusted base, and traced to the files of the judge that explain it.
 */
export async function deepProof(ctx: StepContext, scope: StepScope, repo: Repo, toProve: ToProve): Promise<ProofOutcome> {
  const { step, candidate, origin, allow, fixes = [] } = toProve;
  const hasReport = step.report !== undefined;
  const [before, own] = hasReport ? await resultsBoth(ctx, scope, repo, toProve) : [];
  const isRed = before?.some(({ outcome }) => outcome === "failed") ?? false;
  const sorted = await sortChange(ctx, repo, { step, candidate, origin, allow, isRed });
  if (!sorted.ok) return broken(step.name, unsearched("the change", sorted.problem).says);
  const change = sorted.value;
  const tree = new JudgesTree(ctx, scope, repo, { step, candidate, first: origin.first, change, originTests: before ?? [] });
  if (!hasReport) return proveByExitCode({ step, candidate, change, tree });
  if (before === undefined) return { as: "proven", commit: candidate.commit, planted: 0, note: "the base has no tests" };
  if (own === undefined) return broken(step.name, "the candidate's own results could not be measured");
  const expected = expectedPasses(before, own, fixes);
  const isPassing = passingNames(expected, own, before);
  const outcome = await proveByTests({ step, candidate, change, tree, expected, isPassing });
  if (outcome.as !== "proven") return outcome;
  const newTests = await withoutTheChange(ctx, scope, repo, { step, candidate, change, first: origin.first, before, own });
  return { ...outcome, ...(newTests !== undefined && { newTests }) };
}

/** The results of the origin and of the candidate; undefined where there are none. */
async function resultsBoth(
  ctx: StepContext,
  scope: StepScope,
  repo: Repo,
  { step, origin, candidate }: ToProve,
): Promise<readonly (readonly TestResult[] | undefined)[]> {
  const results: (readonly TestResult[] | undefined)[] = [];
  for (const commit of [origin.first, candidate.commit]) {
    const manifest = await baseResults(ctx, scope, repo, { step, commit });
    results.push(manifest.as === "tests" ? manifest.run.tests : undefined);
  }
  return results;
}

function broken(name: string, summary: string): ProofOutcome {
  return { as: "broken", evidence: { step: "check", name, summary, detail: "" } };
}
