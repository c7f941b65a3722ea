import { join } from "node:path";
import { unfitBranchName } from "../../adapters/vcs/git/ref-names.ts";
import { mustGit, runGit } from "../../adapters/vcs/git/run-git.ts";
import { exists } from "../../adapters/vcs/repository/locate.ts";
import type { RepoSpec } from "../../domain/batch/schema.ts";

/** Bytes read of such a file at most. */
const MOST = 1024 * 1024;

type BaseFile = { readonly text: string } | "too large";

/**
 * Those of the named files that the tip of a base branch has, with their texts, or "too large" beyond 1 MiB. Git follows a link
 * within the tree. Empty if git finds no such repository or branch.
 */
export async function readBaseFiles(
  { path, base }: Pick<RepoSpec, "path" | "base">,
  names: readonly string[],
): Promise<ReadonlyMap<string, BaseFile>> {
  if (unfitBranchName(base) !== undefined || !(await exists(path))) return new Map();
  const gitDir = (await exists(join(path, ".git"))) ? join(path, ".git") : path;
  // Git answers a missing path in another form, which is skipped.
  const format = "%(objectname) %(objecttype) %(objectsize) %(rest)";
  const input = names.map((name) => `refs/heads/${base}:${name} ${name}\n`).join("");
  const args = ["cat-file", `--batch-check=${format}`, "--follow-symlinks"];
  const { stdout } = await runGit(path, { gitDir, args, input });
  const blobs = [...stdout.matchAll(/^([0-9a-f]{40,64}) blob (\d+) (.+)$/gm)];
  const read = blobs.map(async ([, id = "", size = "", name = ""]): Promise<readonly [string, BaseFile]> => {
    if (Number(size) > MOST) return [name, "too large"];
    return [name, { text: await mustGit(path, { gitDir, args: ["cat-file", "blob", id] }) }];
  });
  return new Map(await Promise.all(read));
}
