import type { Landing } from "./vcs.ts";

/** The place where the changes of one repository land. */
export interface Forge {
  /**
   * Brings the base of this machine up to that of the forge. Gives the reason if that is impossible now, in plain words. Throws a
   * RepoUnavailable if the forge cannot be reached. "look" only asks whether it is possible, and moves nothing.
   */
  sync(how?: "move" | "look"): Promise<string | undefined>;
  /**
   * Moves the base from `from` to its descendant `to`: at the forge by compare-and-swap, and then on this machine. Safe to repeat:
   * a landing that was cut off is completed.
   */
  land(landing: { readonly from: string; readonly to: string }): Promise<Landing>;
  /** Those of `commits` that the base at the forge lacks: people may have moved it back. */
  missing(commits: readonly string[]): Promise<readonly string[]>;
}
