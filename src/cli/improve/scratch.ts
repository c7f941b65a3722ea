import { existsSync, renameSync } from "node:fs";
import { mustGit, runGit } from "../../adapters/vcs/git/run-git.ts";
import type { Goal } from "../../domain/improve/goal.ts";
import { copyBase } from "../engine/rehearsal.ts";

/** The folder of the copy, in that of its iteration. */
export const SCRATCH = "scratch.git";

/** Characters of a designed check, at most. */
const MOST_CHARS = 60_000;

/** Makes the bare copy of a goal's repository for one iteration, with a branch for each stage that lands there; once. */
export async function makeScratch(place: string, { repo }: Pick<Goal, "repo">): Promise<void> {
  if (existsSync(place)) return;
  const fresh = `${place}.new`;
  await copyBase(repo, fresh);
  for (const branch of ["search", "design"]) await mustGit(fresh, { args: ["branch", "--", branch, repo.base], gitDir: fresh });
  renameSync(fresh, place);
}

/** The commit of a branch. */
export async function tipOf(place: string, branch: string): Promise<string> {
  return (await mustGit(place, { args: ["rev-parse", "--verify", `refs/heads/${branch}`], gitDir: place })).trim();
}

/** The text of a plain file of a commit, of `most` characters; undefined if there is none, or if it is no text. */
export async function readCommitted(place: string, commit: string, path: string, most = MOST_CHARS): Promise<string | undefined> {
  const listed = await runGit(place, { args: ["ls-tree", "-z", commit, "--", `:(literal)${path}`], gitDir: place });
  const [, mode, hash] = /^(100644|100755) blob ([0-9a-f]{40,64})\t/.exec(listed.stdout) ?? [];
  if (mode === undefined || hash === undefined) return undefined;
  const { status, stdout } = await runGit(place, { args: ["cat-file", "blob", hash], gitDir: place });
  return status === 0 && stdout.length <= most && !/[\0\ufffd]/.test(stdout) ? stdout : undefined;
}
