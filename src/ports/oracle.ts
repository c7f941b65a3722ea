import type { Judgement } from "../domain/run/event.ts";
import type { TicketEvidence } from "../domain/run/oracle-evidence.ts";
import type { TicketId } from "../domain/values/ids.ts";

/** What the oracle is asked to judge. Paths are absolute. */
export interface OracleBatch {
  readonly version: 1;
  readonly tracker: { readonly kind: "embedded"; readonly file: string } | { readonly kind: "folder"; readonly folder: string };
  readonly tickets: readonly TicketId[];
}

/** The exit authority, run as its own process from frozen bytes. */
export interface Oracle {
  /** sha256 of the bytes that every judgement runs. */
  readonly sha: string;
  /**
   * Runs the oracle once. Never throws: whatever goes wrong is an `unjudged` judgement with its problem. One in the
   * `background` gives way to the work that goes on.
   */
  judge(signal?: AbortSignal, how?: "background"): Promise<Judgement>;
}

/** A judgement, and how the process ended that gave it: undefined where it did not end by itself. */
export interface Judging {
  readonly judgement: Judgement;
  readonly exitCode: number | undefined;
  /** What it said of each ticket, where it did: to be shown, and nothing is decided by it. */
  readonly evidence?: readonly TicketEvidence[];
}

/** The frozen bytes, to be run on any batch in the one way in which they are ever run. */
export interface FrozenProgram {
  readonly sha: string;
  /** Never throws, as `Oracle.judge`. */
  judge(batch: OracleBatch, signal?: AbortSignal, how?: "background"): Promise<Judging>;
}
