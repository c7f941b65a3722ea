import type { TransientSpec } from "../domain/batch/transient-spec.ts";
import type { HarnessFile } from "../domain/run/heal-fact.ts";

/** The complete files of a harness. */
export type HarnessTexts = Readonly<Record<HarnessFile, string>>;

/** The changes of an agent to its copy. All words are safe for a terminal. */
export type HarnessReading =
  | {
      readonly ok: true;
      readonly texts: HarnessTexts;
      /** Unknown file names. Nobody reads these files. */
      readonly strangers: readonly string[];
    }
  | { readonly ok: false; readonly why: string };

/**
 * The files that a run works with and a heal may change. Each is read again at every use, so that an accepted heal works at once.
 * If a file cannot be used, that is reported, and the built-in one takes its place.
 */
export interface Harness {
  /** The template of the worker's prompt. */
  worker(): Promise<string>;
  /** Hints for every worker; may be empty. */
  hints(): Promise<string>;
  /** The harness's classes of transients. A batch's own come before them. */
  transients(): Promise<readonly TransientSpec[]>;
  /** Creates this folder with a copy of the harness in use. */
  layOut(folder: string): Promise<HarnessTexts>;
  /** Reads an agent's changes as untrusted input: no links, only regular files, bounded. */
  read(folder: string): Promise<HarnessReading>;
  /**
   * Writes the harness of the n-th heal, whole or not at all. It is not used before the journal says that the heal was accepted.
   */
  write(n: number, texts: HarnessTexts): Promise<void>;
  /** Makes the harness in use the one of later runs, and keeps a copy of the previous one. Safe to repeat. */
  keep(): Promise<void>;
}
