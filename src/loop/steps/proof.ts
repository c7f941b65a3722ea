import type { FoundRunner, Remark, TwinnedFile } from "@loopdash/test-evidence";
import {
  type ExpectedPasses,
  findingsIn,
  findNeeded,
  forgeryWords,
  isClean,
  isTestPath,
  type ProofFindings,
  RUNNERS,
  unfitFiles,
  withoutExcused,
} from "@loopdash/test-evidence";
import type { Check } from "../../domain/batch/step-spec.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { firstFewLine } from "../../domain/values/text.ts";
import type { JudgedRun, JudgesTree, StartedRun } from "./judges-tree.ts";
import type { SortedChange } from "./sort-change.ts";
import type { Built } from "./step.ts";

/** The outcome of a deep proof. */
export type ProofOutcome =
  | Proven
  /** Tests come out differently with and without these files, which are no code under test. */
  | { readonly as: "differs"; readonly files: readonly string[]; readonly finding: Remark }
  /** A test that must fail did not, or tests of the base fail and no file of the judge explains it. */
  | { readonly as: "forged"; readonly finding: Remark }
  /** The tree could not be prepared, or not be searched. */
  | { readonly as: "broken"; readonly evidence: Evidence };

/** The results are honest. `planted`: twins that came out as they must; `note` says why there were none, or what was not compared. */
interface Proven {
  readonly as: "proven";
  readonly commit: string;
  readonly planted: number;
  readonly note?: string;
  /** What is to be said of the change's new tests. */
  readonly newTests?: string;
}

/** A candidate's sorted change and its judge's tree. */
export interface Proof {
  readonly step: Check;
  readonly candidate: Built;
  readonly change: SortedChange;
  readonly tree: JudgesTree;
  /** The first run, if it was started beside the check. */
  readonly started?: StartedRun | undefined;
}

/** What is wrong with a run. */
export type Find = (run: JudgedRun) => ProofFindings;

/** Runs of one proof, at most. */
const MOST_RUNS = 12;
/** Runners of one command that get twins. */
const MOST_RUNNERS = 3;

/** True if the judge's tree has all that the candidate has. */
export function isSameTree({ change: { judges, additions } }: Proof): boolean {
  return judges.length + additions.length === 0;
}

/** The runners that get twins, in the order of the command. */
export function runnersIn({ change }: Proof): readonly FoundRunner[] {
  const found = change.runners.slice(0, MOST_RUNNERS);
  return found.flatMap(({ name, words }) => RUNNERS.filter((each) => each.name === name).map((runner) => ({ runner, words })));
}

/**
 * The runner whose tests get twins in the first run; undefined if it has none. Without a report, a run without twins comes first, unless the
 * judge's tree is the candidate's.
 */
export function firstPlanted(proof: Proof): FoundRunner | undefined {
  const runners = proof.step.canary === "off" ? [] : runnersIn(proof);
  if (proof.step.report === undefined) return isSameTree(proof) ? runners[0] : undefined;
  // Behind a failing test no other runner of a chain would run.
  const last = runners.at(-1);
  return last === undefined || last.runner.stopsEarly(last.words) ? undefined : last;
}

/** The twins of a proof's n-th run with some, from 0 on: for the first, those of the run that was started, if it has any. */
export async function plantedTwins(
  { started, tree }: Proof,
  { found, isPassing, n }: { readonly found: FoundRunner; readonly isPassing: (name: string) => boolean; readonly n: number },
): Promise<readonly TwinnedFile[]> {
  return n === 0 && started !== undefined && started.twinned.length > 0 ? started.twinned : tree.plant(found, isPassing);
}

/** The first run with these twins: the one that was started, if they are its own. */
export function firstRun({ started, tree }: Proof, twinned: readonly TwinnedFile[]): Promise<JudgedRun> {
  const isStarted = started?.twinned === twinned || (started?.twinned.length === 0 && twinned.length === 0);
  return started !== undefined && isStarted ? started.take() : tree.run([], twinned);
}

export function proven({ candidate }: Proof, twinned: readonly TwinnedFile[], note?: string): Proven {
  const planted = twinned.reduce((sum, { twins }) => sum + twins.length, 0);
  return { as: "proven", commit: candidate.commit, planted, note };
}

/** The run that decides, of two or three, and what is found in it: a test may fail once for other reasons. */
export async function twoOfThree(
  first: JudgedRun,
  again: () => Promise<JudgedRun>,
  find: Find,
): Promise<{ readonly run: JudgedRun; readonly found: ProofFindings }> {
  let run = first;
  for (let [n, failed] = [1, 0]; ; n += 1) {
    const found = find(run);
    if (!isClean(found)) failed += 1;
    if (failed === 2 || n - failed === 2 || (n === 1 && failed === 0)) return { run, found };
    run = await again();
  }
}

/** True if edited tests of the base are a reason to expect that it comes out differently. */
export function changesTests({ change }: Proof): boolean {
  return change.judges.some(isTestPath);
}

/**
 * The files of the judge by which something holds: it does with all of them, and not without any. Undefined if it does not hold with
 * all. `hasAdditions` is false if additions explain nothing.
 */
export async function explain(
  proof: Proof,
  holds: (putBack: readonly string[]) => Promise<boolean>,
  { hasAdditions = true } = {},
): Promise<readonly string[] | undefined> {
  const { judges, additions } = proof.change;
  // Edited tests explain most.
  const ordered = [...judges.filter(isTestPath), ...judges.filter((path) => !isTestPath(path))];
  if (ordered.length > 0 && (await holds(ordered))) return halve(proof, ordered, holds);
  const all = [...ordered, ...additions];
  if (!hasAdditions || additions.length === 0 || !(await holds(all))) return undefined;
  return halve(proof, all, holds);
}

/** The files of these by which something holds, with as many runs as are left. */
export function halve(
  { tree }: Proof,
  files: readonly string[],
  holds: (putBack: readonly string[]) => Promise<boolean>,
): Promise<readonly string[]> {
  return findNeeded(files, holds, Math.max(0, MOST_RUNS - tree.runs));
}

export function differs(files: readonly string[], what: string, ids: readonly string[] = []): ProofOutcome {
  return { as: "differs", files, finding: { says: `${what} without what the change does to ${firstFewLine(files, 4)}`, ids } };
}

/** Deviations that code under test decided. A tree that could not be prepared has none. */
export function forged(run: JudgedRun, { forged: twins, lost }: ProofFindings): ProofOutcome {
  if (run.evidence !== undefined) return { as: "broken", evidence: run.evidence };
  if (twins.length === 0) {
    const says = "the results are forged: the base's tests pass with the change's own files, and fail with the base's";
    return { as: "forged", finding: { says, ids: lost } };
  }
  const isSure = twins.some(({ got }) => got === "passed" || got === "exit-0");
  const what = isSure ? "a planted test that must fail did not" : "planted tests were not reported as they must be";
  return { as: "forged", finding: { says: `the results are forged: ${what}`, ids: forgeryWords(twins) } };
}

/** The finding against a command that changes files that its result depends on, in the judge's tree alone; undefined if it does not. */
export function overwritten({ overwritten: paths }: JudgedRun): ProofOutcome | undefined {
  if (paths.length === 0) return undefined;
  const says = "the command changed files that its result depends on, in the judge's tree alone";
  return { as: "forged", finding: { says, ids: paths } };
}

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
