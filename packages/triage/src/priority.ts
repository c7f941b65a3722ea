import { UNTOLD } from "./draft.ts";
import { FINDING_SEVERITIES, type Finding, isWorse } from "./finding.ts";

/** The findings of an earlier attempt on the same ticket, by their identities. */
export interface EarlierFindings {
  readonly attempt: number;
  readonly identities: readonly string[];
}

/** One failure with all its places: the findings of one identity. */
export interface PriorityGroup {
  readonly identity: string;
  /** The worst of its findings'. */
  readonly severity: Finding["severity"];
  /** The finding that stands for them. */
  readonly finding: Finding;
  readonly count: number;
  /** The jobs that show it, sorted. */
  readonly jobs: readonly string[];
  /** The first attempt that showed it, and how many earlier ones did. */
  readonly firstSeen: number;
  readonly seenBefore: number;
}

/**
 * The findings by identity, the worst first. Among equals, those with a message are first, then those earlier in their log, then those
 * in more places, then by file and line. The order of the input does not matter.
 */
export function prioritised(
  findings: readonly Finding[],
  { attempt, earlier }: { readonly attempt: number; readonly earlier: readonly EarlierFindings[] },
): readonly PriorityGroup[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const group = groups.get(finding.identity) ?? [];
    group.push(finding);
    groups.set(finding.identity, group);
  }
  const past = earlier
    .filter((each) => each.attempt < attempt)
    .map((each) => ({ ...each, identities: new Set(each.identities) }));
  const prioritisedGroups = [...groups].map(([identity, group]): PriorityGroup => {
    const seen = past.filter(({ identities }) => identities.has(identity)).map((each) => each.attempt);
    const sorted = group.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0) || byPlace(a, b));
    const worst = sorted.reduce((a, b) => (isWorse(b.severity, a.severity) ? b : a));
    return {
      identity,
      severity: worst.severity,
      finding: worst,
      count: group.length,
      jobs: [...new Set(group.map(({ job }) => job))].toSorted(),
      firstSeen: seen.reduce((a, b) => Math.min(a, b), attempt),
      seenBefore: new Set(seen).size,
    };
  });
  return prioritisedGroups.toSorted(
    (a, b) =>
      rank(a.severity) - rank(b.severity) ||
      Number(a.finding.message === UNTOLD) - Number(b.finding.message === UNTOLD) ||
      (a.finding.at ?? 0) - (b.finding.at ?? 0) ||
      b.count - a.count ||
      byPlace(a.finding, b.finding),
  );
}

function rank(severity: Finding["severity"]): number {
  return FINDING_SEVERITIES.indexOf(severity);
}

function byPlace(a: Finding, b: Finding): number {
  return (
    compare(a.file ?? "", b.file ?? "") ||
    (a.line ?? 0) - (b.line ?? 0) ||
    compare(a.identity, b.identity) ||
    compare(a.job, b.job)
  );
}

/** By code units, so that no locale has a say. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
