import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Confinement } from "../../../src/ports/executor.ts";
import { PATH, useStage } from "./support.ts";

const stage = useStage();
const IDENTITY = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", args, {
    cwd,
    encoding: "utf8",
    env: { PATH, HOME: stage.at("home"), ...IDENTITY },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** A repository outside with two worktrees in the state folder; the first is the ticket's. */
beforeEach(() => {
  const repo = stage.at("repo");
  mkdirSync(repo);
  git(repo, "init", "-q", "-b", "main");
  writeFileSync(join(repo, "file"), "base\n");
  git(repo, "add", ".");
  git(repo, "commit", "-qm", "base");
  git(repo, "tag", "v1");
  for (const id of ["T-1", "T-9"])
    git(repo, "worktree", "add", "-q", "-b", `loopdash/${id}/work`, stage.at("state/worktrees", id));
  mkdirSync(join(repo, ".git/logs/refs/heads/loopdash/T-1"), { recursive: true });
  mkdirSync(stage.at("own/objects/info"), { recursive: true });
  mkdirSync(stage.at("own/objects/pack"), { recursive: true });
  writeFileSync(stage.at("own/objects/info/alternates"), "/run/loopdash/objects\n");
});

/** The profile for a worker in a linked worktree: objects of its own over the repository's, and only its own branch. */
function profile(): Confinement {
  const [tree, common] = [stage.at("state/worktrees/T-1"), stage.at("repo/.git")];
  const admin = join(common, "worktrees/T-1");
  return {
    write: [tree, admin, join(common, "refs/heads/loopdash/T-1"), join(common, "logs/refs/heads/loopdash/T-1")],
    read: [common, join(tree, ".git"), join(admin, "commondir"), join(admin, "gitdir")],
    mounts: [
      { from: stage.at("own/objects"), at: join(common, "objects"), write: true },
      { from: join(common, "objects"), at: "/run/loopdash/objects", write: false },
    ],
    sockets: [],
  };
}

const work = (script: string, confinement?: Confinement) =>
  stage.run({
    argv: ["/bin/sh", "-c", script],
    cwd: stage.at("state/worktrees/T-1"),
    env: { PATH, HOME: stage.at("home"), F: stage.folder, R: stage.at("repo"), G: stage.at("repo/.git"), ...IDENTITY },
    ...(confinement === undefined ? {} : { confinement }),
  });

describe("a worker in a linked worktree", () => {
  test("works as ever: edits, commits, amends, resets, and makes branches of its own", async () => {
    const script = `set -e
      echo more >> file; echo new > new; git add -A; git commit -qm one; git commit -q --amend -m two; git branch loopdash/T-1/other
      git commit -q --allow-empty -m gone; git reset -q --hard HEAD~1; git status --short; git log --format=%s; git diff main --stat | tail -1`;
    const result = await work(script, profile());
    expect(result).toMatchObject({ exitCode: 0, tail: "two\nbase\n 2 files changed, 2 insertions(+)\n" });
    // Nothing of it is in the repository's objects before somebody has looked at it.
    const tip = readFileSync(stage.at("repo/.git/refs/heads/loopdash/T-1/work"), "utf8").trim();
    expect(() => git(stage.at("repo"), "cat-file", "-e", tip)).toThrow();
    expect(existsSync(stage.at("own/objects", tip.slice(0, 2), tip.slice(2)))).toBe(true);
  });

  test.each([
    ["plant a hook", "echo x > $G/hooks/pre-commit"],
    ["set git up", "git config core.fsmonitor ./evil"],
    ["set git up by hand", "echo x >> $G/config"],
    [
      "set its worktree up",
      "git config --worktree core.fsmonitor ./evil 2>&1 | grep -q . ; echo '[core] fsmonitor = x' > $G/config.worktree",
    ],
    ["move main", "git update-ref refs/heads/main $(git commit-tree -m x HEAD^{tree})"],
    ["move main by hand", "echo x > $G/refs/heads/main"],
    ["make a tag", "git tag v2"],
    ["move a tag", "git tag -f v1 $(git commit-tree -m x HEAD^{tree})"],
    ["move another ticket's branch", "git update-ref refs/heads/loopdash/T-9/work $(git commit-tree -m x HEAD^{tree})"],
    ["make a branch beside its own", "git branch feature"],
    ["pack the refs", "git pack-refs --all"],
    ["stash", "echo x >> file && git stash -q"],
    ["read another ticket's worktree", "cat $F/state/worktrees/T-9/file"],
    ["write another ticket's index", "echo x > $G/worktrees/T-9/index"],
    // Where the checkout is hidden, a file of that name in a private folder is no change of it.
    ["change the main checkout", "grep -q base $R/file && echo x >> $R/file"],
    ["delete what is shared", 'rm -rf /run/loopdash/objects/*/ && test -z "$(ls -d /run/loopdash/objects/??)"'],
    ["put .git aside", "mv .git x"],
    ["replace .git", "rm -f .git && git init -q ."],
    ["write .git", "echo gitdir: /tmp > .git"],
    ["point commondir elsewhere", "echo /tmp > $G/worktrees/T-1/commondir"],
    ["replace commondir", "echo /tmp > $G/worktrees/T-1/x && mv -f $G/worktrees/T-1/x $G/worktrees/T-1/commondir"],
    ["point gitdir elsewhere", "echo /tmp > $G/worktrees/T-1/gitdir"],
    ["put its record aside", "mv $G/worktrees/T-1 $G/worktrees/T-2"],
    ["remove the other worktree's record", "rm -rf $G/worktrees/T-9 && test ! -e $G/worktrees/T-9"],
    ["add a worktree", "git worktree add -q ../mine"],
  ])("cannot %s, and could without the sandbox", async (_, script) => {
    const wanted = `(${script}) >/dev/null 2>&1 && echo GOT THROUGH; echo DONE`;
    const before = git(stage.at("repo"), "for-each-ref");
    const confined = await work(wanted, profile());
    expect(confined.tail).toBe("DONE\n");
    expect(git(stage.at("repo"), "for-each-ref")).toBe(before);
    expect(git(stage.at("repo"), "fsck", "--no-dangling")).toBe("");
    expect((await work(wanted.replaceAll("/run/loopdash/objects", "$G/objects"))).tail).toBe("GOT THROUGH\nDONE\n");
  });
});
