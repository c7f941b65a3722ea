import { plainText } from "../values/text.ts";

/** The change of an attempt, for comparison with others. Paths are bounded, and safe for a terminal. */
export interface ReflectedChange {
  readonly paths: readonly string[];
  /** Equal for changes that leave the same files with the same content; absent for an empty change. */
  readonly content?: string;
}

/** Changed paths of one entry, and characters of each. */
const MOST_PATHS = 20;
const PATH_CHARS = 160;

/** A change as the log keeps it; `paths` are raw. */
export function reflectedChange({
  paths,
  content,
}: {
  readonly paths: readonly string[];
  readonly content?: string;
}): ReflectedChange {
  const kept = paths.slice(0, MOST_PATHS).map((path) => plainText(path, PATH_CHARS));
  return { paths: kept, content };
}
