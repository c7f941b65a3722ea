import { fileOf } from "./loaded-files.ts";
import { NO_TALLY, type Tally, total } from "./results.ts";
import { matchesWildcard } from "./wildcard.ts";

type Tallies = ReadonlyMap<string, Readonly<Tally>>;

/** What speaks against a candidate: a few words for people, and the tests or patterns that it is about, raw. */
interface Unfixed {
  readonly kind: "unfixed";
  readonly says: string;
  readonly ids: readonly string[];
}

/** What a ticket's `fixes` are judged by. */
export interface NamedFixes {
  /** Test ids; `*` stands for anything. */
  readonly patterns: readonly string[];
  /** Ids of tests that earlier checks of the ticket reported on the same candidate: a pattern may be about one of those. */
  readonly elsewhere: Iterable<string>;
  /** Whether no later check of the ticket has a report. Then a pattern that names no test of any report fails. */
  readonly isLast: boolean;
}

/** A pattern that names more tests than this is judged like any other, but the rest of them are not listed. */
const LISTED = 100;

/**
 * What speaks against a candidate by the tests that its ticket was to fix (adversary case B5): each test that a pattern names, on
 * the base or on the candidate, must be there on the candidate, run and pass, every time that it is reported. That it fails on
 * the base excuses nothing, and `allow` does not either. `loads`: files of the base that could not be loaded, and are fixed by that.
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

/** What is wrong with a test that is to be fixed, or with a file that the base could not load; undefined if nothing is. */
function unmetBy(id: string, old: Readonly<Tally> | undefined, tally: Readonly<Tally>): Unmet | undefined {
  if (total(tally) === 0) return "absent";
  if (tally.failed > 0) return "failing";
  if (tally.skipped + tally.todo > 0) return "skipped";
  // A runner names a file only if it holds no test, or could not be loaded.
  return fileOf(id) !== undefined && (old?.failed ?? 0) > 0 ? "empty" : undefined;
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

/** The tests that fail in a run and are not among those that the ticket fixes: on a base, they do not count. */
export function failingUnnamed(tallies: Tallies, patterns: readonly string[]): readonly string[] {
  const failing = new Set([...tallies].flatMap(([id, { failed }]) => (failed > 0 ? [id] : [])));
  for (const id of named(patterns, failing)) failing.delete(id);
  return [...failing];
}
