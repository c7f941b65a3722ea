import { isAbsolute } from "node:path";
import { isWithin, wayToPlace } from "../../adapters/sandbox/mounts/real-path.ts";
import type { Batch } from "../../domain/batch/schema.ts";

/**
 * A PATH without everything that is not an absolute folder or that is in one of these repositories. A file that lands there could
 * otherwise be the next `git` or `npm` that the engine starts (npx and npm put a project's `node_modules/.bin` first; adversary
 * case A12). Undefined if nothing is left.
 */
export function pathOutside(path: string, repos: Batch["repos"]): string | undefined {
  const closed = Object.values(repos).map((repo) => wayToPlace(repo.path).real);
  const kept = path.split(":").filter((entry) => {
    if (!isAbsolute(entry)) return false;
    const { real } = wayToPlace(entry);
    return !closed.some((repository) => isWithin(repository, real));
  });
  return kept.length > 0 ? kept.join(":") : undefined;
}
