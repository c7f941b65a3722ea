import type { PastCommit } from "../../../domain/bound/suggest-zones.ts";
import { objectId } from "../git/git-call.ts";
import { mustGit } from "../git/run-git.ts";
import type { GitPlace } from "./rules-at.ts";

/** The last commits of a history, newest first, with the paths that each changes. Merges are left out: their parts are there. */
export async function pastCommits(
  { top, gitDir }: GitPlace,
  { commit, most }: { readonly commit: string; readonly most: number },
): Promise<readonly PastCommit[]> {
  const format = "--format=%x1e%H%x1f%s%x1f%b%x1f";
  const args = ["log", "-z", "--no-merges", "--no-renames", "--name-only", `--max-count=${most}`, format, objectId(commit)];
  const listed = await mustGit(top, { gitDir, args });
  return listed.split("\u001e").flatMap((entry): PastCommit[] => {
    const [sha = "", subject = "", body = "", paths = ""] = entry.split("\u001f");
    if (sha === "" || sha === "\0") return [];
    const changed = paths.split("\0").map((path) => path.replace(/^\n/, ""));
    return [{ sha, subject, body, paths: changed.filter((path) => path !== "") }];
  });
}
