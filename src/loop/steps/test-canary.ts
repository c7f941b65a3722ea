import { randomInt } from "node:crypto";
import { fileOf } from "../../domain/evidence/loaded-files.ts";
import type { TestResult } from "../../domain/evidence/results.ts";
import { withSuiteNameOf } from "../../domain/evidence/suite-name.ts";
import {
  type Deviates,
  deviationsIn,
  exitDeviation,
  forgedBy,
  hasUnloadedFiles,
  knownApart,
  type PlantedFile,
  type PlantedRun,
  sawFailing,
  shakenTests,
  silentPlaces,
} from "../../domain/test-canary/deviations.ts";
import { type FoundRunner, findRunners } from "../../domain/test-canary/find-runner.ts";
import type { Draw, Sowing } from "../../domain/test-canary/runner.ts";
import type { ChangedPath } from "../../ports/vcs.ts";
import { firstOrigin, ownOrigin } from "./origins.ts";
import type { CanaryOutcome, PassedCheck } from "./passed-check.ts";
import {
  type Choice,
  chooseCommitted,
  choosePlaces,
  Names,
  NothingPlanted,
  type Places,
  plantAt,
  plantingsAt,
  track,
} from "./plant-canary.ts";
import { type Broken, findingOf, type Run, runPlanted, twoOfThree } from "./planted-runs.ts";
import { lostTests, lostTestsFinder, type Stripped, stripTestChanges } from "./recheck-base-tests.ts";
import { checkKey, ONE_IN } from "./test-canaries.ts";

/**
 * A check that took no longer than this on its base, or on any candidate, is always tested, unless the step decides otherwise:
 * code under test must not choose to be slow. Milliseconds.
 */
const SHORT_MS = 60_000;

/** Runners of one command that are tested. */
const MOST_RUNNERS = 3;

const draw: Draw = (n) => (n <= 1 ? 0 : randomInt(n));

/**
 * Runs a passed check once more with planted tests: some must fail, one must pass. Code under test runs in the process that
 * reports, and may forge the report, but it cannot know these tests. If their results are wrong, the same tests are planted in
 * the base, whose code is trusted: a result that is wrong there too comes from the command, and is no forgery.
 */
export async function testCanary(check: PassedCheck): Promise<CanaryOutcome> {
  const why = whyNot(check);
  if (why !== undefined) return { as: "not-run", why };
  const { step, repo, candidate } = check;
  const packageJson = await repo.readFile({ commit: candidate.base, path: "package.json" });
  const runners = findRunners(step.command, packageJson);
  const { paths } = await repo.change({ from: candidate.base, tip: candidate.commit });
  const outcomes: CanaryOutcome[] = [];
  for (const found of runners.slice(0, MOST_RUNNERS)) {
    // A test that must fail ends a chain of commands: later commands get a test of their own.
    const outcome = await new Trial(check, found, paths).run();
    if (outcome.as === "forged" || outcome.as === "broken") return outcome;
    outcomes.push(outcome);
  }
  const [first] = outcomes;
  return outcomes.find(({ as }) => as === "held") ?? first ?? { as: "not-run", why: "no known test runner in the command" };
}

function whyNot({ ctx, repo, step, durationMs, candidate }: PassedCheck): string | undefined {
  const when = step.canary ?? (ctx.testCanaries.shortest(checkKey(repo, step), durationMs) <= SHORT_MS ? "always" : "sampled");
  if (when === "off") return "switched off";
  if (when === "always" || ctx.testCanaries.isSampled(candidate.commit)) return undefined;
  return `only 1 in ${ONE_IN} is tried`;
}

class Trial {
  readonly #check: PassedCheck;
  readonly #found: FoundRunner;
  readonly #changed: readonly string[];
  readonly #added: ReadonlySet<string>;
  /** The change removes test files. */
  readonly #hasMoved: boolean;
  readonly #key: string;
  #places: Places | undefined;
  /** True if the places are in committed files. */
  #isCommitted = false;

