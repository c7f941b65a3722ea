import type { Allowance, ClassifiedChange } from "@loopdash/test-evidence";
import { isAllowedToJudge, proofLine } from "@loopdash/test-evidence";
import { type ProofSpec, proofMode } from "../../domain/batch/proof-spec.ts";
import type { Check } from "../../domain/batch/step-spec.ts";
import { firstFewLine } from "../../domain/values/text.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { StepScope } from "../programs/scope.ts";
import { unsearched } from "./compare-tests.ts";
import { deepProof, type StartedProof, shareProven } from "./deep-proof.ts";
import { greenWithoutTheChange } from "./new-tests.ts";
import { originBelow } from "./origins.ts";
import type { ProofOutcome } from "./proof.ts";
import { sortChange } from "./sort-change.ts";
import type { Built, NeededApproval, StepContext, StepFailed, StepResult } from "./step.ts";

/** A candidate that has passed a check. */
export interface PassedCandidate {
  readonly step: Check;
  readonly candidate: Built;
  readonly allow: Allowance;
  /** True if tests fail on its base. */
  readonly isRed: boolean;
  /** Its proof, if its first run was started beside the check. */
  readonly begun?: StartedProof | undefined;
}

/** The proof of one candidate alone. It has not happened if the candidate is proven together with others. */
export type AloneOutcome =
  | {
      readonly as: "passed";
      readonly isProven: boolean;
      readonly needsApproval?: NeededApproval;
      /** What happened, for the summary of the check. */
      readonly says: readonly string[];
    }
  | Extract<ProofOutcome, { as: "forged" | "broken" }>;

const NOT_PROVEN = { as: "passed", isProven: false, says: [] } as const;

/** True if a change must be proven alone before it lands: by the batch, or because it changes what judges, or may do so. */
export function needsProofAlone(mode: ProofSpec, { judges, definition, unclear }: ClassifiedChange): boolean {
  return mode === "each" || judges.length > 0 || definition.length > 0 || unclear !== undefined;
}

/**
 * Proves a candidate before it lands, if it must be or its proof was started: over the first base of the run, with all that landed since. If that
 * fails and others below it may be at fault, over its own base alone. Files of the judge that tests of the base depend on, and those that
 * define the check, need somebody's approval.
 */
export async function proveAlone(ctx: StepContext, scope: StepScope, repo: Repo, passed: PassedCandidate): Promise<AloneOutcome> {
  const { step, candidate, allow, isRed, begun } = passed;
  const own = { first: candidate.base, trusted: [] };
  const sorted = await sortChange(ctx, repo, { step, candidate, origin: own, allow, isRed });
  if (!sorted.ok) return { as: "broken", evidence: failure(step, unsearched("the change", sorted.problem).says) };
  const overBase = { step, candidate, change: sorted.value, first: candidate.base };
  const green = await greenWithoutTheChange(ctx, scope, repo, overBase);
  if (green !== undefined) return { as: "broken", evidence: failure(step, green.says, [green.says, ...green.ids].join("\n  ")) };
  const mode = proofMode(ctx.batch, scope.ticket.repo);
  const isRequired = needsProofAlone(mode, sorted.value);
  if (!isRequired && begun === undefined) return NOT_PROVEN;
  const origin = originBelow(ctx, repo, candidate);
  const toProve = { step, candidate, allow, fixes: scope.ticket.fixes ?? [] };
  const whole = await deepProof(ctx, scope, repo, { ...toProve, origin, begun });
  await shareProven(ctx, scope, repo, { step, outcome: whole });
  if (!isRequired && whole.as === "broken") return NOT_PROVEN;
  // With proofs of the base, what lies below may not be proven yet, and be at fault: then the change answers for itself alone.
  const isByItself = mode === "batch" && origin.first !== candidate.base && (whole.as === "forged" || whole.as === "differs");
  const proof = isByItself ? await deepProof(ctx, scope, repo, { ...toProve, origin: own }) : whole;
  if (proof.as === "forged" || proof.as === "broken") return proof;
  const found = [...neededApprovals(step, sorted.value, allow), ...(proof.as === "differs" ? [proof] : [])];
  const says = [
    ...(proof.as === "proven" ? [proofLine(proof)] : []),
    ...found.map(({ finding }) => `${finding.says}: needs approval`),
  ];
  const isProven = !isByItself;
  if (found.length === 0) return { as: "passed", isProven, says };
  const files = [...new Set(found.flatMap((each) => each.files))];
  const finding = {
    says: found.map((each) => each.finding.says).join("; "),
    ids: found.flatMap((each) => each.finding.ids),
  };
  return { as: "passed", isProven, says, needsApproval: { files, finding } };
}

/** The approvals that a change needs whatever its proof says. */
function neededApprovals(step: PassedCandidate["step"], change: ClassifiedChange, allow: Allowance): readonly NeededApproval[] {
  const found = [
    definitionApproval(change, allow),
    filesApproval(change.tested, allow, "tests load what settings name, and would test its old version"),
    filesApproval(lostTestFiles(step, change, allow), allow, "tests are gone, and no report of the runner says which"),
  ];
  return found.filter((each) => each !== undefined);
}

/** Runners whose results no output decides: loopdash's reporter for them writes a file of its own. */
const REPORTED_BY_FILE: ReadonlySet<string> = new Set(["vitest", "jest", "mocha", "node:test"]);

/**
 * Returns the test files whose text is gone, if the check cannot show which tests went with it: it has an exit code alone, or results
 * that the code under test can print.
 */
function lostTestFiles({ report }: Check, { testsGone, runners }: ClassifiedChange, allow: Allowance): readonly string[] {
  if (report === undefined) return testsGone;
  const isByFile = runners.length > 0 && runners.every(({ name }) => REPORTED_BY_FILE.has(name));
  return report.format !== "found" || isByFile || allow.testsRemoved.length > 0 ? [] : testsGone;
}

/** The approval of files, for a reason; undefined if all are allowed. */
function filesApproval(paths: readonly string[], allow: Allowance, why: string): NeededApproval | undefined {
  const files = paths.filter((path) => !isAllowedToJudge(allow, path));
  return files.length === 0 ? undefined : { files, finding: { says: `${why}: ${firstFewLine(files, 4)}`, ids: files } };
}

/** The approval that a change of the check's definition needs; undefined if it changes nothing of it that is not allowed. */
function definitionApproval({ definition }: ClassifiedChange, allow: Allowance): NeededApproval | undefined {
  const changed = definition.filter(({ path }) => allow.scripts !== true && !isAllowedToJudge(allow, path));
  if (changed.length === 0) return undefined;
  const files = changed.map(({ path }) => path);
  const says = `what the check runs was changed: ${firstFewLine(
    changed.map((each) => each.says),
    4,
  )}`;
  return { files, finding: { says, ids: changed.map((each) => each.says) } };
}

/** A result that needs an approval as a failure: nobody can give it here. */
export function refuseUnapproved(step: PassedCandidate["step"], result: StepResult): StepResult {
  if (!result.ok || result.needsApproval === undefined) return result;
  const { files, finding } = result.needsApproval;
  const todo = `Allow it in the batch file: "allow": {"judge": ${JSON.stringify(files.slice(0, 20))}}`;
  const detail = [finding.says, ...finding.ids.map((id) => `  ${id}`), todo].join("\n");
  return { ok: false, evidence: failure(step, finding.says, detail), ...(result.facts && { facts: result.facts }) };
}

function failure({ name }: PassedCandidate["step"], summary: string, detail = ""): StepFailed["evidence"] {
  return { step: "check", name, summary, detail };
}
