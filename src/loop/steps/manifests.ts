import type { TestRun } from "@loopdash/test-evidence";
import { flakyAmong } from "@loopdash/triage";
import { orAborted } from "../../domain/values/or-aborted.ts";
import type { CheckResults, FoundRun } from "../../ports/check-results.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ExecResult } from "../../ports/executor.ts";

/** A run of a check's command with its duration, in milliseconds. */
export type TimedRun = TestRun & { readonly durationMs?: number };

/**
 * The result of a check's command on a base: tests, none at all, or an unreadable result. `hasFailed`: the command ran, and did not
 * end with exit code 0. `isEarlier`: an earlier run of loopdash has measured it.
 */
export type Manifest =
  | { readonly as: "tests"; readonly run: TimedRun; readonly isEarlier?: true }
  | ({ readonly as: "none"; readonly why: string; readonly hasFailed: boolean } & Ended)
  | ({ readonly as: "unknown"; readonly why: string; readonly hasFailed?: true } & Ended);

/** The end of a command that told no tests, for a measurement: absent if it did not come so far. */
interface Ended {
  readonly ended?: { readonly result: ExecResult; readonly noProgram: boolean };
}

/** A check on a tree, as its results are kept. */
export interface CheckedTree {
  /** A hash of the tree, the command and the environment. */
  readonly key: string;
  /** The check on any tree. */
  readonly check: string;
  readonly tree: string;
  /** For people. */
  readonly name: string;
  /** True if all that the result depends on outside the tree is in the key, so that another run may use it. */
  readonly canShare: boolean;
  /** True if its runners are made to report: one without any is asked once. */
  readonly isFound?: boolean;
  /** True if the commit is one of the base to which this run of loopdash has added nothing. Git may be asked. */
  readonly isUntouched: () => Promise<boolean>;
}

/** Found when it is needed: git is asked. */
export type ResultsKey = () => Promise<CheckedTree>;

/** Tests that two runs on one base differ in: with more, the machine was at fault. */
const MOST_DIFFERING = 50;

/**
 * The results of checks, each taken once per tree, command and environment. Another run of loopdash may use those of bases, and those
 * that were proven honest. A candidate's own result counts in this run alone: its code ran in the process that reported it.
 */
export class Manifests {
  readonly #store: CheckResults;
  readonly #clock: Pick<Clock, "now">;
  readonly #taking = new Map<string, Promise<Manifest>>();
  readonly #known = new Map<string, Promise<unknown>>();
  /** What is known of checks that are made to report and told no test: of one that passed on any tree, else on the tree of the key. */
  readonly #silent = new Map<string, Manifest>();

  /** The end of what a check last printed on a base, in this run of loopdash. */
  readonly #outputs = new Map<string, string>();

  constructor(store: CheckResults, clock: Pick<Clock, "now">) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * The manifest of this key: kept, being taken by another caller, or taken now by `measure`. A base without tests is measured
   * each time: an empty result is no proof that there are none; but a check that no known runner answers is asked once. Throws the signal's reason, or what `measure` throws.
   */
  async take(key: ResultsKey, measure: () => Promise<Manifest>, signal: AbortSignal): Promise<Manifest> {
    const found = await this.kept(key);
    if (found !== undefined) return { as: "tests", run: found, isEarlier: found.isEarlier || undefined };
    const { key: id, check } = await key();
    const silent = this.#silent.get(check) ?? this.#silent.get(id);
    if (silent !== undefined) return silent;
    return this.takeNow(key, measure, signal);
  }

  /** The same, but what an earlier run has measured is measured again. */
  async takeNow(key: ResultsKey, measure: () => Promise<Manifest>, signal: AbortSignal): Promise<Manifest> {
    for (;;) {
      const found = await this.kept(key);
      if (found?.isEarlier === false) return { as: "tests", run: found };
      const { key: id } = await key();
      const taking = this.#taking.get(id);
      if (taking === undefined) return this.#measure(key, id, measure);
      // The other caller may be cancelled or fail; then this caller takes it.
      const shared = await orAborted(taking, signal).catch(() => undefined);
      signal.throwIfAborted();
      if (shared !== undefined && shared.as !== "unknown") return shared;
    }
  }

