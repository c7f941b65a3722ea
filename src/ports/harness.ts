import type { TransientSpec } from "../domain/batch/transient-spec.ts";
import type { HarnessFile, HarnessPath, HarnessTool } from "../domain/run/heal-fact.ts";
import type { RepoId, TicketId } from "../domain/values/ids.ts";

/** The complete files of a harness, by path. */
export type HarnessTexts = Readonly<Record<HarnessFile, string> & Record<HarnessTool, string>>;

/** The changes of an agent to its copy, and its answer. All words but the texts are safe for a terminal. */
export type HarnessReading =
  | {
      readonly ok: true;
      readonly texts: HarnessTexts;
      /** Names of unknown files, which nobody reads. */
      readonly unknownFiles: readonly string[];
      /** The text of its answer, or why there is none. Not checked yet. */
      readonly answer: { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };
    }
  | { readonly ok: false; readonly why: string };

/** The scripts that workers are offered. */
export interface OfferedTools {
  /** The folder that holds them, and nothing else. */
  readonly folder: string;
  /** Each script, with the first line of comment in it; safe for a terminal. */
  readonly tools: readonly { readonly name: string; readonly about: string }[];
}

/** A heal that moved its stall, for the record that later runs read. The texts are safe for a terminal. */
export interface ProvenHeal {
  readonly n: number;
  readonly base: number;
  readonly repo: RepoId;
  /** `waiting`: a person has to keep it before a later run may use it. */
  readonly state: "kept" | "waiting";
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly rootCause: string;
  readonly change: string;
  readonly prediction: readonly TicketId[];
  readonly moved: readonly TicketId[];
}

/**
 * The files that a run works with and a heal may change, one harness per repository. Each is read again at every use, so that an
 * accepted heal works at once. If a file cannot be used, that is reported, and the built-in one takes its place.
 */
export interface Harness {
  /** The template of the worker's prompt. */
  worker(repo: RepoId): Promise<string>;
  /** Hints for the repository's workers; may be empty. */
  hints(repo: RepoId): Promise<string>;
  /** The harness's classes of transients. A batch's own come before them. */
  transients(repo: RepoId): Promise<readonly TransientSpec[]>;
  /** The scripts for the repository's workers; undefined if there are none. */
  tools(repo: RepoId): Promise<OfferedTools | undefined>;
  /** Creates this folder with a copy of one version of a repository's harness. */
  layOut(folder: string, options: { readonly repo: RepoId; readonly version: number }): Promise<HarnessTexts>;
  /** Reads an agent's changes as untrusted input: no links, only regular files, bounded. */
  read(folder: string): Promise<HarnessReading>;
  /**
   * Writes the harness of the n-th heal, whole or not at all. It is not used before the journal says that the heal was accepted.
   */
  write(n: number, options: { readonly repo: RepoId; readonly texts: HarnessTexts }): Promise<void>;
  /** Records a heal for later runs on the same repository. Safe to repeat: a record is never replaced. */
  keep(heal: ProvenHeal): Promise<void>;
}

/** True if a path names a script of the harness. */
export function isTool(path: HarnessPath): path is HarnessTool {
  return path.startsWith("tools/");
}
