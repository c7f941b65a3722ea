import { type StepSpec, wantedExitCode } from "../../domain/batch/step-spec.ts";
import type { Remark } from "../../domain/evidence/compare.ts";
import type { TestResult } from "../../domain/evidence/results.ts";
import { isTestPath } from "../../domain/evidence/sealed-paths.ts";
import { findNeeded } from "../../domain/proof/find-needed.ts";
import {
  type ExpectedPasses,
  expectedPasses,
  findingsIn,
  forgeryWords,
  isClean,
  type ProofFindings,
  passingNames,
  unfitFiles,
  withoutExcused,
} from "../../domain/proof/findings.ts";
import type { JudgeAllowance } from "../../domain/proof/permission.ts";
import type { TwinnedFile } from "../../domain/proof/twin.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import type { Origin } from "../../domain/run/landings.ts";
import { type FoundRunner, RUNNERS } from "../../domain/test-canary/find-runner.ts";
import { firstFewLine } from "../../domain/values/first-few.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { StepScope } from "../programs/scope.ts";
import { baseResults } from "./base-results.ts";
import { type JudgedRun, JudgesTree } from "./judges-tree.ts";
import type { Built } from "./landing.ts";
import { type SortedChange, sortChange } from "./sort-change.ts";
import { unsearched } from "./static-findings.ts";
import type { StepContext } from "./step.ts";

type Check = Extract<StepSpec, { step: "check" }>;

/** The outcome of a deep proof. */
export type ProofOutcome =
  /** The results are honest. `planted`: twins that came out as they must; `note` says why there were none, or what was not compared. */
  | { readonly as: "proven"; readonly commit: string; readonly planted: number; readonly note?: string }
  /** Tests come out differently with and without these files, which are no code under test. */
  | { readonly as: "differs"; readonly files: readonly string[]; readonly finding: Remark }
  /** A test that must fail did not, or tests of the base fail and no file of the judge explains it. */
  | { readonly as: "forged"; readonly finding: Remark }
  /** The tree could not be prepared, or not be searched. */
  | { readonly as: "broken"; readonly evidence: Evidence };

/** A candidate, and the base in which its code must prove itself. */
export interface ToProve {
  readonly step: Check;
  readonly candidate: Built;
  readonly origin: Origin;
  /** What the candidate's own ticket may change of what judges. */
  readonly allow: JudgeAllowance;
  /** Tests that must pass though the base fails them. */
  readonly fixes?: readonly string[];
}

/** Runs of one proof, at most. */
const MOST_RUNS = 12;
/** Choices of files for twins, at most: those that come out wrong on the base too are left out of the next one. */
const MOST_ROUNDS = 3;
/** Runners of one command that get twins. */
const MOST_RUNNERS = 3;

/**
 * Shows that the results of a tree are honest (adversary cases G1 to G3, G6): the command runs in the judge's tree, which is the trusted
 * base with the candidate's code under test alone, and with twins of passing tests that must fail. One run if all is well. What
 * deviates is repeated, compared with the same twins on the trusted base, and traced to the files of the judge that explain it.
 */
export async function deepProof(ctx: StepContext, scope: StepScope, repo: Repo, toProve: ToProve): Promise<ProofOutcome> {
  const { step, candidate, origin, allow, fixes = [] } = toProve;
  const [before, own] = step.report === undefined ? [] : await resultsOf(ctx, scope, repo, toProve);
  const isRed = before?.some(({ outcome }) => outcome === "failed") ?? false;
  const sorted = await sortChange(ctx, repo, { step, candidate, origin, allow, isRed });
  if (!sorted.ok) return broken(step, unsearched("the change", sorted.problem).says);
  const change = sorted.value;
  const tree = new JudgesTree(ctx, scope, repo, { step, candidate, first: origin.first, change, originTests: before ?? [] });
  if (step.report === undefined) return new ProofByExitCode({ step, candidate, change, tree }).prove();
  if (before === undefined) return { as: "proven", commit: candidate.commit, planted: 0, note: "the base has no tests" };
  if (own === undefined) return broken(step, "the candidate's own results could not be measured");
  const expected = expectedPasses(before, own, fixes);
  return new ProofByTests({ step, candidate, change, tree, expected, isPassing: passingNames(expected, own, before) }).prove();
}

