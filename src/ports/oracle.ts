import type { Judgement } from "../domain/event.ts";

/** The exit authority, run as its own process from frozen bytes. */
export interface Oracle {
  /** sha256 of the bytes that every judgement runs. */
  readonly sha: string;
  /** Runs the oracle once. Never throws: whatever goes wrong is an `unjudged` judgement with its problem. */
  judge(signal?: AbortSignal): Promise<Judgement>;
}
