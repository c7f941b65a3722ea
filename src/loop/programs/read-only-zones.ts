import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { Bound } from "../../domain/bound/bound.ts";
import { coveredPaths } from "../../domain/bound/covered-paths.ts";
import { hasErrorCode } from "../../domain/values/text.ts";
import type { Confinement } from "../../ports/executor.ts";
import type { Repo } from "../../ports/vcs.ts";

/** Mounts at most, because each takes time at every start. The engine lands no change of the others either. */
const MOST_MOUNTS = 200;

/** The confinement of an agent in whose worktree the zones of the base are read-only. Links in them stay as they are: they hold nothing. */
export async function withReadOnlyZones(
  confinement: Confinement | undefined,
  repo: Pick<Repo, "tree">,
  { path, commit, bound }: { readonly path: string; readonly commit: string; readonly bound: Bound | undefined },
): Promise<Confinement | undefined> {
  if (confinement === undefined || bound === undefined || bound.zones.length === 0) return confinement;
  const { files } = await repo.tree(commit);
  const plain = files.flatMap((file) => (file.kind === "file" ? [file.path] : []));
  const covered = coveredPaths(plain, bound.zones).slice(0, MOST_MOUNTS);
  const there: string[] = [];
  for (const zone of covered) if (await isPlain(join(path, zone))) there.push(zone);
  // Where the worktree is not shown elsewhere, a readable path within a writable one is read-only.
  const shownAt = confinement.mounts.find(({ from }) => from === path)?.at;
  if (shownAt === undefined) return { ...confinement, read: [...confinement.read, ...there.map((zone) => join(path, zone))] };
  const mounts = there.map((zone) => ({ from: join(path, zone), at: join(shownAt, zone), write: false }));
  return { ...confinement, mounts: [...confinement.mounts, ...mounts] };
}

/** True for a folder or file of the fresh worktree: a sparse one may lack it. */
async function isPlain(path: string): Promise<boolean> {
  try {
    return !(await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return false;
    throw error;
  }
}
