import type { JudgeAllowance, TestResult, TwinnedFile } from "@loopdash/test-evidence";
import { expectedPasses, findingsIn, isClean, passingNames, withFormerNames } from "@loopdash/test-evidence";
import { type Check, wantedExitCode } from "../../domain/batch/step-spec.ts";
import type { Origin } from "../../domain/run/landings.ts";
import { settleBoth } from "../../domain/values/settle-both.ts";
import type { Repo } from "../../ports/vcs.ts";
import { besideMarker, type StepScope } from "../programs/scope.ts";
import { resultsKey, settledCheck, testsOn } from "./base-results.ts";
import { filesMoved, unsearched } from "./compare-tests.ts";
import { JudgesTree, type StartedRun } from "./judges-tree.ts";
import { withoutTheChange } from "./new-tests.ts";
import {
  changesTests,
  differs,
  explain,
  type Find,
  firstPlanted,
  firstRun,
  forged,
  halve,
  isSameTree,
  overwritten,
  type Proof,
  type ProofOutcome,
  plantedTwins,
  proveByTests,
  proven,
  runnersIn,
  twoOfThree,
} from "./proof.ts";
import { type SortedChange, sortChange } from "./sort-change.ts";
import type { Built, StepContext } from "./step.ts";

/** A candidate, and the base in which its code must prove itself. */
export interface ToProve {
  readonly step: Check;
  readonly candidate: Built;
  readonly origin: Origin;
  /** What the candidate's own ticket may change of what judges. */
  readonly allow: JudgeAllowance;
  /** Tests that must pass though the base fails them. */
  readonly fixes?: readonly string[];
  /** The proof, if its first run was started beside the check. */
  readonly begun?: StartedProof | undefined;
}

/** A proof before its candidate's own results are known. */
interface PreparedProof {
  /** The results of the origin; undefined where there are none. */
  readonly before: readonly TestResult[] | undefined;
  readonly change: SortedChange;
  readonly tree: JudgesTree;
}

/** A proof whose first run runs beside the check of its candidate. */
export interface StartedProof extends PreparedProof {
  readonly started: StartedRun;
}

/**
 * Starts the first run of a proof while the candidate's check runs. The candidate's own results are not known yet, so it expects what passes on
 * the origin; if the check fails, the run is discarded. Undefined if the origin was not measured yet, if tests fail there, or if nothing is to run.
 */
export async function startProof(
  ctx: StepContext,
  scope: StepScope,
  repo: Repo,
  toProve: ToProve,
): Promise<StartedProof | undefined> {
  const { candidate, origin } = toProve;
  const step = await settledCheck(ctx, scope, repo, { step: toProve.step, commit: origin.first });
  const hasReport = step.report !== undefined;
  const kept = hasReport && (await ctx.manifests.kept(resultsKey(ctx, scope, repo, { step, commit: origin.first })));
  if (hasReport && (!kept || kept.tests.some(({ outcome }) => outcome === "failed"))) return undefined;
  const prepared = await prepareProof(ctx, scope, repo, { ...toProve, step }, kept ? kept.tests : undefined);
  if ("as" in prepared) return undefined;
  const { before = [], change, tree } = prepared;
  const proof = { step, candidate, change, tree };
  const found = firstPlanted(proof);
  const isPassing = hasReport ? passingNames(expectedPasses(before, before, []), before, before) : () => true;
  const twinned = found === undefined ? [] : await tree.plant(found, isPassing);
  if (twinned.length === 0 && isSameTree(proof)) return undefined;
  return { ...prepared, started: tree.start(twinned) };
}

/**
 * Shows that the results of a tree are honest (adversary cases G1 to G3): the command runs in the judge's tree, which is the trusted
 * base with the candidate's code under test alone, and with twins of passing tests that must fail. One run if all is well. What
 * deviates is repeated, compared with the same twins on the trusted base, and traced to the files of the judge that explain it.
 */
export async function deepProof(ctx: StepContext, scope: StepScope, repo: Repo, toProve: ToProve): Promise<ProofOutcome> {
  const { candidate, origin, fixes = [], begun } = toProve;
  const step = await settledCheck(ctx, scope, repo, { step: toProve.step, commit: origin.first });
  const hasReport = step.report !== undefined;
  const results = (commit: string) => testsOn(ctx, scope, repo, { step, commit });
  const prepared = begun ?? (await prepareProof(ctx, scope, repo, { ...toProve, step }, await results(origin.first)));
  if ("as" in prepared) return prepared;
  const { before, change, tree } = prepared;
  const proof = { step, candidate, change, tree, started: begun?.started };
  if (!hasReport) return proveByExitCode(proof);
  const reported = await results(candidate.commit);
  if (before === undefined) return { as: "proven", commit: candidate.commit, planted: 0, note: "the base has no tests" };
  if (reported === undefined) return broken(step.name, "the candidate's own results could not be measured");
  const own = withFormerNames(before, reported, await filesMoved(repo, { from: origin.first, tip: candidate.commit }));
  const expected = expectedPasses(before, own, fixes);
  const isPassing = passingNames(expected, own, before);
  const beside = { ...scope, marker: besideMarker(scope.marker, "new-tests") };
  const [outcome, newTests] = await settleBoth(
    proveByTests({ ...proof, expected, isPassing }),
    withoutTheChange(ctx, beside, repo, { step, candidate, change, first: origin.first, before, own }),
  );
  return outcome.as === "proven" && newTests !== undefined ? { ...outcome, newTests } : outcome;
}

