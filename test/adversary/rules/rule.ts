import type { Hole } from "../holes/locate.ts";

/** A rule about what people and live systems do, and the test that fails if nothing enforces it. */
export interface Rule {
  /** What always holds. */
  readonly rule: string;
  /** What is taken out of the source. */
  readonly holes: readonly Hole[];
  /** The test that then fails: a text that only its name contains, and no other test file. */
  readonly test: string;
  /** True if the test runs the program, which is built with the holes. */
  readonly isBuilt?: true;
}
