import { type JudgeAllowance, trustsAny } from "@loopdash/test-evidence";
import type { TicketId } from "../values/ids.ts";

/** The changes of a base between two commits that somebody made who may. */
export interface TrustedSpan {
  readonly from: string;
  readonly to: string;
  /** What of them is trusted: what its ticket was allowed, or what was shown and approved. Absent: all, because others made them. */
  readonly only?: JudgeAllowance | undefined;
}

/** The origin of the test setup: the first base of a run, and the later changes by anyone who may change it. */
export interface Origin {
  /** The base before the first landing. */
  readonly first: string;
  /** Changes that may affect how tests run: landings of trusted tickets, and commits by others. In their order. */
  readonly trusted: readonly TrustedSpan[];
}

/** A commit that the run has landed: the change of a ticket, or its revert. */
export interface LandedCommit {
  readonly sha: string;
  readonly ticket: TicketId;
  /** It takes back the ticket's change before it. */
  readonly reverts?: true;
}

/** A run's knowledge of the base of one repository. */
export interface Landings extends Origin {
  /** The base before the run's first landing. Unlike `first`, it stays the same whoever changes how tests run. */
  readonly initial: string;
  /** The last landed commit. */
  readonly last: string;
  /** What the run has landed, oldest first; the last 50. */
  readonly commits: readonly LandedCommit[];
}

const KEPT_COMMITS = 50;

/** The landed commits after the last one that was proven; all if that is not among them. */
export function landedSince(commits: readonly LandedCommit[], proven: string | undefined): readonly LandedCommit[] {
  return commits.slice(commits.findIndex(({ sha }) => sha === proven) + 1);
}

/**
 * How many of these commits, from the first on, make a tree without a change that a later one takes back. If the proof of such a tree fails, a
 * change that is still there is to blame. All of them always do.
 */
export function wholeParts(commits: readonly LandedCommit[]): readonly number[] {
  const isOpen = (change: number, revert: number, n: number) => change < n && n <= revert;
  const pairs = commits.flatMap(({ reverts, ticket }, at) => {
    const change = reverts === true ? commits.slice(0, at).findLastIndex((each) => each.ticket === ticket && !each.reverts) : -1;
    return change === -1 ? [] : [[change, at] as const];
  });
  return commits.map((_, i) => i + 1).filter((n) => !pairs.some(([change, revert]) => isOpen(change, revert, n)));
}

/** With one more commit appended. */
export function withLandedCommit(commits: readonly LandedCommit[], commit: LandedCommit): readonly LandedCommit[] {
  return [...commits, commit].slice(-KEPT_COMMITS);
}

/** The origin up to a later base: the commits between belong to no ticket. */
export function upTo({ first, trusted, last }: Omit<Landings, "initial">, base: string): Origin {
  return base === last ? { first, trusted } : withTrusted({ first, trusted }, { from: last, to: base });
}

/** With one more span appended; unchanged if nothing of it is trusted. */
export function withTrusted(origin: Origin, span: TrustedSpan): Origin {
  const { first, trusted } = origin;
  if (span.only !== undefined) return trustsAny(span.only) ? { first, trusted: [...trusted, span] } : origin;
  const before = trusted.at(-1);
  if (trusted.length === 0 && span.from === first) return { first: span.to, trusted };
  if (before?.to === span.from && before.only === undefined)
    return { first, trusted: [...trusted.slice(0, -1), { from: before.from, to: span.to }] };
  return { first, trusted: [...trusted, span] };
}
