import { unfitBranchName } from "../../adapters/vcs/git/git-call.ts";
import { mustGit, runGit } from "../../adapters/vcs/git/run-git.ts";
import { exists, findGitDir } from "../../adapters/vcs/repository/locate.ts";
import type { RepoSpec } from "../../domain/batch/repo-spec.ts";

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
  // Git would wait for a first name.
  if (names.length === 0 || unfitBranchName(base) !== undefined || !(await exists(path))) return new Map();
  const gitDir = await findGitDir(path);
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

/** The paths of all files at the tip of a base branch; none if git finds no such repository or branch. */
export async function baseFileNames({ path, base }: Pick<RepoSpec, "path" | "base">): Promise<readonly string[]> {
  if (unfitBranchName(base) !== undefined || !(await exists(path))) return [];
  const gitDir = await findGitDir(path);
  const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", `refs/heads/${base}`];
  return (await runGit(path, { gitDir, args })).stdout.split("\0").filter((name) => name !== "");
}

/** A file or folder of a base. */
export interface BaseEntry {
  readonly executable: boolean;
}

/**
 * Those of the named files and folders that the tip of a base branch has. Git follows a link within the tree. Empty if git finds
 * no such repository or branch, which a start refuses for itself.
 */
export async function baseEntries(
  { path, base }: Pick<RepoSpec, "path" | "base">,
  names: readonly string[],
): Promise<ReadonlyMap<string, BaseEntry>> {
  const inside = names.filter((name) => !name.startsWith("..") && !/[\n\0]/.test(name));
  if (inside.length === 0 || unfitBranchName(base) !== undefined || !(await exists(path))) return new Map();
  const gitDir = await findGitDir(path);
  const input = inside.map((name) => `refs/heads/${base}:${name} ${name}\n`).join("");
  const format = "%(objectname) %(objecttype) %(rest)";
  const { stdout } = await runGit(path, { gitDir, args: ["cat-file", `--batch-check=${format}`, "--follow-symlinks"], input });
  const found = [...stdout.matchAll(/^[0-9a-f]{40,64} (?:blob|tree) (.+)$/gm)].map(([, name = ""]) => name);
  if (found.length === 0) return new Map();
  const listed = await mustGit(path, { gitDir, args: ["ls-tree", "-z", "--full-tree", `refs/heads/${base}`, "--", ...found] });
  const plain = new Set([...listed.matchAll(/(?<=^|\0)100644 blob [0-9a-f]+\t([^\0]*)\0/g)].map(([, name = ""]) => name));
  return new Map(found.map((name) => [name, { executable: !plain.has(name) }]));
}
