import { randomInt } from "node:crypto";
import type { Draw, FoundRunner, ProofRun, TestResult, TwinnedFile } from "@loopdash/test-evidence";
import { alignSuiteName, commandTestFiles, filesLoading, twinsFor } from "@loopdash/test-evidence";
import type { Check } from "../../domain/batch/step-spec.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import type { Repo } from "../../ports/vcs.ts";
import { runOnCommit } from "../programs/run-on-commit.ts";
import { besideMarker, type StepFact, type StepScope } from "../programs/scope.ts";
import type { SortedChange } from "./sort-change.ts";
import type { Built, StepContext } from "./step.ts";

/** A run in a tree of the judge. */
export interface JudgedRun extends ProofRun {
  /** True if the output has the name of a twin that must fail. */
  readonly isPrinted: boolean;
  /** Files that its result depends on and that it changed. */
  readonly overwritten: readonly string[];
  /** Why the tree could not be prepared. */
  readonly evidence?: Evidence;
}

/** A run that was started before its proof, and the twins in it. */
export interface StartedRun {
  readonly twinned: readonly TwinnedFile[];
  /** Settles once the run has ended, however. */
  readonly ended: Promise<void>;
  /** Shows the run as what the check does now, and gives its result. */
  take(): Promise<JudgedRun>;
  /** Ends the run if it is under way. */
  stop(): Promise<void>;
}

/** What a tree of the judge is made of. */
export interface JudgesTreeOptions {
  readonly step: Check;
  readonly candidate: Built;
  readonly first: string;
  readonly change: SortedChange;
  readonly originTests: readonly TestResult[];
}

/**
 * The judge's tree: the trusted base with the candidate's code under test, as a commit like the candidate. Nothing that git keeps
 * tells it from one.
 */
export class JudgesTree {
  readonly #ctx: StepContext;
  readonly #scope: StepScope;
  readonly #repo: Repo;
  readonly #options: JudgesTreeOptions;
  /** The runs so far. */
  runs = 0;

  constructor(ctx: StepContext, scope: StepScope, repo: Repo, options: JudgesTreeOptions) {
    this.#ctx = ctx;
    this.#scope = scope;
    this.#repo = repo;
    this.#options = options;
  }

  /** Starts the first run while the check of the candidate is what the screen shows. */
  start(twinned: readonly TwinnedFile[]): StartedRun {
    const stopped = new AbortController();
    const { announce, marker, signal, train } = this.#scope;
    const scope: StepScope = {
      ...this.#scope,
      marker: besideMarker(marker, "proof"),
      signal: AbortSignal.any([signal, stopped.signal]),
      announce: (fact) => fact.type === "step-part-started" || announce(fact),
      ...(train && { train: { ...train, announceToOthers: () => undefined } }),
    };
    const run = this.#runWith([], twinned, scope);
    // Whoever takes the run gets its error.
    const ended = run.then(
      () => undefined,
      () => undefined,
    );
    return {
      twinned,
      ended,
      take: () => {
        const fact: StepFact = { type: "step-part-started", part: "proof, run 1: running", train: train?.tickets };
        announce(fact);
        train?.announceToOthers(fact);
        return run;
      },
      stop: () => {
        stopped.abort();
        return ended;
      },
    };
  }

  /** Twins for the tree: in files of the base, and in tests that lie in code under test. */
  async plant(found: FoundRunner, isPassing: (name: string) => boolean): Promise<readonly TwinnedFile[]> {
    const { change, candidate } = this.#options;
    const unfit = this.#ctx.proofs.unfit(this.#key);
    const isOwn = new Set(change.code);
    const paths = change.files.filter((path) => !unfit.has(path));
    const read = async (some: readonly string[]) => {
      const own = await this.#repo.readFiles({ commit: candidate.commit, paths: some.filter((path) => isOwn.has(path)) });
      return new Map([...(await change.trusted.texts(some.filter((path) => !isOwn.has(path)))), ...own]);
    };
    return plantTwins({ found, paths, code: change.code, isPassing, read });
  }

  noteUnfit(paths: readonly string[]): void {
    this.#ctx.proofs.noteUnfit(this.#key, paths);
  }

  /** Runs the command in the judge's tree with some of the candidate's other files put back. */
  run(putBack: readonly string[], twinned: readonly TwinnedFile[]): Promise<JudgedRun> {
    return this.#runWith(putBack, twinned, this.#scope);
  }

