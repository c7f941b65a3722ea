/** A random whole number from 0 to below `n`. */
export type Draw = (n: number) => number;

/** A test file. The path is relative to the repository; the text may be a worker's. */
export interface TestFile {
  readonly path: string;
  readonly text: string;
}

/**
 * The result that a planted test must have: `fails` and `passes` have a name of their own. `known` also fails, and has the name
 * of an existing test of the file, against code that forges only names it has seen.
 */
type Role = "fails" | "passes" | "known";

/** A planted test. In a report, its id ends with this name. */
export interface PlantedTest {
  readonly name: string;
  readonly role: Role;
}

/** A file with planted tests in it. */
export interface Planting extends TestFile {
  readonly tests: readonly PlantedTest[];
}

/** The choice of tests to plant. */
export interface Sowing {
  readonly draw: Draw;
  /**
   * `new`: without `known`, which may replace the test of that name. A command that stops at the first failing test gets `one`
   * that fails, after the one that passes.
   */
  readonly fails: "many" | "new" | "one" | "none";
}

/** A test runner for which canaries can be written. Everything here is pure. */
export interface TestRunner {
  readonly name: string;
  /** True if these words are a command of it. */
  isStartedBy(words: readonly string[]): boolean;
  /** True if a file may contain its tests, by its path. */
  isTestFile(path: string): boolean;
  /** Its tests may be in source files: such a file is not only a test, whatever `isTestFile` gives. */
  readonly keepsTestsInCode?: true;
  /** True if the command stops at the first test, or test program, that fails. */
  stopsEarly(words: readonly string[]): boolean;
  /** The file with planted tests at its end, in its own style; undefined if its style is not understood. */
  append(file: TestFile, sowing: Sowing): Planting | undefined;
  /** A fresh file beside it, with its imports; undefined if its style is not understood, or no fresh file would load the code. */
  beside(file: TestFile, sowing: Sowing): Planting | undefined;
}
