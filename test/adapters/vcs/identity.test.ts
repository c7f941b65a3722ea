import { cpSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openRepo } from "../../../src/adapters/vcs/repository/git-repo.ts";
import { APP, cleanUp, git, setUp, tempDir } from "./real-repo.ts";

cleanUp();

const ORIGIN = "https://github.com/them/app.git";

async function keyOf(path: string): Promise<string> {
  const repo = await openRepo({ id: APP, path, base: "main", scratch: tempDir() });
  return (await repo.identity()).key;
}

/** A person's repository with a remote. */
async function original(): Promise<string> {
  const { user } = await setUp();
  git(user, "remote", "add", "origin", ORIGIN);
  return user;
}

describe("a repository is known by its remote and where it is:", () => {
  test.each<[string, boolean, (user: string) => string]>([
    ["the same one", true, (user) => user],
    [
      "the same one by another protocol",
      true,
      (user) => {
        git(user, "remote", "set-url", "origin", "git@github.com:them/app.git");
        return user;
      },
    ],
    [
      "the same one with more history",
      true,
      (user) => {
        git(user, "commit", "-q", "--allow-empty", "-m", "more");
        return user;
      },
    ],
    [
      "a fork at the same place",
      false,
      (user) => {
        git(user, "remote", "set-url", "origin", "https://github.com/fork/app.git");
        return user;
      },
    ],
    [
      "a fork in a folder of the same name",
      false,
      (user) => {
        const copy = join(tempDir(), "user");
        cpSync(user, copy, { recursive: true });
        return copy;
      },
    ],
    [
      "a fork that names the same remote",
      false,
      (user) => {
        const clone = join(tempDir(), "user");
        git(tempDir(), "clone", "-q", user, clone);
        git(clone, "remote", "set-url", "origin", ORIGIN);
        return clone;
      },
    ],
    [
      "another one that is put at its place",
      false,
      (user) => {
        renameSync(user, `${user}-before`);
        mkdirSync(user);
        git(user, "init", "-q", "-b", "main");
        git(user, "commit", "-q", "--allow-empty", "-m", "mine");
        git(user, "remote", "add", "origin", ORIGIN);
        return user;
      },
    ],
  ])("%s", async (_, isSame, other) => {
    const user = await original();
    const before = await keyOf(user);
    expect((await keyOf(other(user))) === before).toBe(isSame);
  });
});
