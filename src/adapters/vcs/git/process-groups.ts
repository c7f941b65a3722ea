import { hasErrorCode } from "../../../domain/values/text.ts";
import { GitMissing } from "./git-call.ts";

/** Output of a bounded process that is kept, per stream. Bytes. */
export const MAX_OUTPUT = 64 * 1024 * 1024;
export const MAX_STDERR = 64 * 1024;

/** Process groups of bounded processes that have not ended. */
export const running = new Set<number>();

/** Kills every bounded process that this process has started. */
export function killBounded(): void {
  for (const pid of running) killGroup(pid);
}

export function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // It has ended since.
    if (!hasErrorCode(error, "ESRCH")) throw error;
  }
}

/** The error of a program that did not start. */
export function startError(error: Error): Error {
  return "code" in error && error.code === "ENOENT" ? new GitMissing(`${error.message}: the program was not found`) : error;
}
