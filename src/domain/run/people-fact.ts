/** A place that only the engine should change during a run, and its content as a hash or a commit. */
export interface SeenPlace {
  /** `base:<repository>`, `batch`, or `harness:<version>:<file>`. */
  readonly key: string;
  readonly value: string;
}

/** What people did beside loopdash. Texts are safe for a terminal. */
export type PeopleFact =
  /** Places as they are, seen for the first time or changed by the engine itself. */
  | { readonly type: "places-seen"; readonly places: readonly SeenPlace[] }
  /** Somebody changed a place: an intervention. The place is seen from now on, so that nothing is counted twice. */
  | {
      readonly type: "act-observed";
      readonly class: "I2" | "I3" | "I4";
      readonly target: string;
      /** What was done, by whom and when, as far as it is known. Authors of commits are what the commits say. */
      readonly note: string;
      readonly place: SeenPlace;
    };

/** The key of a base in the seen places. */
export function baseKey(repo: string): string {
  return `base:${repo}`;
}
