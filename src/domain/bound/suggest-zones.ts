import { plural } from "../values/text.ts";
import { BOUND_FILE, type Zone } from "./bound.ts";
import { zoneMatcher } from "./zone-match.ts";

/** A commit of the history, with the paths that it changed. The subject and the body are untrusted text. */
export interface PastCommit {
  readonly sha: string;
  readonly subject: string;
  readonly body: string;
  readonly paths: readonly string[];
}

/** A line of CODEOWNERS. */
export interface OwnedPath {
  readonly pattern: string;
  readonly owners: readonly string[];
  readonly line: number;
}

/** One reason for a zone. */
export interface ZoneEvidence {
  readonly kind: "churn" | "revert" | "incident" | "owners";
  readonly text: string;
  /** Up to three commits that show it. */
  readonly commits: readonly string[];
}

/** A path that may deserve approval, with its evidence. A person decides. */
export interface SuggestedZone {
  readonly path: string;
  readonly score: number;
  readonly evidence: readonly ZoneEvidence[];
}

/** Suggestions at most. */
const MOST_SUGGESTED = 15;

/** Folders of a suggested path at most: deeper ones are counted for these. */
const MOST_DEPTH = 3;

/** Commits that touch more places than this say nothing about any of them: a formatter, a rename, an import. */
const MOST_PLACES = 12;

/** Churn counts by itself from this share of the commits, and this many. */
const CHURN = { share: 0.15, commits: 8 } as const;

const REVERT = /^revert\b|^this reverts commit|\broll(?:ed|ing)?[- ]?back\b/im;
const INCIDENT =
  /\bhot-?fix\b|\bincident\b|\bpost-?mortem\b|\boutage\b|\bCVE-\d{4}-\d+\b|\bsecurity (?:fix|issue|hole)\b|\bvulnerab/i;
/** CODEOWNERS and other papers about the repository are no danger by themselves. */
const PAPERS =
  /(?:^|\/)(?:CHANGELOG|README|LICENSE|CODEOWNERS|package-lock\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.lock|go\.sum)(?:\.\w+)?$/i;

interface Tally {
  commits: string[];
  reverts: string[];
  incidents: string[];
}

/**
 * Places that have been dangerous so far: reverts and incidents by the words of commits, much change, and owners. Newest commits come
 * first. What `known` zones cover is left out. Deterministic: the same history gives the same numbers to accept.
 */
export function suggestZones(
  history: readonly PastCommit[],
  owned: readonly OwnedPath[],
  known: readonly Pick<Zone, "path">[] = [],
): readonly SuggestedZone[] {
  const tallies = tally(history);
  const paths = new Set([...tallies.keys(), ...owned.flatMap(({ pattern }) => zoneOfPattern(pattern) ?? [])]);
  const isKnown = known.map(({ path }) => zoneMatcher(path));
  const suggested = [...paths].flatMap((path): SuggestedZone[] => {
    if (isKnown.some((relation) => relation(path.replace(/\/$/, "")) === "inside")) return [];
    const evidence = collectZoneEvidence(path, { tally: tallies.get(path), owned, total: history.length });
    return evidence.length === 0 ? [] : [{ path, score: scoreZone(tallies.get(path), evidence), evidence }];
  });
  return suggested.toSorted((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1)).slice(0, MOST_SUGGESTED);
}

function tally(history: readonly PastCommit[]): ReadonlyMap<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const { sha, subject, body, paths } of history) {
    const places = new Set(paths.filter((path) => !PAPERS.test(path)).map(zonePath));
    if (places.size > MOST_PLACES) continue;
    const text = `${subject}\n${body}`;
    for (const place of places) {
      const tallied = tallies.get(place) ?? { commits: [], reverts: [], incidents: [] };
      tallies.set(place, tallied);
      tallied.commits.push(sha);
      if (REVERT.test(text)) tallied.reverts.push(sha);
      else if (INCIDENT.test(text)) tallied.incidents.push(sha);
    }
  }
  return tallies;
}

/** The folder of a path, at most three deep; the file itself at the top. */
function zonePath(path: string): string {
  const folders = path.split("/").slice(0, -1);
  return folders.length === 0 ? path : `${folders.slice(0, MOST_DEPTH).join("/")}/`;
}

function collectZoneEvidence(
  path: string,
  {
    tally: counted,
    owned,
    total,
  }: { readonly tally: Tally | undefined; readonly owned: readonly OwnedPath[]; readonly total: number },
): readonly ZoneEvidence[] {
  const { commits = [], reverts = [], incidents = [] } = counted ?? {};
  const owners = owned.filter(({ pattern }) => zoneOfPattern(pattern) === path);
  const some = (list: readonly string[]) => list.slice(0, 3).map((sha) => sha.slice(0, 9));
  const isChurn = commits.length >= CHURN.commits && commits.length >= total * CHURN.share;
  return [
    ...(reverts.length > 0 ? [{ kind: "revert" as const, text: plural(reverts.length, "revert"), commits: some(reverts) }] : []),
    ...(incidents.length > 0
      ? [{ kind: "incident" as const, text: plural(incidents.length, "incident"), commits: some(incidents) }]
      : []),
    ...(isChurn
      ? [{ kind: "churn" as const, text: `${commits.length} of the last ${total} commits`, commits: some(commits) }]
      : []),
    ...owners.map((owner) => ({
      kind: "owners" as const,
      text: `CODEOWNERS line ${owner.line}: ${owner.owners.join(" ")}`,
      commits: [],
    })),
  ];
}

function scoreZone(counted: Tally | undefined, evidence: readonly ZoneEvidence[]): number {
  const { reverts = [], incidents = [], commits = [] } = counted ?? {};
  const hasOwners = evidence.some(({ kind }) => kind === "owners");
  const isChurn = evidence.some(({ kind }) => kind === "churn");
  return 3 * reverts.length + 3 * incidents.length + (hasOwners ? 2 : 0) + (isChurn ? Math.log2(commits.length) : 0);
}

/** Lines of CODEOWNERS that name owners and a part of the repository; a line for all of it says nothing about any part. */
export function parseCodeowners(text: string): readonly OwnedPath[] {
  return text.split(/\r?\n/).flatMap((raw, i): OwnedPath[] => {
    const [pattern = "", ...owners] = raw
      .replace(/(?:^|\s)#.*/s, "")
      .trim()
      .split(/\s+/);
    if (pattern === "" || owners.length === 0 || zoneOfPattern(pattern) === undefined) return [];
    return [{ pattern, owners: owners.slice(0, 5), line: i + 1 }];
  });
}

/** A pattern of CODEOWNERS as a zone; undefined for one that covers everything or a kind of file, or that no zone can say. */
function zoneOfPattern(pattern: string): string | undefined {
  if (/^[[^]|[\\?!]/.test(pattern) || /^\/?\*{1,2}\/?$/.test(pattern) || /^\*\./.test(pattern)) return undefined;
  const path = pattern.replace(/^\//, "").replace(/\/\*{1,2}$/, "/");
  return path === "" || path === BOUND_FILE ? undefined : path;
}
