import type { Zone } from "./bound.ts";
import { BOUND_FILE } from "./bound.ts";
import { zoneMatcher } from "./zone-match.ts";

/** A changed path of a repository, as git gives it: a rename is a deletion and an addition, and its path is no spelling of a person's. */
export interface TouchedFile {
  readonly path: string;
  readonly how: "added" | "modified" | "deleted";
  readonly mode: "file" | "executable" | "symlink" | "submodule";
}

/** A zone that a change touches, and by which paths. */
export interface TouchedZone {
  readonly zone: Zone;
  readonly paths: readonly TouchedFile[];
}

/**
 * The zones that a change touches: by a path in the zone, or by a link or a submodule at a folder on the way to it, through which the
 * change would replace all of the zone.
 */
export function touchedZones(paths: readonly TouchedFile[], zones: readonly Zone[]): readonly TouchedZone[] {
  return zones.flatMap((zone) => {
    const relation = zoneMatcher(zone.path);
    const touching = paths.filter((changed) => {
      const how = relation(changed.path);
      return how === "inside" || (how === "on-the-way" && isDetour(changed));
    });
    return touching.length === 0 ? [] : [{ zone, paths: touching }];
  });
}

/** True for a new link or submodule: what is found below it is found elsewhere. */
function isDetour({ mode, how }: TouchedFile): boolean {
  return (mode === "symlink" || mode === "submodule") && how !== "deleted";
}

/** How a change leaves the rules: as they are, changed, gone, or new. `lost` differs from a repository that never had any. */
export type BoundFate = "untouched" | "lost" | "changed" | "added";

/** What a change does to BOUND.md, in any spelling of its name. */
export function boundFate(paths: readonly TouchedFile[]): BoundFate {
  const isBound = zoneMatcher(`${BOUND_FILE}/`);
  const touched = paths.filter(({ path }) => isBound(path) === "inside");
  if (touched.length === 0) return "untouched";
  if (touched.some(({ path, how }) => path === BOUND_FILE && how === "deleted")) return "lost";
  return touched.every(({ how }) => how === "added") ? "added" : "changed";
}
