import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readSource } from "../../adapters/run-files/copy-into.ts";
import { mustGit, runGit } from "../../adapters/vcs/git/run-git.ts";
import { gitDirOf } from "../../adapters/vcs/repository/locate.ts";
import { type BatchProblem, problemAt } from "../../domain/batch/problem.ts";
import type { RepoSpec } from "../../domain/batch/repo-spec.ts";
import { plainText } from "../../domain/values/text.ts";
import { baseEntries, readBaseFiles } from "./base-files.ts";
import type { LoadedBatch } from "./load-batch.ts";

/** The files to copy that are not there, and those whose place is not free: the base has it, or its .gitignore does not name it. */
export async function copyProblems({ batch, locate }: LoadedBatch): Promise<readonly BatchProblem[]> {
  const found = Object.entries(batch.repos).flatMap(([id, repo]) =>
    (repo.copy ?? []).map(async ({ from, to }, i) => {
      const at = (key: string, message: string, hint: string) => problemAt(locate, ["repos", id, "copy", i, key], message, hint);
      const source = await readSource(from);
      if (!Buffer.isBuffer(source))
        return [at("from", `${plainText(from, 200)}: ${source.why}`, "name a plain file of at most 1 MiB")];
      if ((await baseEntries(repo, [to])).size > 0)
        return [at("to", `${to} is a file of ${repo.base}, and a copy there would change it`, "name a path that git ignores")];
      if (await isBelowFile(repo, to))
        return [at("to", `a folder of ${to} is a link or a file of ${repo.base}`, "name a path below plain folders")];
      if (await isIgnored(repo, to)) return [];
      const todo = `add /${to} to .gitignore, and commit that to ${repo.base}`;
      return [at("to", `no .gitignore of ${repo.base} names ${to}, so it would be part of each change`, todo)];
    }),
  );
  return (await Promise.all(found)).flat();
}

/** True if the base has something else than a folder on the way to this path. */
async function isBelowFile({ path, base }: RepoSpec, to: string): Promise<boolean> {
  const parts = to.split("/");
  const folders = parts.slice(1).map((_, n) => parts.slice(0, n + 1).join("/"));
  if (folders.length === 0) return false;
  const args = ["ls-tree", "--full-tree", `refs/heads/${base}`, "--", ...folders];
  const { stdout } = await runGit(path, { gitDir: await gitDirOf(path), args });
  return stdout.split("\n").some((line) => line !== "" && !line.startsWith("040000 "));
}

/** True if the base itself ignores this path: an agent's worktree has no other file than these to say so. */
async function isIgnored(repo: RepoSpec, path: string): Promise<boolean> {
  const parts = path.split("/");
  const rules = await readBaseFiles(
    repo,
    parts.map((_, n) => [...parts.slice(0, n), ".gitignore"].join("/")),
  );
  const workTree = await mkdtemp(join(tmpdir(), "loopdash-copy-"));
  try {
    const gitDir = join(workTree, ".git");
    await mustGit(workTree, { gitDir, args: ["init", "-q"] });
    // A template of the user's may ignore more.
    await rm(join(gitDir, "info"), { recursive: true, force: true });
    for (const [name, file] of rules) {
      await mkdir(dirname(join(workTree, name)), { recursive: true });
      await writeFile(join(workTree, name), file === "too large" ? "" : file.text);
    }
    const args = ["check-ignore", "-q", "--", path];
    return (await runGit(workTree, { gitDir, workTree, args, config: [["core.excludesFile", "/dev/null"]] })).status === 0;
  } finally {
    await rm(workTree, { recursive: true, force: true });
  }
}
