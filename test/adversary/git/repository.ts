import { existsSync, readFileSync, rmSync } from "node:fs";
import type { Stage } from "../../e2e/stage.ts";

/** Number of branches, files and other targets. */
export const MANY = 20;
/** A person's private repository has an object with this content. */
export const PRIVATE = "a secret of another repository\n";

/**
 * Adds a person's data to the repository that each attack gets a copy of. Two commits; branches v0 to v19, tags (one packed),
 * notes, a stash, a commit that only the reflog contains, a worktree on a disk that is not mounted now, untracked and ignored
 * files, and the person's own drivers in its configuration.
 */
export function furnish(stage: Stage, repo: string): void {
  const git = (...args: string[]) => stage.git(repo, ...args);
  stage.write("hits/.keep", "");
  stage.write(`${repo}/second`, "second\n");
  git("add", "-A");
  git("update-index", "--add", "--cacheinfo", `160000,${git("rev-parse", "HEAD")},vendor`);
  git("commit", "-q", "-m", "second");
  git("tag", "packed");
  git("pack-refs", "--all");
  git("tag", "v1");
  for (let n = 0; n < MANY; n++) git("branch", `v${n}`);
  git("notes", "add", "-m", "a person's");
  const lost = git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "lost");
  stage.write("lost", lost);
  git("worktree", "add", "-q", "-b", "usb", stage.path("usb"));
  rmSync(stage.path("usb"), { recursive: true });
  stage.write(`${repo}/second`, "stashed\n");
  git("stash", "-q");
  for (let n = 0; n < MANY; n++) stage.write(`${repo}/notes${n}`, "mine\n");
  git("config", "filter.person.clean", `pwd >>${stage.path("hits")}/clean-%f; cat`);
  git("config", "filter.person.smudge", `pwd >>${stage.path("hits")}/smudge-%f; cat`);
  git("config", "core.hooksPath", stage.path("g4-hooks/.githooks"));
  stage.repo("private-repo", { secret: PRIVATE });
}

/** The commit that only a reflog or a person knows. */
export const lostCommit = (stage: Stage): string => readFileSync(stage.path("lost"), "utf8");

/** True if a filter of the person has run elsewhere than in the person's own checkout, which a landing brings along as git does. */
export function ranElsewhere(stage: Stage, repo: string, hit: string): boolean {
  const file = stage.path("hits", hit);
  const folders = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  return folders.some((folder) => folder !== stage.path(repo));
}

/** All refs with their values, except loopdash's branches. */
export function refsOf(stage: Stage, repo: string): ReadonlyMap<string, string> {
  const lines = stage.git(repo, "for-each-ref", "--format=%(refname) %(objectname) %(symref)").split("\n");
  const pairs = lines.map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)] as const);
  return new Map(pairs.filter(([ref]) => !ref.startsWith("refs/heads/loopdash/")));
}

/** True if git succeeds. */
export function succeeds(stage: Stage, repo: string, ...args: string[]): boolean {
  try {
    stage.git(repo, ...args);
    return true;
  } catch {
    // The exit code means no.
    return false;
  }
}
