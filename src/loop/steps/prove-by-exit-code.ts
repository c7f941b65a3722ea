import { wantedExitCode } from "../../domain/batch/step-spec.ts";
import { findingsIn, isClean } from "../../domain/proof/findings.ts";
import type { TwinnedFile } from "../../domain/proof/twin.ts";
import {
  changesTests,
  differs,
  explain,
  type Find,
  firstRun,
  forged,
  halve,
  isSameTree,
  overwritten,
  type Proof,
  type ProofOutcome,
  plantedTwins,
  proven,
  runnersIn,
  twoOfThree,
} from "./proof.ts";

/** Proves a check that has its exit code alone: it must pass in the judge's tree, and fail with twins in it. */
export async function proveByExitCode(proof: Proof): Promise<ProofOutcome> {
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
