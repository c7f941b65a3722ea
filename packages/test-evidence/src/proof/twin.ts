/** A random whole number from 0 to below `n`. */
export type Draw = (n: number) => number;

/** A test file. The path is relative to the repository; the text may be a worker's. */
export interface TestFile {
  readonly path: string;
  readonly text: string;
}

/**
 * A mutated twin: a copy of an existing passing test with the same calls, in which one literal or one assertion is changed, so that
 * honest code must fail it. Original and twin both run, under two names: the original's own and a fresh one in the style of its
 * neighbours. Which of the two carries which name is drawn, so that code can tell them apart neither by name nor by place.
 */
export interface Twin {
  /** The name, as the runner reports it at the end of an id, of the copy that must fail. */
  readonly fails: string;
  /** The name of the copy that must pass as the original did. */
  readonly passes: string;
  /** The original's name: one of the two. */
  readonly original: string;
}

/** A test file with twins in it. */
export interface TwinnedFile extends TestFile {
  readonly twins: readonly Twin[];
}

/** What a runner must know to plant twins. */
export interface TwinOptions {
  readonly draw: Draw;
  /** True if a test with this name, at the end of its id, passed on the base. Only such tests get a twin. */
  readonly isPassing: (name: string) => boolean;
  /** Twins in this file, at most. */
  readonly most: number;
  /** True if no other file has a twin yet. One at least must fail for a forger who lets every assertion hold, also the negated ones. */
  readonly isFirst?: boolean;
}
