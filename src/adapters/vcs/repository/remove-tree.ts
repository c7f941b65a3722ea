import type { BoundedStart } from "../git/git-call.ts";
import { exists } from "./locate.ts";
import type { Store } from "./store.ts";

/** Time limit for removing a folder. A million files take half a minute on a busy disk. Milliseconds. */
const REMOVE_MS = 120_000;

/**
 * Removes folders that a worker wrote, whatever they contain, without following links. rm(1) works by a handle of each folder, so
 * it removes paths that are longer than a path may be. Closed folders are opened first if necessary. Throws if something is left.
 */
export async function removeTrees(store: Store, paths: readonly string[]): Promise<void> {
  if ((await thereOf(paths)).length === 0) return;
  const stop = AbortSignal.timeout(REMOVE_MS);
  const run = (argv: readonly string[]) => {
    const bounded: BoundedStart = { argv, cwd: "/", env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" } };
    return store.start({ args: argv, gitDir: "/", bounded }, stop);
  };
  const removed = await run(["rm", "-rf", "--", ...paths]);
  if (removed.status === 0) return;
  const left = await thereOf(paths);
  if (left.length === 0) return;
  await run(["chmod", "-R", "u+rwX", "--", ...left]);
  const again = await run(["rm", "-rf", "--", ...left]);
  if (again.status === 0) return;
  throw new Error(`${left[0]} cannot be removed: ${again.stderr.trim().slice(0, 300) || "it takes too long"}`);
}

async function thereOf(paths: readonly string[]): Promise<string[]> {
  const there = await Promise.all(paths.map(exists));
  return paths.filter((_, i) => there[i]);
}