  constructor(check: PassedCheck, found: FoundRunner, paths: readonly ChangedPath[]) {
    this.#check = check;
    this.#found = found;
    this.#changed = paths.map(({ path }) => path);
    this.#added = new Set(paths.flatMap(({ path, how }) => (how === "added" ? [path] : [])));
    this.#hasMoved = paths.some(({ path, how }) => how === "deleted" && found.runner.isTestFile(path));
    // Places are excused by this base, and by no other.
    this.#key = `${checkKey(check.repo, check.step)} ${check.candidate.base}`;
  }

  async run(): Promise<CanaryOutcome> {
    const fails = this.#found.runner.stopsEarly(this.#found.words) ? "one" : "many";
    const first = await this.#plant(this.#check.candidate.commit, fails);
    if ("evidence" in first) return { as: "broken", evidence: first.evidence };
    const outcome = await this.#planted(first, fails);
    if (outcome.as === "forged" || outcome.as === "broken" || this.#check.baseTests.length === 0) return outcome;
    return (await this.#recheckAll()) ?? outcome;
  }

  /** Runs the base's tests without the change's edits to tests, and those of the run's first base without its tickets' edits. */
  async #recheckAll(): Promise<CanaryOutcome | undefined> {
    const own = await stripTestChanges(this.#check, this.#found, ownOrigin(this.#check));
    const outcome = await this.#recheckEach(this.#check, own);
    if (outcome !== undefined) return outcome;
    const origin = firstOrigin(this.#check);
    const all = origin === undefined ? [] : await stripTestChanges(this.#check, this.#found, origin);
    const others = all.filter(({ commit }) => !own.some((each) => each.commit === commit));
    if (origin === undefined || others.length === 0) return undefined;
    const baseTests = await this.#check.resultsOn(origin.first);
    if (baseTests === undefined) return undefined;
    const candidate = { ...this.#check.candidate, base: origin.first };
    const tests = this.#named(this.#check.tests, baseTests);
    return this.#recheckEach({ ...this.#check, candidate, tests, baseTests }, others);
  }

  async #recheckEach(check: PassedCheck, each: readonly Stripped[]): Promise<CanaryOutcome | undefined> {
    for (const stripped of each) {
      const outcome = await this.#recheck(check, stripped);
      if (outcome !== undefined) return outcome;
    }
    return undefined;
  }

  /** Runs the tests of a base without later edits to tests, and with planted ones; undefined if all is well. */
  async #recheck(check: PassedCheck, stripped: Stripped): Promise<CanaryOutcome | undefined> {
    const isWhole = stripped.base === check.candidate.base;
    // A run that reports nothing would lose nothing: only edited files have tests.
    if (!isWhole && lostTests(check, stripped, { tests: [], files: [] }).length === 0) return undefined;
    const candidate = { ...check.candidate, commit: stripped.commit, base: stripped.base };
    const kept = stripped.paths.filter(({ path, how }) => how !== "added" && stripped.edited.get(path)?.isLeftOut !== true);
    const trial = new Trial({ ...check, candidate }, this.#found, kept);
    const find = lostTestsFinder(check, stripped, () => trial.#plantOrRun(stripped.base));
    const settled = await twoOfThree(() => trial.#plantOrRun(stripped.commit), find);
    if ("evidence" in settled) {
      const isExcused = !isWhole && "evidence" in (await trial.#plantOrRun(stripped.base));
      return isExcused ? undefined : { as: "broken", evidence: settled.evidence };
    }
    const { run, found: ids } = settled;
    const says = `tests of the base fail without ${stripped.what}`;
    if (ids.length > 0) return { as: "forged", finding: { says, ids } };
    if (run.files.length === 0) return undefined;
    const outcome = await trial.#planted(run, "new");
    return outcome.as === "forged" || outcome.as === "broken" ? outcome : undefined;
  }

  /** One run with planted tests. Without any if the command stops at the first failure, or there is no place to plant. */
  async #plantOrRun(commit: string): Promise<Run | Broken> {
    if (!this.#found.runner.stopsEarly(this.#found.words)) {
      const planted = await this.#plant(commit, "new");
      if ("evidence" in planted || planted.files.length > 0) return planted;
    }
    const judged = await runPlanted(this.#check, { commit, log: `check-${this.#check.step.name}-canary-alone` });
    if (!judged.ok) return { evidence: judged.evidence };
    const tests = judged.reading?.ok === true ? this.#named(judged.reading.tests) : undefined;
    return { files: [], exitCode: undefined, tests, output: judged.result.tail, printed: false };
  }

  /** The outcome of the planted tests. */
  async #planted(first: Run, fails: Sowing["fails"]): Promise<CanaryOutcome> {
    const { step } = this.#check;
    if (first.files.length === 0) return { as: "not-run", why: `no file of tests for ${this.#found.runner.name} to plant in` };
    const deviates = step.report === undefined ? ({ exitCode }: PlantedRun) => exitDeviation(exitCode) : deviationsIn;
    if (deviates(first).length === 0 && this.#shaken(first).length === 0)
      return step.report === undefined && !first.printed ? this.#passing() : { as: "held" };
    return this.#compare(first, deviates, fails);
  }

  /** The output does not show that the planted test failed: then a passing one must pass. */
  async #passing(): Promise<CanaryOutcome> {
    const alone = await this.#plant(this.#check.candidate.commit, "none");
    if ("evidence" in alone) return { as: "broken", evidence: alone.evidence };
    if (alone.exitCode === 0) return { as: "held" };
    return { as: "not-run", why: "the command fails with a planted test that must pass, too" };
  }

  async #compare(first: Run, deviates: Deviates, fails: Sowing["fails"]): Promise<CanaryOutcome> {
    const { ctx, candidate, step } = this.#check;
    const base = await this.#plant(candidate.base, fails);
    if ("evidence" in base) return { as: "not-run", why: "the base could not be prepared to compare with" };
    ctx.testCanaries.excuse(this.#key, silentPlaces(base, deviates));
    const hasMoved = this.#hasMoved;
    const bad = forgedBy({ candidate: first, base, hasMoved }, deviates);
    // Nothing innocent makes a failing test pass.
    const sure = bad.some(({ got }) => got === "passed");
    const counts = sure || step.report === undefined || sawFailing(base) || sawFailing(first) || hasUnloadedFiles(base);
    if (bad.length === 0 || !counts) return this.#shakenBesides(first, base, fails, counts);
    if (sure) return { as: "forged", finding: findingOf(bad) };
    // Other causes of absent tests do not occur in most runs.
    const find = (run: Run) => forgedBy({ candidate: run, base, hasMoved }, deviates);
    const settled = await twoOfThree(() => this.#plant(candidate.commit, fails), find, first);
    if ("evidence" in settled) return { as: "broken", evidence: settled.evidence };
    if (settled.found.length === 0) return { as: "held" };
    return { as: "forged", finding: findingOf(settled.found) };
  }

  #shaken(run: PlantedRun): readonly string[] {
    return shakenTests(run, this.#check);
  }

  /** The outcome for the base's results: forged if tests of the base fail beside planted ones, twice, and do not there. */
  async #shakenBesides(first: Run, base: Run, fails: Sowing["fails"], counts: boolean): Promise<CanaryOutcome> {
    const { step, candidate } = this.#check;
    const there = new Set(this.#shaken(base));
    const find = (run: Run) => this.#shaken(run).filter((id) => !there.has(id));
    const settled = await twoOfThree(() => this.#plant(candidate.commit, fails), find, first);
    if ("evidence" in settled) return { as: "broken", evidence: settled.evidence };
    const { found: ids } = settled;
    const says = "the results are forged: tests of the base fail where planted tests stand beside them";
    if (ids.length > 0) return { as: "forged", finding: { says, ids } };
    return counts && (step.report === undefined ? first.exitCode !== 0 : sawFailing(first))
      ? { as: "held" }
      : { as: "not-run", why: "planted tests do not come out as they must on the base either" };
  }

  /** Runs the check's command on a commit with tests planted. The first run chooses the places. */
  async #plant(commit: string, fails: Sowing["fails"]): Promise<Run | Broken> {
    const { repo, step, candidate } = this.#check;
    const lines = new Names();
    const choice = this.#choice({ draw, fails }, await repo.files(commit));
    const derived = await this.#derive(commit, choice);
    let files: readonly PlantedFile[] = derived?.files ?? [];
    lines.seek(files);
    const running = runPlanted(this.#check, {
      commit: derived?.commit ?? commit,
      log: `check-${step.name}-canary${commit === candidate.base ? "-base" : ""}`,
      output: { onLine: lines.onLine },
      plant: async (checkout) => {
        if (derived !== undefined) return;
        this.#places ??= await choosePlaces(checkout, choice);
        files = await plantAt(checkout, this.#places, choice);
        // All test files are the candidate's own.
        if (files.length === 0) files = await plantAt(checkout, await choosePlaces(checkout, choice), choice);
        files = files.map((file) => knownApart(file, this.#check.tests));
        lines.seek(files);
        if (files.length === 0) throw new NothingPlanted();
        const planted = files.map(({ path }) => path);
        await track(this.#check, checkout, planted);
      },
    });
    const judged = await running.catch((error: unknown) => {
      if (!(error instanceof NothingPlanted)) throw error;
      return undefined;
    });
    if (judged === undefined) return { files: [], exitCode: undefined, tests: undefined, output: "", printed: false };
    if (!judged.ok) return { evidence: judged.evidence };
    const { result, reading } = judged;
    const exitCode = result.ending === "exited" ? (result.exitCode ?? undefined) : undefined;
    const tests = reading?.ok === true ? this.#named(reading.tests) : undefined;
    return { files, exitCode, tests, output: result.tail, printed: lines.found };
  }

  /**
   * A commit like this one with tests planted, checked out as any other: nothing that git keeps reveals it to code under test.
   * Undefined if the tests must go into files that no commit has.
   */
  async #derive(commit: string, choice: Choice) {
    const { repo } = this.#check;
    if (this.#places === undefined) {
      const places = await chooseCommitted(repo, commit, choice);
      if (places === undefined) return undefined;
      this.#isCommitted = true;
      this.#places = places;
    }
    if (!this.#isCommitted) return undefined;
    const plant = async (places: Places) => {
      const texts = await repo.readFiles({ commit, paths: places.hosts });
      return plantingsAt(texts, places, choice).map((file) => knownApart(file, this.#check.tests));
    };
    let files = await plant(this.#places);
    // All test files are the candidate's own.
    if (files.length === 0) files = await plant((await chooseCommitted(repo, commit, choice)) ?? { hosts: [], fresh: false });
    if (files.length === 0) return undefined;
    return { files, commit: await repo.deriveCommit({ commit, files, without: [] }) };
  }

  #choice(sowing: Sowing, committed: readonly string[]): Choice {
    const { ctx } = this.#check;
    return {
      found: this.#found,
      committed,
      changed: this.#changed,
      added: this.#added,
      excused: ctx.testCanaries.excused(this.#key),
      first: this.#check.loads.flatMap((id) => fileOf(id)?.path ?? []),
      sowing,
    };
  }

  /** Settings may name the suite in which all tests lie. */
  #named(tests: readonly TestResult[], base = this.#check.baseTests): readonly TestResult[] {
    return this.#found.runner.name === "pytest" ? withSuiteNameOf(base, tests) : tests;
  }
}
