import type { RepoId, TicketId } from "../values/ids.ts";
import type { BranchFact } from "./branch-fact.ts";

/** The content of a base or a file that only the engine should change during a run, as a commit or a hash. */
export interface Fingerprint {
  /** `base:<repository>`, `batch`, or `harness:<version>:<file>`. */
  readonly key: string;
  readonly value: string;
}

/** Facts about people's acts outside loopdash. Texts are safe for a terminal. */
export type PeopleFact =
  | BranchFact
  /** Bases and files as they are now: read for the first time, or changed by the engine itself. */
  | { readonly type: "fingerprints-recorded"; readonly fingerprints: readonly Fingerprint[] }
  /** The pull request of a ticket that its forge had left to a person was merged after all: the base went from `from` to `to`. */
  | {
      readonly type: "merge-observed";
      readonly ticket: TicketId;
      readonly repo: RepoId;
      readonly number: number;
      readonly from: string;
      readonly to: string;
    }
  /** Somebody changed a base or a file: an intervention. The new fingerprint is recorded, so that nothing is counted twice. */
  | {
      readonly type: "act-observed";
      readonly class: "I2" | "I3" | "I4";
      readonly target: string;
      /** The act, its author and its time, as far as they are known. Authors of commits are unchecked. */
      readonly note: string;
      readonly fingerprint: Fingerprint;
    };

/** The key of a base's fingerprint. */
export function baseKey(repo: string): string {
  return `base:${repo}`;
}
