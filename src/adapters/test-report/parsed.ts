import type { Outcome, TestResult } from "../../domain/evidence/results.ts";
import { MAX_TESTS } from "./bounds.ts";

/** What a parser found. Parsers throw a BadReport for what they cannot believe. */
export interface Parsed {
  readonly tests: readonly TestResult[];
  /** When the run began, where the report says so with a time zone. Milliseconds since the epoch. */
  readonly startedAt?: number;
}

/** A report that is malformed, contradicts itself or goes beyond a bound. The message is for people, and plain. */
export class BadReport extends Error {
  override readonly name = "BadReport";
}

/** Gathers the tests of one report. */
export class Gathered {
  readonly tests: TestResult[] = [];
  failed = 0;
  readonly #roots: readonly string[];

  /** `roots` are taken out of names: the same test has the same id wherever it was run. */
  constructor(roots: readonly string[]) {
    this.#roots = roots.filter((root) => root.length > 1).toSorted((a, b) => b.length - a.length);
  }

  /** Adds a test by the names that lead to it, outermost first; empty ones are left out. */
  add(names: readonly string[], outcome: Outcome): void {
    if (this.tests.length >= MAX_TESTS) throw new BadReport(`it holds more than ${MAX_TESTS} tests`);
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
