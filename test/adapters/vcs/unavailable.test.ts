import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRepo } from "../../../src/adapters/vcs/repository/git-repo.ts";
import { RepoUnavailable } from "../../../src/ports/vcs.ts";
import { APP, cleanUp, git, newRepo, tempDir } from "./real-repo.ts";

cleanUp();

async function opened() {
  const root = tempDir();
  const user = newRepo(root);
  mkdirSync(join(root, "scratch"));
  const repo = await openRepo({ id: APP, path: user, base: "main", scratch: join(root, "scratch") });
  return { root, user, repo, tip: git(user, "rev-parse", "main") };
}

test("a repository that is moved away is unavailable, whatever is asked; nothing is taken for missing", async () => {
  const { root, user, repo, tip } = await opened();
  renameSync(user, join(root, "gone"));
  for (const call of [
    () => repo.baseTip(),
    () => repo.has(tip),
    () => repo.contains(tip),
    () => repo.missingFromBase([tip]),
    () => repo.candidate({ tip, message: "x" }),
    () => repo.checkout({ commit: tip, path: join(root, "checkout") }),
  ])
    await expect(call()).rejects.toThrow(RepoUnavailable);
  renameSync(join(root, "gone"), user);
  expect(await repo.baseTip()).toBe(tip);
  expect(await repo.has(tip)).toBe(true);
});

test("a lock that another git process holds makes it unavailable, until it is gone", async () => {
  const { root, user, repo, tip } = await opened();
  const lock = join(user, ".git", "refs", "heads", "work.lock");
  writeFileSync(lock, "");
  const worktree = { path: join(root, "tree"), branch: "work", from: tip };
  await expect(repo.addWorktree(worktree)).rejects.toThrow(RepoUnavailable);
  rmSync(lock);
  await repo.addWorktree(worktree);
  expect(git(worktree.path, "rev-parse", "HEAD")).toBe(tip);
});

test("a commit that is not there is an answer, and no outage", async () => {
  const { repo } = await opened();
  expect(await repo.has("0".repeat(40))).toBe(false);
  await expect(repo.change({ from: "0".repeat(40), tip: "1".repeat(40) })).rejects.not.toThrow(RepoUnavailable);
});
