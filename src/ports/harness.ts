import type { TransientSpec } from "../domain/batch/transient-spec.ts";
import type { HarnessFile } from "../domain/run/heal-fact.ts";

/** The files of a harness, whole. */
export type HarnessTexts = Readonly<Record<HarnessFile, string>>;

/** What an agent left of the copy that it was given. All words are safe for a terminal. */
export type HarnessReading =
  | {
      readonly ok: true;
      readonly texts: HarnessTexts;
      /** Names beside the known ones, which nobody reads. */
      readonly strangers: readonly string[];
    }
  | { readonly ok: false; readonly why: string };

/**
 * What a run works with and a heal may change. Each is read anew when it is used, so that an accepted heal works at once. A file
 * that cannot be used is told, and the one that ships is taken in its place.
 */
export interface Harness {
  /** The template of the worker's prompt. */
  worker(): Promise<string>;
  /** Lines that every worker is given; may be empty. */
  hints(): Promise<string>;
  /** The harness's classes of hiccups; a batch's own come before them. */
  transients(): Promise<readonly TransientSpec[]>;
  /** Lays a copy of what is in use into this folder, which it makes. */
  layOut(folder: string): Promise<HarnessTexts>;
  /** Reads what an agent has left there, as anything that an agent has written: no links, regular files, bounded. */
  read(folder: string): Promise<HarnessReading>;
  /** Writes the harness of the n-th heal, whole or not at all. Nothing uses it before the journal says that the heal was accepted. */
  write(n: number, texts: HarnessTexts): Promise<void>;
  /** Takes what is in use over for later runs, and keeps what was there before. Safe to repeat. */
  keep(): Promise<void>;
}
