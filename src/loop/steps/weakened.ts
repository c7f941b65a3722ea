import { findingsLine, findingsText } from "../../domain/evidence/summary-lines.ts";
import { boundedHead } from "../../domain/values/bounded-text.ts";
import type { Candidate, Repo } from "../../ports/vcs.ts";
import type { StepScope } from "../programs/scope.ts";
import { scriptsChanged, suppressionFindings } from "./static-findings.ts";
import type { StepContext, StepFailed } from "./step.ts";

/** Scripts of package.json that checks at a forge usually run. What they do run is not known here. */
const SCRIPTS = ["test", "lint", "typecheck", "build", "check"].map((script) => ({ runner: "any", script }));
/** Characters of the findings, for the next attempt. */
const DETAIL_CHARS = 2_800;

/**
 * What a candidate takes away from the checks that are to judge it, as far as its text shows it: suppressions, and other scripts. No check of
 * this machine does so before it is pushed to a branch. Undefined if there is nothing.
 */
export async function weakenedBy(
  { scans }: Pick<StepContext, "scans">,
  { ticket }: StepScope,
  repo: Repo,
  candidate: Extract<Candidate, { ok: true }>,
): Promise<StepFailed | undefined> {
  const allow = ticket.allow ?? { testsRemoved: [], testsSkipped: [], suppressions: false };
  const searched = { repo, candidate, allow };
  const findings = [
    ...(await scriptsChanged(scans, { ...searched, runs: SCRIPTS })),
    ...(await suppressionFindings(scans, searched)),
  ];
  if (findings.length === 0) return undefined;
  const detail = boundedHead(findingsText(findings), DETAIL_CHARS);
  return { ok: false, evidence: { step: "merge", name: "checks", summary: findingsLine(findings), detail } };
}