  async #runWith(putBack: readonly string[], twinned: readonly TwinnedFile[], scope: StepScope): Promise<JudgedRun> {
    const { change, candidate } = this.#options;
    const back = new Set(putBack);
    const others = [...change.judges, ...change.additions, ...change.inert].filter((path) => !back.has(path));
    const files = twinned.filter(({ path }) => !back.has(path));
    const commit =
      others.length + files.length === 0
        ? candidate.commit
        : await this.#repo.deriveCommit({
            commit: candidate.commit,
            files,
            without: [],
            restored: change.trusted.byCommit(others),
          });
    return this.#run(commit, files, { log: "", scope });
  }

  /** Runs the command on the trusted base. */
  async runOnBase(twinned: readonly TwinnedFile[]): Promise<JudgedRun> {
    const isOwn = new Set(this.#options.change.code);
    const files = twinned.filter(({ path }) => !isOwn.has(path));
    return this.#run(await this.#trusted(files), files, { log: "-base", scope: this.#scope });
  }

  async #trusted(files: readonly TwinnedFile[]): Promise<string> {
    const { change, first } = this.#options;
    const restored = change.trusted.byCommit(change.trusted.touched).filter(({ commit }) => commit !== first);
    if (files.length + restored.length === 0) return first;
    return this.#repo.deriveCommit({ commit: first, files, without: [], restored });
  }

  async #run(
    commit: string,
    twinned: readonly TwinnedFile[],
    { log, scope }: { readonly log: string; readonly scope: StepScope },
  ): Promise<JudgedRun> {
    const { step, first, originTests, change } = this.#options;
    this.runs += 1;
    const names = twinned.flatMap(({ twins }) => twins.map(({ fails }) => fails));
    let isPrinted = false;
    const ran = await runOnCommit(this.#ctx, scope, this.#repo, {
      step,
      commit,
      attributesOf: first,
      log: `check-${step.name}-proof${log}`,
      part: `proof, run ${this.runs}`,
      purpose: "proof",
      output: {
        onLine: (line) => {
          isPrinted ||= names.some((name) => line.includes(name));
        },
      },
    });
    if (!ran.ok) return { twinned, exitCode: undefined, tests: undefined, isPrinted, overwritten: [], evidence: ran.evidence };
    const { result, reading, overwritten } = ran;
    const exitCode = result.ending === "exited" ? (result.exitCode ?? undefined) : undefined;
    const isPytest = change.runners.some(({ name }) => name === "pytest");
    const tests = reading?.ok === true ? (isPytest ? alignSuiteName(originTests, reading.tests) : reading.tests) : undefined;
    return { twinned, exitCode, tests, isPrinted, overwritten };
  }

  get #key(): string {
    const { step, first } = this.#options;
    return JSON.stringify([this.#repo.id, step.name, step.command, first]);
  }
}

/** Test files that are read, those that get twins, and twins of one. */
const MOST_READ = 1_000;
const MOST_FILES = 40;
const MOST_TWINS = 3;
/** Changed paths that are searched for in test files. */
const MOST_CHANGED = 200;
/** The longest test file that gets twins. Characters. */
const MOST_CHARS = 500_000;

const draw: Draw = (n) => (n <= 1 ? 0 : randomInt(n));

/** Where twins may be planted. */
interface Planting {
  readonly found: FoundRunner;
  /** The paths of the tree's files that may get some. */
  readonly paths: readonly string[];
  /** The changed code: tests that load it come first. */
  readonly code: readonly string[];
  readonly isPassing: (name: string) => boolean;
  readonly read: (paths: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** Files of a tree with twins of passing tests in them. A command that stops at the first failure gets one twin. */
async function plantTwins({ found, paths, code, isPassing, read }: Planting): Promise<readonly TwinnedFile[]> {
  const { runner, words } = found;
  const candidates = shuffled(commandTestFiles(found, paths)).slice(0, MOST_READ);
  const texts = [...(await read(candidates))].filter(([, text]) => text.length <= MOST_CHARS);
  const changed = code.slice(0, MOST_CHANGED);
  const loading = new Set(filesLoading(new Map(texts), changed));
  const rank = (path: string) => (loading.has(path) ? 0 : 1);
  const isOne = runner.stopsEarly(words);
  const twinned: TwinnedFile[] = [];
  for (const [path, text] of texts.toSorted(([a], [b]) => rank(a) - rank(b))) {
    if (twinned.length >= (isOne ? 1 : MOST_FILES)) break;
    const options = { draw, isPassing, most: isOne ? 1 : MOST_TWINS, isFirst: twinned.length === 0 };
    const file = twinsFor(runner.name, { path, text }, options);
    if (file !== undefined) twinned.push(file);
  }
  return twinned;
}

function shuffled<T>(list: readonly T[]): readonly T[] {
  const byChance = list.map((each) => ({ each, chance: randomInt(2 ** 30) }));
  return byChance.toSorted((a, b) => a.chance - b.chance).map(({ each }) => each);
}
