import type { BranchReading } from "../domain/ci/branch-move.ts";
import type { FailedCheck, PastCheck } from "./forge.ts";

/**
 * The checks of one branch at a forge. Methods throw a ForgeUnavailable if the forge cannot be reached, asks to wait, or does not accept
 * the token.
 */
export interface BranchChecks {
  /** The name of the forge's repository for people. */
  readonly name: string;
  /**
   * Milliseconds until the next reading of checks that have been waited for so long (milliseconds): sooner at first, and no sooner than the
   * forge's rate limits allow.
   */
  pauseMs(waited: number): number;
  /** One reading: the tip of the branch, and the checks of that commit. */
  read(): Promise<BranchReading>;
  /** What failed checks of a commit say. Asked once for each. */
  failures(head: string, names: readonly string[]): Promise<readonly FailedCheck[]>;
  /** What checks of these names did on a commit, with every run of them. */
  history(commit: string, names: readonly string[]): Promise<readonly PastCheck[]>;
  /** Starts failed jobs of a commit again, by the names of their checks. Gives the names of those that it has started. */
  rerun(head: string, names: readonly string[]): Promise<readonly string[]>;
}