/** The results of the origin and of the candidate; undefined where there are none. */
async function resultsOf(
  ctx: StepContext,
  scope: StepScope,
  repo: Repo,
  { step, origin, candidate }: ToProve,
): Promise<readonly [readonly TestResult[] | undefined, readonly TestResult[] | undefined]> {
  const [before, own] = await Promise.all(
    [origin.first, candidate.commit].map((commit) => baseResults(ctx, scope, repo, { step, commit })),
  );
  return [before?.as === "tests" ? before.run.tests : undefined, own?.as === "tests" ? own.run.tests : undefined];
}

function broken({ name }: Check, summary: string): ProofOutcome {
  return { as: "broken", evidence: { step: "check", name, summary, detail: "" } };
}

/** A candidate's sorted change and its judge's tree. */
interface Proof {
  readonly step: Check;
  readonly candidate: Built;
  readonly change: SortedChange;
  readonly tree: JudgesTree;
}

type Find = (run: JudgedRun) => ProofFindings;

/** What proofs by reports and by exit codes have in common. */
abstract class ProofOf<T extends Proof> {
  protected readonly proof: T;

  constructor(proof: T) {
    this.proof = proof;
  }

  /** True if the judge's tree holds what the candidate holds. */
  protected get isSame(): boolean {
    const { judges, additions } = this.proof.change;
    return judges.length + additions.length === 0;
  }

  protected get runners(): readonly FoundRunner[] {
    const found = this.proof.change.runners.slice(0, MOST_RUNNERS);
    return found.flatMap(({ name, words }) => RUNNERS.filter((each) => each.name === name).map((runner) => ({ runner, words })));
  }

  protected proven(run: Pick<JudgedRun, "twinned">, note?: string): ProofOutcome {
    const planted = run.twinned.reduce((sum, { twins }) => sum + twins.length, 0);
    return { as: "proven", commit: this.proof.candidate.commit, planted, ...(note !== undefined && { note }) };
  }

  /** The run that decides, of two or three, and what is found in it: a test may fail once for other reasons. */
  protected async twoOfThree(
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

  /** The files of the judge by which something holds: all of them do, and none does not. Undefined if it does not hold with all. */
  protected async explain(
    holds: (putBack: readonly string[]) => Promise<boolean>,
    { hasAdditions }: { readonly hasAdditions: boolean },
  ): Promise<readonly string[] | undefined> {
    const { judges, additions } = this.proof.change;
    // Edited tests explain most.
    const ordered = [...judges.filter(isTestPath), ...judges.filter((path) => !isTestPath(path))];
    const most = () => Math.max(0, MOST_RUNS - this.proof.tree.runs);
    if (ordered.length > 0 && (await holds(ordered))) return findNeeded(ordered, holds, most());
    const all = [...ordered, ...additions];
    if (!hasAdditions || additions.length === 0 || !(await holds(all))) return undefined;
    return findNeeded(all, holds, most());
  }

  protected differs(files: readonly string[], what: string, ids: readonly string[]): ProofOutcome {
    return { as: "differs", files, finding: { says: `${what} without what the change does to ${firstFewLine(files, 4)}`, ids } };
  }

  /** Deviations that code under test decided. A tree that could not be prepared has none. */
  protected forged(run: JudgedRun, { forged, lost }: ProofFindings): ProofOutcome {
    if (run.evidence !== undefined) return { as: "broken", evidence: run.evidence };
    if (forged.length > 0) {
      const isSure = forged.some(({ got }) => got === "passed" || got === "exit-0");
      const what = isSure ? "a planted test that must fail did not" : "planted tests were not reported as they must be";
      return { as: "forged", finding: { says: `the results are forged: ${what}`, ids: forgeryWords(forged) } };
    }
    const says = "the results are forged: tests of the base that passed fail in the base's own tests and settings";
    return { as: "forged", finding: { says, ids: lost } };
  }

  protected overwritten({ overwritten }: JudgedRun): ProofOutcome | undefined {
    if (overwritten.length === 0) return undefined;
    const says = "the command changed files that its result depends on, in the judge's tree alone";
    return { as: "forged", finding: { says, ids: overwritten } };
  }
}

/** Proves a check that reports each test. */
class ProofByTests extends ProofOf<Proof & { readonly expected: ExpectedPasses; readonly isPassing: (name: string) => boolean }> {
  async prove(): Promise<ProofOutcome> {
    const { change, tree, isPassing } = this.proof;
    const last = this.runners.at(-1);
    const isBesides = last !== undefined && !last.runner.stopsEarly(last.words);
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const twinned = last === undefined || this.#isOff ? [] : await tree.plant(last, isPassing);
      const why = last === undefined ? "no known test runner in the command" : "no passing test of the base can be copied";
      const note = this.#isOff ? "switched off" : twinned.length === 0 ? why : undefined;
      const compared = isBesides ? twinned : [];
      const outcome =
        this.isSame && compared.length === 0 ? this.proven({ twinned: [] }, note) : await this.#compare(compared, note);
      if (outcome === undefined) continue;
      if (outcome.as !== "proven") return outcome;
      const alone = [...this.runners.slice(0, -1), ...(last === undefined || isBesides ? [] : [last])];
      const found = (await this.#eachAlone(this.#isOff ? [] : alone, outcome)) ?? outcome;
      if (found.as !== "proven" || change.judges.every(isTestPath)) return found;
      return (await this.#ownTree(found)) ?? found;
    }
    const plain = this.isSame ? this.proven({ twinned: [] }) : await this.#compare([], undefined);
    const note = "planted tests do not come out as they must on the base either";
    return plain === undefined || plain.as === "proven" ? this.proven({ twinned: [] }, note) : plain;
  }

  get #isOff(): boolean {
    return this.proof.step.canary === "off";
  }

