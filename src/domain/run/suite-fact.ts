import type { RepoId, TicketId } from "../values/ids.ts";

/** The reason why a check's command ran: for candidates, for a base without a change, or for a proof. */
export type SuitePurpose = "check" | "base" | "proof";

/** A check's command has run on a commit, whatever came of it. */
export interface SuiteFact {
  readonly type: "suite-ran";
  readonly repo: RepoId;
  /** The name of the check. */
  readonly check: string;
  readonly purpose: SuitePurpose;
  /** Milliseconds, without the preparation. */
  readonly ms: number;
  /** The tickets for which it ran: those of a train in landing order. Empty if it was nobody's. */
  readonly tickets: readonly TicketId[];
}

/** Runs of checks' commands, and their milliseconds. */
export interface SuiteCount {
  readonly runs: number;
  readonly ms: number;
}

/** The same by purpose. */
export interface SuiteCounts extends Readonly<Record<SuitePurpose, SuiteCount>> {
  /** Milliseconds that candidates waited, from the start of a check step to the first command in it. */
  readonly waitingMs: number;
}

const NONE: SuiteCount = { runs: 0, ms: 0 };

/** Nothing counted yet. */
export const NO_SUITES: SuiteCounts = { check: NONE, base: NONE, proof: NONE, waitingMs: 0 };

/** The counts with one run more. */
export function countSuite(counts: SuiteCounts, { purpose, ms }: Pick<SuiteFact, "ms" | "purpose">): SuiteCounts {
  const { runs, ms: before } = counts[purpose];
  return { ...counts, [purpose]: { runs: runs + 1, ms: before + ms } };
}
