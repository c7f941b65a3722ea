import { lstat, opendir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../disk-error.ts";
import type { BoundedStart } from "../git/git-call.ts";
import { exists } from "./locate.ts";
import type { Store } from "./store.ts";

/** Time limit for removing a folder. A million files take half a minute on a busy disk. Milliseconds. */
const REMOVE_MS = 120_000;

/** Files and folders that this process removes by itself, and the longest path. */
const MOST_HERE = 2_000;
const LONGEST_HERE = 2_000;

/**
 * Removes folders that a worker wrote, whatever they contain, without following links. Small ones without closed folders are
 * removed here. rm(1) removes all others: it works by a handle of each folder, so also paths that are longer than a path may be. Closed
 * folders are opened first if necessary. Throws if something is left.
 */
export async function removeTrees(store: Store, paths: readonly string[]): Promise<void> {
  const budget = { entries: MOST_HERE };
  const isRemoved = await Promise.all((await thereOf(paths)).map((path) => removeSmall(path, budget)));
  if (!isRemoved.includes(false)) return;
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

/** True if a folder was removed; false if it is large or resists: some of it may be left. */
async function removeSmall(path: string, budget: { entries: number }): Promise<boolean> {
  if (path.length > LONGEST_HERE) return false;
  try {
    if (!(await lstat(path)).isDirectory()) return false;
    for await (const entry of await opendir(path)) {
      budget.entries -= 1;
      if (budget.entries < 0) return false;
      const inner = join(path, entry.name);
      if (!entry.isDirectory()) await unlink(inner);
      else if (!(await removeSmall(inner, budget))) return false;
    }
    await rmdir(path);
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

async function thereOf(paths: readonly string[]): Promise<string[]> {
  const there = await Promise.all(paths.map(exists));
  return paths.filter((_, i) => there[i]);
}
