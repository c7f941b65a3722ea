import { entryFile } from "./loaded-files.ts";
import { NO_TALLY, type OutcomeCounts, type Tallies, total } from "./results.ts";
import { matchesWildcard } from "./wildcard.ts";

/** One finding against a candidate: a few words for people, and its tests or patterns, raw. */
interface Unfixed {
  readonly kind: "unfixed";
  readonly says: string;
  readonly ids: readonly string[];
}

/** The input for judging a ticket's `fixes`. */
export interface NamedFixes {
  /** Test ids; `*` stands for any characters. */
  readonly patterns: readonly string[];
  /** Ids of tests that earlier checks of the ticket reported on the same candidate, because a pattern may name one of those. */
  readonly elsewhere: Iterable<string>;
  /** True if no later check of the ticket has a report. A pattern that matches no test of any report then fails. */
  readonly isLast: boolean;
}

/** If a pattern matches more tests than this, all are judged, but only so many are listed. */
const LISTED = 100;

/**
 * Findings about the tests that the ticket must fix (adversary case B5). Each test that a pattern matches, on the base or on the
 * candidate, must exist on the candidate, run, and pass every time that it is reported. A failure on the base is no excuse, and
 * neither is `allow`. `loads`: files that only the candidate can load, which fixes them.
 */
export function fixFindings(
  before: Tallies,
  now: Tallies,
  { patterns, elsewhere, isLast, loads = new Set() }: NamedFixes & { readonly loads?: ReadonlySet<string> },
): readonly Unfixed[] {
  if (patterns.length === 0) return [];
  const ids = new Set([...[...before.keys()].filter((id) => !loads.has(id)), ...now.keys()]);
  const found: Record<Unmet, string[]> = { failing: [], skipped: [], absent: [], empty: [] };
  for (const id of named(patterns, ids)) {
    const unmet = unmetBy(id, before.get(id), now.get(id) ?? NO_TALLY);
    if (unmet !== undefined) found[unmet].push(id);
  }
  const others = isLast ? new Set([...elsewhere, ...loads]) : new Set<string>();
  const unknown = isLast ? patterns.filter((pattern) => !namesOne(pattern, ids) && !namesOne(pattern, others)) : [];
  return [
    finding(found.failing, "still failing"),
    finding(found.skipped, "skipped, not run"),
    finding(found.absent, "no longer there"),
    finding(found.empty, "a file without tests"),
    finding(unknown, "not in any report of its checks"),
  ].flatMap((each) => each ?? []);
}

type Unmet = "failing" | "skipped" | "absent" | "empty";

/** The problem of a test that must be fixed, or of a file that the base could not load; undefined if there is none. */
function unmetBy(id: string, old: Readonly<OutcomeCounts> | undefined, tally: Readonly<OutcomeCounts>): Unmet | undefined {
  if (total(tally) === 0) return "absent";
  if (tally.failed > 0) return "failing";
  if (tally.skipped + tally.todo > 0) return "skipped";
  // A runner reports a file itself only if it contains no test, or could not be loaded.
  return entryFile(id) !== undefined && (old?.failed ?? 0) > 0 ? "empty" : undefined;
}

function finding(ids: readonly string[], how: string): Unfixed | undefined {
  if (ids.length === 0) return undefined;
  const says = `${ids.length} of the tests that the ticket fixes ${ids.length === 1 ? "is" : "are"} ${how}`;
  return { kind: "unfixed", says, ids: ids.slice(0, LISTED) };
}

function* named(patterns: readonly string[], ids: ReadonlySet<string>): Generator<string> {
  const exact = new Set(patterns);
  const wild = patterns.filter((pattern) => pattern.includes("*"));
  for (const id of ids) if (exact.has(id) || wild.some((pattern) => matchesWildcard(pattern, id))) yield id;
}

function namesOne(pattern: string, ids: ReadonlySet<string>): boolean {
  if (ids.has(pattern)) return true;
  return pattern.includes("*") && [...ids].some((id) => matchesWildcard(pattern, id));
}

/** The failing tests of a run that the ticket does not fix. On a base, they do not count. */
export function failingUnnamed(tallies: Tallies, patterns: readonly string[]): readonly string[] {
  const failing = new Set([...tallies].flatMap(([id, { failed }]) => (failed > 0 ? [id] : [])));
  for (const id of named(patterns, failing)) failing.delete(id);
  return [...failing];
}
