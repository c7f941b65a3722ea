import { lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { passwordHome } from "@loopdash/values/node";
import type { GuardFile } from "../../settings-text.ts";
import type { GuardContext } from "../../verdict.ts";
import type { Caller } from "../caller.ts";
import { branchOf, worktreeOf } from "../check-command.ts";

/**
 * The places in which a tool would act: one for each home folder that the user may have. A variable `HOME` alone could make the
 * real one look like any folder. `TMPDIR` counts only outside of them and of the worktree, because deletions are allowed there.
 */
export function hookContexts({ worktree, ...settings }: GuardFile, cwd: string, env: Caller["env"]): readonly GuardContext[] {
  const homes = new Set([env["HOME"] ?? "", passwordHome() ?? ""].filter((home) => home.startsWith("/")));
  const tree = worktree ?? worktreeOf(cwd);
  const temp = env["TMPDIR"];
  const isTemp = temp?.startsWith("/") === true && ![...homes, tree].some((folder) => isNear(temp, folder));
  const branch = branchOf(tree);
  return [...homes].map((home) => ({ cwd, worktree: tree, home, branch, settings, temp: isTemp ? temp : undefined }));
}

/** True if one of the folders is in the other. */
function isNear(one: string, other: string): boolean {
  const [a, b] = [join(one, "/"), join(other, "/")];
  return a.startsWith(b) || b.startsWith(a);
}

/** Follows the links of the part of a path that exists. It looks at that part and one more name. */
export function realPath(path: string): string {
  const names = join(path).split("/").slice(1);
  let there = "/";
  let known = 0;
  for (; known < names.length && isThere(join(there, names[known] ?? "")); known++) there = join(there, names[known] ?? "");
  for (let at = there; ; at = dirname(at), known--) {
    try {
      return join(realpathSync(at), ...names.slice(known));
    } catch {
      // A link that leads nowhere, or a folder that cannot be looked at: the folder above it decides.
      if (dirname(at) === at) return path;
    }
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // It cannot be looked at.
    return false;
  }
}
