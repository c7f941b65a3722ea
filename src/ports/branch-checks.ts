import type { BranchReading } from "../domain/ci/branch-move.ts";
import type { PullRequests } from "./forge.ts";

/**
 * The checks of one branch at a forge. Methods throw a ForgeUnavailable if the forge cannot be reached, asks to wait, or does not accept
 * the token, and at once if the signal is aborted.
 */
export interface BranchChecks extends Pick<PullRequests, "name" | "pauseMs"> {
  /** One reading: the tip of the branch, and the checks of that commit. */
  read(signal: AbortSignal): Promise<BranchReading>;
  /** See `PullRequests`. */
  failures(head: string, names: readonly string[], signal: AbortSignal): ReturnType<PullRequests["failures"]>;
  history(commit: string, names: readonly string[], signal: AbortSignal): ReturnType<PullRequests["history"]>;
  rerun(head: string, names: readonly string[], signal: AbortSignal): ReturnType<PullRequests["rerun"]>;
}
