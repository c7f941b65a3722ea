import { matchesWildcard } from "@loopdash/test-evidence";
import { PATH_FOLDS } from "../values/path-folds.ts";

/** Tells how a path lies to a zone: in it, at a folder on the way to it, or elsewhere. */
export type ZoneRelation = "inside" | "on-the-way" | undefined;

/**
 * Compares paths with a zone, segment by segment: `auth/` covers `auth/login.py` and not `unauthorized.py`. `*` stands for any characters
 * of one segment, `**` for any number of whole segments, every other character for itself. A zone without a slash counts in every folder,
 * like an entry of `protect`. Names that another file system takes for the same are the same: case, Unicode forms, invisible characters.
 */
export function zoneMatcher(zone: string): (path: string) => ZoneRelation {
  const folded = PATH_FOLDS.map((fold) => ({ fold, pattern: zoneSegments(fold(zone)) }));
  return (path) => {
    const relations = folded.map(({ fold, pattern }) => relate(pattern, fold(path).split("/")));
    if (relations.includes("inside")) return "inside";
    return relations.includes("on-the-way") ? "on-the-way" : undefined;
  };
}

/** The segments of a zone. What lies below the last one is covered anyway. */
function zoneSegments(zone: string): readonly string[] {
  const isAnywhere = !zone.includes("/");
  const segments = zone.replace(/\/$/, "").split("/");
  const whole = isAnywhere ? ["**", ...segments] : segments;
  // A second one would add nothing but time.
  return whole.filter((part, i) => part !== "**" || whole[i - 1] !== "**");
}

/**
 * Walks both from the top, with all places in the pattern that the path may have reached. A path is inside once the pattern is used up,
 * with one segment at least; and on the way if the pattern goes on by named segments where the path ends.
 */
function relate(pattern: readonly string[], path: readonly string[]): ZoneRelation {
  let reached = withEmpty(pattern, new Set([0]));
  for (const segment of path) {
    const next = after(pattern, reached, segment);
    // `src/**` covers what is below src, as `src/` does.
    if (next.has(pattern.length) || [...next].some((at) => isRest(pattern, at))) return "inside";
    if (next.size === 0) return undefined;
    reached = withEmpty(pattern, next);
  }
  return [...reached].some((at) => at > 0 && !pattern.slice(0, at).includes("**")) ? "on-the-way" : undefined;
}

/** The places in the pattern behind one more segment of the path. */
function after(pattern: readonly string[], places: ReadonlySet<number>, segment: string): Set<number> {
  const next = new Set<number>();
  for (const at of places) {
    const part = pattern[at];
    if (part === "**") next.add(at);
    else if (part !== undefined && matchesWildcard(part, segment)) next.add(at + 1);
  }
  return next;
}

/** Adds the places behind each `**`, which may stand for nothing. */
function withEmpty(pattern: readonly string[], places: Set<number>): Set<number> {
  for (const at of places) if (pattern[at] === "**") places.add(at + 1);
  return places;
}

/** True if only `**` is left of the pattern, and the path has gone into it. */
function isRest(pattern: readonly string[], at: number): boolean {
  return at < pattern.length && pattern.slice(at).every((part) => part === "**");
}