/**
 * Lets later runs know the results of a tree that was proven from the run's first base on. Without twins, nothing shows that its code reports
 * what happened.
 */
export async function shareProven(
  ctx: StepContext,
  scope: StepScope,
  repo: Repo,
  { step, outcome }: Pick<ToProve, "step"> & { readonly outcome: ProofOutcome },
): Promise<void> {
  if (step.report === undefined || outcome.as !== "proven" || outcome.planted === 0) return;
  await ctx.manifests.prove(resultsKey(ctx, scope, repo, { step, commit: outcome.commit }));
}

/** Sorts the change, and makes its judge's tree. */
async function prepareProof(
  ctx: StepContext,
  scope: StepScope,
  repo: Repo,
  { step, candidate, origin, allow }: ToProve,
  before: readonly TestResult[] | undefined,
): Promise<PreparedProof | ProofOutcome> {
  const isRed = before?.some(({ outcome }) => outcome === "failed") ?? false;
  const sorted = await sortChange(ctx, repo, { step, candidate, origin, allow, isRed });
  if (!sorted.ok) return broken(step.name, unsearched("the change", sorted.problem).says);
  const change = sorted.value;
  const tree = new JudgesTree(ctx, scope, repo, { step, candidate, first: origin.first, change, originTests: before ?? [] });
  return { before, change, tree };
}

function broken(name: string, summary: string): ProofOutcome {
  return { as: "broken", evidence: { step: "check", name, summary, detail: "" } };
}

/** Proves a check that has its exit code alone: it must pass in the judge's tree, and fail with twins in it. */
async function proveByExitCode(proof: Proof): Promise<ProofOutcome> {
  const { step } = proof;
  const plain = isSameTree(proof) ? undefined : await runPlain(proof);
  if (plain !== undefined) return plain;
  if (step.canary === "off") return proven(proof, [], "switched off");
  if (wantedExitCode(step) !== 0) return proven(proof, [], "the command must not exit with code 0");
  if (proof.change.runners.length === 0) return proven(proof, [], "no known test runner in the command");
  let planted = 0;
  for (const [n, found] of runnersIn(proof).entries()) {
    const twinned = await plantedTwins(proof, { found, isPassing: () => true, n });
    const outcome = twinned.length === 0 ? undefined : await runPlanted(proof, twinned);
    if (outcome !== undefined && (outcome.as !== "proven" || outcome.planted === 0)) return outcome;
    planted += outcome?.planted ?? 0;
  }
  return planted > 0 ? { ...proven(proof, []), planted } : proven(proof, [], "no passing test of the base can be copied");
}

/** Of a run with twins, only an exit code of 0 says something. */
const findExit: Find = (run) => {
  const { forged: found } = findingsIn({ ...run, tests: undefined }, new Map());
  return { lost: [], forged: found.filter(({ got }) => got === "exit-0") };
};

/** The outcome of the command in the judge's tree; undefined if it passes. */
async function runPlain(proof: Proof): Promise<ProofOutcome | undefined> {
  const { step, tree } = proof;
  const find: Find = ({ exitCode }) => ({ lost: exitCode === wantedExitCode(step) ? [] : ["exit"], forged: [] });
  const passes = async (putBack: readonly string[]) => isClean(find(await tree.run(putBack, [])));
  const first = await firstRun(proof, []);
  if (isClean(find(first))) return overwritten(first);
  const again = () => tree.run([], []);
  const settled = changesTests(proof) ? { run: first, found: find(first) } : await twoOfThree(first, again, find);
  if (isClean(settled.found)) return undefined;
  // Where the base fails too, new tests have nothing to stand in for.
  const isRed = !isClean(find(await tree.runOnBase([])));
  const files = await explain(proof, passes, { hasAdditions: !isRed });
  if (files !== undefined) return differs(files, "the command fails");
  return isRed ? proven(proof, [], "the command fails on the base") : forged(settled.run, { lost: [], forged: [] });
}

/** The outcome of the command with twins, which must not exit with 0. */
async function runPlanted(proof: Proof, twinned: readonly TwinnedFile[]): Promise<ProofOutcome> {
  const { change, tree } = proof;
  const first = await firstRun(proof, twinned);
  if (!isClean(findExit(first))) {
    if (!isClean(findExit(await tree.runOnBase(twinned))))
      return proven(proof, [], "the command exits with code 0 on the base too");
    const settled = await twoOfThree(first, () => tree.run([], twinned), findExit);
    if (!isClean(settled.found)) return forged(settled.run, settled.found);
  }
  const passes = async (putBack: readonly string[]) => !isClean(findExit(await tree.run(putBack, twinned)));
  const all = [...change.judges, ...change.additions];
  if (!isSameTree(proof) && (await passes(all)) && (await passes(all)))
    return differs(await halve(proof, all, passes), "the command fails with planted tests only");
  return first.isPrinted ? proven(proof, twinned) : proven(proof, [], "the output does not name a planted test that failed");
}
