/** The tool and kind of findings that a marker suppresses. */
export type Silenced = "a lint or type rule" | "a test" | "coverage";

/** Adjacent lines that a change replaces, as version control shows them. */
export interface Hunk {
  readonly path: string;
  /** Number of the first added line in the new file, from 1. */
  readonly line: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** A suppression that a change adds. All of its text is outside text, raw. */
export interface Suppression {
  readonly path: string;
  /** Line in the new file; 0 if it has no line of its own (a lowered threshold). */
  readonly line: number;
  readonly what: Silenced | "lowered coverage";
  readonly text: string;
}
