import type { Remark, TestResult } from "@loopdash/test-evidence";
import { isTestPath, newTestsLine } from "@loopdash/test-evidence";
import { type Check, wantedExitCode } from "../../domain/batch/step-spec.ts";
import type { Repo } from "../../ports/vcs.ts";
import { runOnCommit } from "../programs/run-on-commit.ts";
import type { StepScope } from "../programs/scope.ts";
import { testsOn } from "./base-results.ts";
import { runSelected } from "./fail-soon.ts";
import type { SortedChange } from "./sort-change.ts";
import type { Built, StepContext } from "./step.ts";

/** A candidate with its change over a trusted base. */
interface OverBase {
  readonly step: Check;
  readonly candidate: Built;
  readonly change: SortedChange;
  readonly first: string;
}

/** The results of the trusted base, and of the candidate. */
interface BothResults {
  readonly before: readonly TestResult[];
  readonly own: readonly TestResult[];
}

/**
 * Says which new tests of a change pass without the rest of it too (adversary case G6): on the trusted base, with the change's files of
 * tests alone. Undefined if there are none, if none of them does, and for a ticket with `redFirst`. It decides nothing.
 */
export async function withoutTheChange(
  ctx: StepContext,
  scope: StepScope,
  repo: Repo,
  { before, own, ...of }: OverBase & BothResults,
): Promise<string | undefined> {
  const ids = listNewTests({ before, own });
  const isNone = ids.length === 0 || changedTestFiles(of.change).length === 0 || of.change.code.length === 0;
  if (isNone || scope.ticket.redFirst === true) return undefined;
  const passing = await passingWithout(ctx, scope, repo, { ...of, own, ids });
  return newTestsLine(ids.length, passing && ids.filter((id) => passing.has(id)));
}

/**
 * The finding against the change of a ticket with `redFirst`; undefined for any other ticket, and if each test that the change adds fails
 * without the rest of it. If it adds none, one that it edits must. Without results of single tests the whole command must fail.
 */
export async function greenWithoutTheChange(
  ctx: StepContext,
  scope: StepScope,
  repo: Repo,
  of: OverBase,
): Promise<Remark | undefined> {
  if (scope.ticket.redFirst !== true) return undefined;
  const { step, candidate, change, first } = of;
  const files = changedTestFiles(change);
  if (files.length === 0) return { says: "red first: the change adds no test that fails without it", ids: [] };
  const before = await testsOn(ctx, scope, repo, { step, commit: first });
  const own = await testsOn(ctx, scope, repo, { step, commit: candidate.commit });
  if (before === undefined || own === undefined) return greenByExitCode(ctx, scope, repo, of);
  const ids = listNewTests({ before, own });
  const tried = ids.length > 0 ? ids : idsWith("passed", own);
  const passing = await passingWithout(ctx, scope, repo, { ...of, own, ids: tried, isWhole: true });
  if (passing === undefined) return { says: "red first: the tests that it adds could not be tried without the change", ids: [] };
  const green = tried.filter((id) => passing.has(id));
  if (ids.length > 0)
    return green.length === 0 ? undefined : { says: `red first: ${newTestsLine(ids.length, green)}`, ids: green };
  return green.length < tried.length ? undefined : { says: "red first: every test passes without the change too", ids: files };
}

async function greenByExitCode(ctx: StepContext, scope: StepScope, repo: Repo, of: OverBase): Promise<Remark | undefined> {
  const { step, first } = of;
  const commit = await withoutCode(repo, of);
  const log = `check-${step.name}-red-first`;
  const part = "its tests, without the change";
  const ran = await runOnCommit(ctx, scope, repo, { step, commit, attributesOf: first, log, part, purpose: "proof" });
  if (!ran.ok) return { says: `red first: its tests could not be tried without the change: ${ran.evidence.summary}`, ids: [] };
  const isGreen = ran.result.ending === "exited" && ran.result.exitCode === wantedExitCode(step);
  return isGreen ? { says: "red first: the check passes with its tests and without the rest of the change", ids: [] } : undefined;
}

function listNewTests({ before, own }: BothResults): readonly string[] {
  const known = new Set(before.map(({ id }) => id));
  return [...new Set(idsWith("passed", own))].filter((id) => !known.has(id));
}

function idsWith(outcome: TestResult["outcome"], tests: readonly TestResult[]): readonly string[] {
  return tests.flatMap((test) => (test.outcome === outcome ? [test.id] : []));
}

function changedTestFiles({ additions, judges }: SortedChange): readonly string[] {
  return [...additions, ...judges].filter(isTestPath);
}

/** The trusted base with the change's files of tests alone. */
function withoutCode(repo: Repo, { candidate, change, first }: OverBase): Promise<string> {
  const trusted = change.trusted.byCommit(change.trusted.touched).filter(({ commit }) => commit !== first);
  const restored = [...trusted, { commit: candidate.commit, paths: changedTestFiles(change) }];
  return repo.deriveCommit({ commit: first, files: [], without: [], restored });
}

/** The tests that pass without the rest of the change; undefined if there are no results. */
async function passingWithout(
  ctx: StepContext,
  scope: StepScope,
  repo: Repo,
  {
    ids,
    own,
    isWhole = false,
    ...of
  }: OverBase & Pick<BothResults, "own"> & { readonly ids: readonly string[]; readonly isWhole?: boolean },
): Promise<ReadonlySet<string> | undefined> {
  const { step, first } = of;
  const commit = await withoutCode(repo, of);
  const part = "new tests, without the change";
  const base = { exitCode: 0, tests: own };
  const run = await runSelected(ctx, scope, repo, { step, commit, trusted: first, ids, base, part, forProof: true, isWhole });
  if (run === undefined) return undefined;
  const failed = new Set(idsWith("failed", run.tests));
  return new Set(idsWith("passed", run.tests).filter((id) => !failed.has(id)));
}
