import { readdir, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasErrorCode } from "../../domain/values/error-text.ts";
import type { RunFiles } from "../../ports/run-files.ts";
import { removeFolder } from "../remove-folder.ts";

/** The beginning of the name of a worktree that is being removed. No ticket's id begins with a dot. */
const PREFIX = ".removed-";

/** Sets worktrees of a run aside, in the folder that holds them all. */
export function asideIn(worktrees: string): Pick<RunFiles, "setAside" | "removeSetAside"> {
  let n = 0;
  return {
    async setAside(worktree) {
      if (dirname(worktree) !== worktrees) throw new RangeError(`${worktree} is no worktree of this run`);
      n += 1;
      const aside = join(worktrees, `${PREFIX}${basename(worktree)}-${process.pid}-${n}`);
      try {
        await rename(worktree, aside);
        return aside;
      } catch {
        // A mount, or a full disk that takes no further name, for example. The caller then removes it in place, and that tells the fault.
        return undefined;
      }
    },
    async removeSetAside() {
      const names = (await namesIn(worktrees)).filter((name) => name.startsWith(PREFIX));
      // One that resists keeps none of the others.
      const results = await Promise.allSettled(names.map((name) => removeFolder(join(worktrees, name))));
      const failed = results.find((result) => result.status === "rejected");
      if (failed !== undefined) throw failed.reason;
    },
  };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return [];
    throw error;
  }
}
