import type { Zone } from "./bound.ts";
import { zoneMatcher } from "./zone-match.ts";

/** The outermost folders and files that zones cover, among these files of a tree, sorted. */
export function coveredPaths(files: readonly string[], zones: readonly Zone[]): readonly string[] {
  const relations = zones.map(({ path }) => zoneMatcher(path));
  const isInside = (path: string): boolean => relations.some((relation) => relation(path) === "inside");
  const known = new Map<string, boolean>();
  const covered = new Set<string>();
  for (const file of files) {
    const segments = file.split("/");
    for (let length = 1; length <= segments.length; length++) {
      const path = segments.slice(0, length).join("/");
      const inside = known.get(path) ?? isInside(path);
      known.set(path, inside);
      if (!inside) continue;
      covered.add(path);
      break;
    }
  }
  return [...covered].toSorted();
}
