import type { BehaviourSpec } from "../batch/behaviour-spec.ts";
import { plainText, plural } from "../values/text.ts";
import { type Gate, WHY_CHARS } from "./signals.ts";

/** Paths that a reason names. */
const NAMED = 3;
const PATH_CHARS = 100;

/**
 * The finding of RELEVANCE: protected paths fail, zones and edits all over the repository warn. `folders` are top-level folders with
 * edits. Paths are raw.
 */
export function relevanceGate(
  touched: {
    readonly protectedPaths: readonly string[];
    readonly zones: readonly string[];
    readonly folders: readonly string[];
  },
  { folders: most }: Pick<BehaviourSpec, "folders">,
): Gate {
  const { protectedPaths, zones, folders } = touched;
  if (protectedPaths.length > 0)
    return { level: "fail", why: `edits ${plural(protectedPaths.length, "protected path")}: ${namedPaths(protectedPaths)}` };
  if (zones.length > 0) return { level: "warn", why: cut(`edits in danger zones: ${namedPaths(zones)}`) };
  if (folders.length < most) return { level: "pass" };
  return { level: "warn", why: cut(`edits in ${folders.length} top-level folders: ${namedPaths(folders)}`) };
}

/** The top-level folder of a path; undefined for a file at the top. */
export function topFolder(path: string): string | undefined {
  const at = path.indexOf("/");
  return at <= 0 ? undefined : path.slice(0, at);
}

/** Some of the paths, safe for a terminal, and the number of the others. */
export function namedPaths(paths: readonly string[]): string {
  const named = paths.slice(0, NAMED).map((path) => plainText(path, PATH_CHARS));
  const more = paths.length - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function cut(text: string): string {
  return plainText(text, WHY_CHARS);
}