  readonly #find: Find = (run) => findingsIn(run, this.proof.expected);

  /** Only what twins say: a runner that is ended by a failure reports a part of the tests. */
  readonly #findForged: Find = (run) => ({ lost: [], forged: findingsIn(run, new Map()).forged });

  /** The outcome of the base's tests in the judge's tree; undefined if other files must get the twins. */
  async #compare(twinned: readonly TwinnedFile[], note: string | undefined): Promise<ProofOutcome | undefined> {
    const { change, tree } = this.proof;
    const first = await tree.run([], twinned);
    const overwritten = this.overwritten(first);
    if (overwritten !== undefined) return overwritten;
    const found = this.#find(first);
    if (isClean(found)) return this.proven(first, note);
    if (found.forged.length === 0 && !this.isSame) {
      // That edited tests differ needs no second look.
      const isExpected = change.judges.some(isTestPath);
      const settled = isExpected ? { run: first, found } : await this.twoOfThree(first, () => tree.run([], twinned), this.#find);
      if (isClean(settled.found)) return this.proven(settled.run, note);
      const files = await this.explain(async (back) => isClean(this.#find(await tree.run(back, twinned))), {
        hasAdditions: true,
      });
      if (files !== undefined) return this.differs(files, "tests of the base fail", settled.found.lost);
    }
    return this.#suspect(first, this.#find, note);
  }

  /** Compares a run that deviates with the same twins on the base, and repeats it. */
  async #suspect(first: JudgedRun, find: Find, note: string | undefined): Promise<ProofOutcome | undefined> {
    const { tree } = this.proof;
    const onBase = find(await tree.runOnBase(first.twinned));
    const counts: Find = (run) => withoutExcused(find(run), onBase);
    const settled = await this.twoOfThree(first, () => tree.run([], first.twinned), counts);
    if (!isClean(settled.found)) return this.forged(settled.run, settled.found);
    const unfit = unfitFiles(first, onBase);
    if (unfit.length === 0) return this.proven(settled.run, note);
    tree.noteUnfit(unfit);
    return undefined;
  }

  /** Runs with twins for one runner each: a test that fails ends a chain of commands, or the runner itself. */
  async #eachAlone(runners: readonly FoundRunner[], before: ProofOutcome & { as: "proven" }): Promise<ProofOutcome | undefined> {
    let { planted } = before;
    for (const found of runners) {
      const twinned = await this.proof.tree.plant(found, this.proof.isPassing);
      if (twinned.length === 0) continue;
      const first = await this.proof.tree.run([], twinned);
      const isFine = isClean(this.#findForged(first));
      const outcome = isFine ? this.proven(first) : await this.#suspect(first, this.#findForged, undefined);
      if (outcome !== undefined && outcome.as !== "proven") return outcome;
      if (isFine) planted += twinned.reduce((sum, { twins }) => sum + twins.length, 0);
    }
    if (planted === before.planted) return undefined;
    return { as: "proven", commit: before.commit, planted };
  }

