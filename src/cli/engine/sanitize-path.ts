import { isAbsolute } from "node:path";
import { isWithin, wayToPlace } from "../../adapters/sandbox/mounts/real-path.ts";

/**
 * Takes out of `env.PATH` what is no absolute folder and what lies in one of these repositories: what lands there would else be
 * the next `git` or `npm` that the engine starts (npx and npm put a project's `node_modules/.bin` first; adversary case A12).
 */
export function sanitizePath(env: NodeJS.ProcessEnv, repositories: readonly string[]): void {
  const { PATH } = env;
  if (PATH === undefined) return;
  const closed = repositories.map((path) => wayToPlace(path).real);
  const kept = PATH.split(":").filter((entry) => {
    if (!isAbsolute(entry)) return false;
    const { real } = wayToPlace(entry);
    return !closed.some((repository) => isWithin(repository, real));
  });
  if (kept.length > 0) env["PATH"] = kept.join(":");
  else delete env["PATH"];
}
