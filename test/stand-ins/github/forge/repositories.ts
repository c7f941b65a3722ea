import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { CLEAN_ENV, git, tryGit } from "./git.ts";
import { byLogin, commitTree } from "./merge.ts";
import type { SeedForge } from "./model.ts";

/** Makes the bare git repository of a seed. */
export async function makeRepository(folder: string, seed: SeedForge, now: number): Promise<void> {
  const { from, defaultBranch = "main", files = { "README.md": "# A repository\n" } } = seed;
  await mkdir(dirname(folder), { recursive: true });
  const start = dirname(folder);
  if (from !== undefined) await git(start, ["clone", "--quiet", "--bare", "--no-hardlinks", from, folder]);
  else await git(start, ["init", "--quiet", "--bare", folder]);
  await git(folder, ["symbolic-ref", "HEAD", `refs/heads/${defaultBranch}`]);
  await git(folder, ["config", "http.receivepack", "true"]);
  if (from === undefined) await commitFiles(folder, { branch: defaultBranch, files, message: "First commit", author: "jo", now });
}

export interface FilesCommit {
  readonly branch: string;
  /** Where the branch begins if there is none yet; default: nowhere. */
  readonly from?: string | undefined;
  /** Null deletes a file. */
  readonly files: Readonly<Record<string, string | null>>;
  readonly message: string;
  readonly author: string;
  readonly now: number;
}

/** Commits files on top of a branch without a checkout, as an edit on the web does. */
export async function commitFiles(folder: string, commit: FilesCommit): Promise<string> {
  const { branch, from, files, message, author, now } = commit;
  const ref = `refs/heads/${branch}`;
  const old = (await tryGit(folder, ["rev-parse", "--verify", "--quiet", ref])).stdout.trim();
  const parent = old === "" && from !== undefined ? await git(folder, ["rev-parse", `refs/heads/${from}`]) : old;
  const index = { GIT_INDEX_FILE: `${folder}/index-${process.pid}-${now}`, HOME: CLEAN_ENV["HOME"] ?? "" };
  await git(folder, ["read-tree", ...(parent === "" ? ["--empty"] : [parent])], { env: index });
  for (const [path, text] of Object.entries(files)) {
    if (text === null)
      await git(folder, ["update-index", "--force-remove", "--", path], { env: { ...index, GIT_WORK_TREE: folder } });
    else {
      const blob = await git(folder, ["hash-object", "-w", "--stdin"], { input: text });
      await git(folder, ["update-index", "--add", "--cacheinfo", `100644,${blob},${path}`], { env: index });
    }
  }
  const tree = await git(folder, ["write-tree"], { env: index });
  const parents = parent === "" ? [] : [parent];
  const sha = await commitTree(folder, { tree, parents, message, env: byLogin(author, now) });
  await git(folder, ["update-ref", ref, sha, old === "" ? "0".repeat(40) : old]);
  return sha;
}