  /** Settings that the change edits must leave twins as they are, though tests of the base do not need them. */
  async #ownTree({ planted }: ProofOutcome & { as: "proven" }): Promise<ProofOutcome | undefined> {
    const { change, tree, isPassing } = this.proof;
    const last = this.runners.at(-1);
    if (planted === 0 || last === undefined) return undefined;
    const twinned = await tree.plant(last, isPassing);
    const isForged = async (back: readonly string[]) => !isClean(this.#findForged(await tree.run(back, twinned)));
    const all = [...change.judges, ...change.additions];
    if (!(await isForged(all)) || !(await isForged(all))) return undefined;
    const files = await findNeeded(all, isForged, MOST_RUNS - tree.runs);
    return this.differs(files, "planted tests that must fail fail only", []);
  }
}

/** Proves a check that has its exit code alone. */
class ProofByExitCode extends ProofOf<Proof> {
  async prove(): Promise<ProofOutcome> {
    const found = this.isSame ? undefined : await this.#plain();
    if (found !== undefined) return found;
    const { step, tree } = this.proof;
    const last = this.runners.at(-1);
    if (step.canary === "off") return this.proven({ twinned: [] }, "switched off");
    if (wantedExitCode(step) !== 0) return this.proven({ twinned: [] }, "the command must not exit with code 0");
    if (last === undefined) return this.proven({ twinned: [] }, "no known test runner in the command");
    let planted = 0;
    for (const runner of this.runners) {
      const twinned = await tree.plant(runner, () => true);
      if (twinned.length === 0) continue;
      const outcome = await this.#planted(twinned);
      if (outcome.as !== "proven" || outcome.planted === 0) return outcome;
      planted += outcome.planted;
    }
    if (planted > 0) return { as: "proven", commit: this.proof.candidate.commit, planted };
    return this.proven({ twinned: [] }, "no passing test of the base can be copied");
  }

  readonly #find: Find = ({ exitCode }) => ({ lost: exitCode === wantedExitCode(this.proof.step) ? [] : ["exit"], forged: [] });

  readonly #findForged: Find = (run) => ({
    lost: [],
    forged: findingsIn({ ...run, tests: [] }, new Map()).forged.filter(({ got }) => got === "exit-0"),
  });

  /** The command must pass in the judge's tree; undefined if it does, or if it fails on the base without the change, too. */
  async #plain(): Promise<ProofOutcome | undefined> {
    const { change, tree } = this.proof;
    const first = await tree.run([], []);
    if (isClean(this.#find(first))) return this.overwritten(first);
    const isExpected = change.judges.some(isTestPath);
    const settled = isExpected
      ? { run: first, found: this.#find(first) }
      : await this.twoOfThree(first, () => tree.run([], []), this.#find);
    if (isClean(settled.found)) return undefined;
    const isRed = !isClean(this.#find(await tree.runOnBase([])));
    const holds = async (back: readonly string[]) => isClean(this.#find(await tree.run(back, [])));
    const files = await this.explain(holds, { hasAdditions: !isRed });
    if (files !== undefined) return this.differs(files, "the command fails", []);
    if (isRed) return this.proven({ twinned: [] }, "the command fails on the base");
    return settled.run.evidence === undefined
      ? this.forged(settled.run, { forged: [], lost: [] })
      : { as: "broken", evidence: settled.run.evidence };
  }

  async #planted(twinned: readonly TwinnedFile[]): Promise<ProofOutcome> {
    const { change, tree } = this.proof;
    const first = await tree.run([], twinned);
    if (!isClean(this.#findForged(first))) {
      const onBase = this.#findForged(await tree.runOnBase(first.twinned));
      if (!isClean(onBase)) return this.proven({ twinned: [] }, "the command exits with code 0 on the base too");
      const settled = await this.twoOfThree(first, () => tree.run([], twinned), this.#findForged);
      if (!isClean(settled.found)) return this.forged(settled.run, settled.found);
    }
    if (!this.isSame) {
      const all = [...change.judges, ...change.additions];
      const isForged = async (back: readonly string[]) => !isClean(this.#findForged(await tree.run(back, twinned)));
      if ((await isForged(all)) && (await isForged(all)))
        return this.differs(
          await findNeeded(all, isForged, MOST_RUNS - tree.runs),
          "the command fails with planted tests only",
          [],
        );
    }
    if (first.isPrinted) return this.proven(first);
    return this.proven({ twinned: [] }, "the output does not name a planted test that failed");
  }
}
