import type { TestOutcome, TestResult } from "../compare/results.ts";
import { MAX_TESTS } from "./bounds.ts";

/** The result of a parser. Parsers throw BadResults if they cannot believe their input. */
export interface ParsedResults {
  readonly tests: readonly TestResult[];
  /** The start of the run, if the results have it with a time zone. Milliseconds since the epoch. */
  readonly startedAt?: number;
}

/** Test results that are malformed, contradict themselves or exceed a bound. The message is for people, and plain. */
export class BadResults extends Error {
  override readonly name = "BadReport";
}

/** Gathers the tests of one file. */
export class GatheredResults {
  readonly tests: TestResult[] = [];
  failed = 0;
  readonly #roots: readonly string[];

  /** `roots` are removed from names: a test has the same id in every folder. */
  constructor(roots: readonly string[]) {
    this.#roots = roots.filter((root) => root.length > 1).toSorted((a, b) => b.length - a.length);
  }

  /** Adds a test by the names that lead to it, outermost first; empty ones are left out. */
  add(names: readonly string[], outcome: TestOutcome): void {
    if (this.tests.length >= MAX_TESTS) throw new BadResults(`it holds more than ${MAX_TESTS} tests`);
    if (outcome === "failed") this.failed += 1;
    const id = names.filter((name) => name !== "").join(" > ");
    this.tests.push({ id: this.#withoutRoots(id), outcome });
  }

  #withoutRoots(id: string): string {
    let short = id;
    for (const root of this.#roots) if (short.includes(root)) short = short.replaceAll(`${root}/`, "").replaceAll(root, ".");
    return short;
  }
}
