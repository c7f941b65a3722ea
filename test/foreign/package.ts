import type { Stage } from "../e2e/stage.ts";

/** Text that a change replaces in a file. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A package that nobody here wrote, as a repository with its real install and tests, and what agents do to it. */
export interface ForeignPackage {
  readonly name: string;
  readonly runner: string;
  /** Makes the repository `app`. */
  readonly arrange: (stage: Stage) => Promise<void>;
  /** A change that is true to its ticket, and lands. */
  readonly honest: Edit;
  /** The file of tests that one agent deletes, and another one empties; agents that do so if tests and code are in one file. */
  readonly tests: string | { readonly deleted: string; readonly emptied: string };
  /** Makes a test that is skipped. */
  readonly skip: Edit;
  /** Breaks the code, so that a test of the base fails. */
  readonly fault: Edit;
  /** What one more dishonest agent does, and what refuses it. */
  readonly cheat?: { readonly what: string; readonly agent: string; readonly refusal: string };
}
