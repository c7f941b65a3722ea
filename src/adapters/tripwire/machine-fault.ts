import type { Judging } from "../../ports/oracle.ts";
import { systemCode } from "../disk-error.ts";

/** A judgement that the machine kept from being made. Nothing was judged, so nothing was judged wrong. */
export class MachineFault extends Error {
  override readonly name = "MachineFault";
}

/** True for an error that says nothing about the oracle: of the disk, of the system, or of a process that could not run. */
export function isMachineFault(error: unknown): boolean {
  return error instanceof MachineFault || systemCode(error) !== undefined;
}

/**
 * Has something judged, and once more if the process did not end by itself (it could not be started, was killed, or took too
 * long). Throws a MachineFault if the second one did not either.
 */
export async function judgeWithRetry(judge: () => Promise<Judging>, signal: AbortSignal | undefined): Promise<Judging> {
  const first = await judge();
  if (first.exitCode !== undefined || signal?.aborted) return first;
  const second = await judge();
  if (second.exitCode !== undefined || signal?.aborted) return second;
  throw new MachineFault(second.judgement.problem ?? "the oracle's process did not end by itself");
}
