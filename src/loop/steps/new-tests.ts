import type { StepSpec } from "../../domain/batch/step-spec.ts";
import type { TestResult } from "../../domain/evidence/results.ts";
import { isTestPath } from "../../domain/evidence/sealed-paths.ts";
import { newTestsLine } from "../../domain/evidence/summary-lines.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { StepScope } from "../programs/scope.ts";
import { runSelected } from "./fail-soon.ts";
import type { Built } from "./landing.ts";
import type { SortedChange } from "./sort-change.ts";
import type { StepContext } from "./step.ts";

/** A proven candidate, and the results of its origin and of itself. */
interface WithNewTests {
  readonly step: Extract<StepSpec, { step: "check" }>;
  readonly candidate: Built;
  readonly change: SortedChange;
  readonly first: string;
  readonly before: readonly TestResult[];
  readonly own: readonly TestResult[];
}

/**
 * Says which new tests of a change pass without the rest of it too (adversary case G6): on the trusted base, with the change's files of
 * tests alone. Undefined if there are none, or if none of them does. It decides nothing.
 */
export async function withoutTheChange(
  ctx: StepContext,
  scope: StepScope,
  repo: Repo,
  { step, candidate, change, first, before, own }: WithNewTests,
): Promise<string | undefined> {
  const known = new Set(before.map(({ id }) => id));
  const ids = [...new Set(own.flatMap(({ id, outcome }) => (outcome === "passed" && !known.has(id) ? [id] : [])))];
  const files = [...change.additions, ...change.judges].filter(isTestPath);
  if (ids.length === 0 || files.length === 0 || change.code.length === 0) return undefined;
  const trusted = change.trusted.byCommit(change.trusted.touched).filter(({ commit }) => commit !== first);
  const restored = [...trusted, { commit: candidate.commit, paths: files }];
  const commit = await repo.deriveCommit({ commit: first, files: [], without: [], restored });
  const part = "new tests, without the change";
  const of = { step, commit, trusted: first, ids, base: { exitCode: 0, tests: own }, part, forProof: true };
  const run = await runSelected(ctx, scope, repo, of);
  if (run === undefined) return newTestsLine(ids.length, undefined);
  const passed = new Set(run.tests.flatMap(({ id, outcome }) => (outcome === "passed" ? [id] : [])));
  const failed = new Set(run.tests.flatMap(({ id, outcome }) => (outcome === "failed" ? [id] : [])));
  return newTestsLine(
    ids.length,
    ids.filter((id) => passed.has(id) && !failed.has(id)),
  );
}
