import type { StepSpec } from "../../domain/batch/step-spec.ts";
import type { Remark } from "../../domain/evidence/compare.ts";
import { isTestPath } from "../../domain/evidence/sealed-paths.ts";
import { findNeeded } from "../../domain/proof/find-needed.ts";
import type { FoundRunner } from "../../domain/proof/find-runner.ts";
import { forgeryWords, isClean, type ProofFindings } from "../../domain/proof/findings.ts";
import { RUNNERS } from "../../domain/proof/runners.ts";
import type { TwinnedFile } from "../../domain/proof/twin.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { firstFewLine } from "../../domain/values/first-few.ts";
import type { JudgedRun, JudgesTree, StartedRun } from "./judges-tree.ts";
import type { Built } from "./landing.ts";
import type { SortedChange } from "./sort-change.ts";

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
export interface Proven {
  readonly as: "proven";
  readonly commit: string;
  readonly planted: number;
  readonly note?: string;
  /** What is to be said of the change's new tests. */
  readonly newTests?: string;
}

/** A candidate's sorted change and its judge's tree. */
export interface Proof {
  readonly step: Extract<StepSpec, { step: "check" }>;
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
  return { as: "proven", commit: candidate.commit, planted, ...(note !== undefined && { note }) };
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
