/** What a marker makes a tool look away from. */
export type Silenced = "a lint or type rule" | "a test" | "coverage";

/** Neighbouring lines that a change replaces, as version control shows them. */
export interface Hunk {
  readonly path: string;
  /** Number of the first added line in the new file, from 1. */
  readonly line: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** A suppression that a change brings. Everything in it is outside text, raw. */
export interface Suppression {
  readonly path: string;
  /** Line in the new file; 0 for what is no line of its own (a demand that was lowered). */
  readonly line: number;
  readonly what: Silenced | "lowered coverage";
  readonly text: string;
}