  /** The run kept under a key: of a base, or of a candidate that has passed; undefined if there is none, or no longer. */
  async kept(key: ResultsKey): Promise<FoundRun | undefined> {
    return this.#store.find((await key()).key);
  }

  async #measure(key: ResultsKey, id: string, measure: () => Promise<Manifest>): Promise<Manifest> {
    const taking = measure();
    this.#taking.set(id, taking);
    try {
      const manifest = await taking;
      if (manifest.as === "tests") await this.keep(key, manifest.run, { isBase: true });
      const { check, isFound } = await key();
      if (manifest.as === "none" && isFound === true) this.#silent.set(manifest.hasFailed ? id : check, manifest);
      return manifest;
    } finally {
      this.#taking.delete(id);
    }
  }

  /** Keeps a run: of a candidate that has passed, which is the manifest of the base that it becomes, or of a base. */
  async keep(key: ResultsKey, run: TimedRun, { isBase = false }: { readonly isBase?: boolean } = {}): Promise<void> {
    const { key: id, name, canShare, isUntouched } = await key();
    const { durationMs = 0, exitCode, tests } = run;
    const kept = { exitCode, tests, durationMs, at: this.#clock.now(), isBase };
    this.#store.keep(id, kept, { forEveryRun: isBase && canShare && (await isUntouched()), name });
  }

  /** Notes that a kept result was proven honest: other runs of loopdash may use it. */
  async prove(key: ResultsKey): Promise<void> {
    const { key: id, canShare } = await key();
    if (canShare) this.#store.share(id);
  }

  /**
   * Learns from measurements of a base which tests are flaky: those that came out differently when the same tree was measured, now or
   * before. What only a candidate has shown does not count: a change could make its own test fail by chance.
   */
  async learnFlaky(key: ResultsKey, runs: readonly Pick<TestRun, "tests">[]): Promise<void> {
    const [{ check, tree }, before] = [await key(), await this.kept(key)];
    const ids = flakyAmong(tree, before?.isBase === true ? [before, ...runs] : runs);
    if (ids.length === 0 || ids.length > MOST_DIFFERING) return;
    this.#store.addFlakyTests(
      check,
      ids.map((id) => ({ id, tree, at: this.#clock.now() })),
    );
  }

  /** The tests of a check that have passed and failed on one tree of a base, in this run or an earlier one. */
  async flakyTests(key: ResultsKey): Promise<ReadonlySet<string>> {
    const { check } = await key();
    return new Set(this.#store.flakyTests(check).map(({ id }) => id));
  }

  /** Keeps the end of what a check printed on a base: what a candidate prints as well is no news. */
  async keepOutput(key: ResultsKey, output: string): Promise<void> {
    this.#outputs.set((await key()).check, output);
  }

  /** The end of what the check last printed on a base; undefined if this run of loopdash has not run it there. */
  async outputOnBase(key: ResultsKey): Promise<string | undefined> {
    return this.#outputs.get((await key()).check);
  }

  /** The duration of the check's last run on any tree, in milliseconds; undefined if it never ran. */
  async expectedMs(key: ResultsKey): Promise<number | undefined> {
    return this.#store.lastMs((await key()).check);
  }

  async recordMs(key: ResultsKey, ms: number): Promise<void> {
    this.#store.recordMs((await key()).check, ms);
  }

  /** What `find` gives for a name, asked once as long as this engine lives; again if it failed. */
  once<T>(name: string, find: () => Promise<T>): Promise<T> {
    const known = this.#known.get(name) ?? find();
    this.#known.set(name, known);
    known.catch(() => this.#known.delete(name));
    return known as Promise<T>;
  }
}
