import type { ReviewerParty, Severity } from "../batch/party.ts";

/** Questions to a reviewer, its valid answers, and planted defects. */
export interface ReviewerCounts {
  readonly asked: number;
  readonly valid: number;
  readonly usd: number;
  /** By severity, without those about planted defects. */
  readonly findings: Readonly<Record<Severity, number>>;
  readonly canaries: { readonly seen: number; readonly missed: number };
}

/** The counts of a reviewer that nobody has asked yet. */
export const NOTHING_ASKED: ReviewerCounts = {
  asked: 0,
  valid: 0,
  usd: 0,
  findings: { critical: 0, high: 0, medium: 0, low: 0 },
  canaries: { seen: 0, missed: 0 },
};

/** The counts of a reviewer so far in a run. */
export function partyCounts(
  state: Readonly<Partial<Record<ReviewerParty, ReviewerCounts>>>,
  party: ReviewerParty,
): ReviewerCounts {
  return state[party] ?? NOTHING_ASKED;
}
