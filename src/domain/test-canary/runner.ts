/** A random whole number from 0 to below `n`. */
export type Draw = (n: number) => number;

/** A file of tests. The path is relative to the repository; the text may be a worker's. */
export interface TestFile {
  readonly path: string;
  readonly text: string;
}

/**
 * What a planted test has to do: `fails` and `passes` have a name of their own. `known` fails as well, by the name of a test that
 * the file has already, for code that forges only what it has seen before.
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

/** What is to be planted. */
export interface Sowing {
  readonly draw: Draw;
  /**
   * `new`: no `known` one, which may stand in for the test of that name. A command that stops at the first failing test gets `one`
   * that fails, after the one that passes.
   */
  readonly fails: "many" | "new" | "one" | "none";
}

/** A test runner for which canaries can be written. Everything here is pure. */
export interface TestRunner {
  readonly name: string;
  /** Whether these words are a command of it. */
  isStartedBy(words: readonly string[]): boolean;
  /** Whether a file may hold its tests, by its path. */
  isTestFile(path: string): boolean;
  /** Its tests may stand in files of code: such a file is no mere test, whatever `isTestFile` says. */
  readonly keepsTestsInCode?: true;
  /** Whether the command stops at the first test, or program of tests, that fails. */
  stopsEarly(words: readonly string[]): boolean;
  /** The file with planted tests at its end, in its own style; undefined if its style is not understood. */
  append(file: TestFile, sowing: Sowing): Planting | undefined;
  /** A fresh file beside it, with its imports; undefined if its style is not understood, or no fresh file would load the code. */
  beside(file: TestFile, sowing: Sowing): Planting | undefined;
}
