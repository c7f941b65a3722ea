import type { InterventionClass } from "../domain/results/intervention.ts";

/** A file that only loopdash should change during a run, as it is now. */
export interface WatchedFile {
  /** Stays the same as long as the engine leaves the file alone. */
  readonly key: string;
  /** The intervention that a change is. */
  readonly class: Extract<InterventionClass, "I2" | "I3">;
  /** The target of the intervention, in a word. */
  readonly target: string;
  /** The file in words, for people. */
  readonly name: string;
  /** Hash of its content; "gone" if it is not there. */
  readonly value: string;
  /** Set if somebody added it to files that are known. */
  readonly isAdded?: true;
}

/** Reads the files whose change by a person is an intervention: the batch file, its contracts and the harness in use. */
export interface WatchedFiles {
  /** Reads them all. `known`: the keys of those that were read before, which are read even if they are gone. */
  read(known: readonly string[]): Promise<readonly WatchedFile[]>;
}
