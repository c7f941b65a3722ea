import { isTestPath } from "../../domain/evidence/sealed-paths.ts";
import type { FoundRunner } from "../../domain/proof/find-runner.ts";
import { type ExpectedPasses, findingsIn, isClean, unfitFiles, withoutExcused } from "../../domain/proof/findings.ts";
import type { TwinnedFile } from "../../domain/proof/twin.ts";
import type { JudgedRun } from "./judges-tree.ts";
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
  type Proven,
  plantedTwins,
  proven,
  runnersIn,
  twoOfThree,
} from "./proof.ts";

/** A proof of a check that reports each test. */
interface ProofByTests extends Proof {
  readonly expected: ExpectedPasses;
  readonly isPassing: (name: string) => boolean;
}

/** Choices of files for twins, at most: those that come out wrong on the base too are left out of the next one. */
const MOST_ROUNDS = 3;

/** Proves a check that reports each test. */
export async function proveByTests(proof: ProofByTests): Promise<ProofOutcome> {
  const isOff = proof.step.canary === "off";
  const runners = isOff ? [] : runnersIn(proof);
  const first = firstPlanted(proof);
  const outcome = await compareWithTwins(proof, first);
  const last = runners.at(-1);
  if (outcome.as !== "proven" || last === undefined)
    return isOff && outcome.as === "proven" ? { ...outcome, note: "switched off" } : outcome;
  const alone = await provenAlone(proof, outcome, first === undefined ? runners : runners.slice(0, -1));
  return (alone.as === "proven" ? await provenInOwnTree(proof, alone, last) : undefined) ?? alone;
}

/** The outcome of the base's tests in the judge's tree, with twins of this runner's tests beside them. */
async function compareWithTwins(proof: ProofByTests, found: FoundRunner | undefined): Promise<ProofOutcome> {
  for (let round = 0; found !== undefined && round < MOST_ROUNDS; round += 1) {
    const twinned = await plantedTwins(proof, { found, isPassing: proof.isPassing, n: round });
    const outcome = await compare(proof, twinned, twinned.length === 0 ? NO_COPY : undefined);
    if (outcome !== undefined) return outcome;
  }
  const note = found === undefined ? noneNote(proof) : "planted tests do not come out as they must on the base either";
  return (await compare(proof, [], note)) ?? proven(proof, [], note);
}

const NO_COPY = "no passing test of the base can be copied";

function noneNote({ change }: Proof): string {
  return change.runners.length === 0 ? "no known test runner in the command" : NO_COPY;
}

function finder({ expected }: ProofByTests): Find {
  return (run) => findingsIn(run, expected);
}

/** Only what twins say: a runner that is ended by a failure reports a part of the tests. */
const findForged: Find = (run) => ({ lost: [], forged: findingsIn(run, new Map()).forged });

/** The outcome of the base's tests in the judge's tree; undefined if other files must get the twins. */
async function compare(
  proof: ProofByTests,
  twinned: readonly TwinnedFile[],
  note: string | undefined,
): Promise<ProofOutcome | undefined> {
  const { tree } = proof;
  if (isSameTree(proof) && twinned.length === 0) return proven(proof, [], note);
  const find = finder(proof);
  const first = await firstRun(proof, twinned);
  const found = find(first);
  if (isClean(found)) return overwritten(first) ?? proven(proof, twinned, note);
  if (found.forged.length > 0 || isSameTree(proof)) return suspect(proof, first, { find, note });
  // That edited tests differ needs no second look.
  const settled = changesTests(proof) ? { run: first, found } : await twoOfThree(first, () => tree.run([], twinned), find);
  if (isClean(settled.found)) return proven(proof, twinned, note);
  const files = await explain(proof, async (putBack) => isClean(find(await tree.run(putBack, twinned))));
  if (files !== undefined) return differs(files, "tests of the base fail", settled.found.lost);
  return suspect(proof, first, { find, note });
}

/** Compares a run that deviates with the same twins on the base, and repeats it; undefined if other files must get the twins. */
async function suspect(
  proof: ProofByTests,
  first: JudgedRun,
  { find, note }: { readonly find: Find; readonly note?: string | undefined },
): Promise<ProofOutcome | undefined> {
  const { tree } = proof;
  const onBase = find(await tree.runOnBase(first.twinned));
  const counted: Find = (run) => withoutExcused(find(run), onBase);
  const settled = await twoOfThree(first, () => tree.run([], first.twinned), counted);
  if (!isClean(settled.found)) return forged(settled.run, settled.found);
  const unfit = unfitFiles(first, onBase);
  if (unfit.length === 0) return proven(proof, first.twinned, note);
  tree.noteUnfit(unfit);
  return undefined;
}

/** Runs with twins for one runner each: a test that fails ends a chain of commands, or the runner itself. */
async function provenAlone(proof: ProofByTests, before: Proven, runners: readonly FoundRunner[]): Promise<ProofOutcome> {
  let { planted } = before;
  for (const found of runners) {
    const twinned = await proof.tree.plant(found, proof.isPassing);
    if (twinned.length === 0) continue;
    const first = await proof.tree.run([], twinned);
    const isFine = isClean(findForged(first));
    const outcome = isFine ? proven(proof, twinned) : await suspect(proof, first, { find: findForged });
    if (outcome !== undefined && outcome.as !== "proven") return outcome;
    if (isFine) planted += proven(proof, twinned).planted;
  }
  if (planted === 0) return before;
  return { as: "proven", commit: before.commit, planted };
}

/**
 * Settings and scripts that the change edits, and tests that share a process with others, must leave twins as they are, though no test of the
 * base needs them: else a later change would pass whatever it does. Undefined if they do.
 */
async function provenInOwnTree(proof: ProofByTests, { planted }: Proven, last: FoundRunner): Promise<ProofOutcome | undefined> {
  const { change, tree, isPassing } = proof;
  const isShared = last.runner.sharesProcess(last.words);
  const mayDisarm =
    change.judges.some((path) => !isTestPath(path)) || (isShared && [...change.judges, ...change.additions].some(isTestPath));
  if (planted === 0 || !mayDisarm) return undefined;
  const twinned = await tree.plant(last, isPassing);
  const isForged = async (putBack: readonly string[]) => !isClean(findForged(await tree.run(putBack, twinned)));
  const all = [...change.judges, ...change.additions];
  if (!(await isForged(all)) || !(await isForged(all))) return undefined;
  return differs(await halve(proof, all, isForged), "planted tests fail as they must only");
}
