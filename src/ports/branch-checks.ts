import type { BranchReading } from "../domain/ci/branch-move.ts";
import type { PullRequests } from "./forge.ts";

/**
 * The checks of one branch at a forge. Methods throw a ForgeUnavailable if the forge cannot be reached, asks to wait, or does not accept
 * the token.
 */
export interface BranchChecks extends Pick<PullRequests, "name" | "pauseMs" | "failures" | "history" | "rerun"> {
  /** One reading: the tip of the branch, and the checks of that commit. */
  read(): Promise<BranchReading>;
}
