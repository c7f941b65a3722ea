import type { BranchReading } from "../domain/ci/branch-move.ts";
import type { FailedCheck, PastCheck } from "./forge.ts";

/**
 * The checks of one branch at a forge. Methods throw a ForgeUnavailable if the forge cannot be reached, asks to wait, or does not accept
 * the token.
 */
export interface BranchChecks {
  /** The name of the forge's repository for people. */
  readonly name: string;
  /** Milliseconds until the next reading, by what the forge's rate limits leave. */
  pauseMs(): number;
  /** One reading: the tip of the branch, and the checks of that commit. */
  read(): Promise<BranchReading>;
  /** What failed checks of a commit say. Asked once for each. */
  failures(head: string, names: readonly string[]): Promise<readonly FailedCheck[]>;
  /** What checks of these names did on a commit, with every run of them. */
  history(commit: string, names: readonly string[]): Promise<readonly PastCheck[]>;
  /** Starts failed jobs of a commit again, by the names of their checks. */
  rerun(head: string, names: readonly string[]): Promise<void>;
}
