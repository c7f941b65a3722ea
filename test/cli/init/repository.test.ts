import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { findRepository, nameFor, remoteName, repositoriesBelow, repositoryRequest } from "../../../src/cli/init/repository.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();
let root = "";
beforeEach(() => {
  root = folder();
});

function git(repo: string, ...args: string[]): void {
  const who = { GIT_AUTHOR_NAME: "t", GIT_AUTHOR_EMAIL: "t@t", GIT_COMMITTER_NAME: "t", GIT_COMMITTER_EMAIL: "t@t" };
  execFileSync("git", ["-C", join(root, repo), ...args], { env: { ...process.env, ...who }, stdio: "ignore" });
}

/** A repository with one commit on `branch`. */
function aRepository(name: string, branch: string, files: Readonly<Record<string, string>> = {}): void {
  mkdirSync(join(root, name, "src"), { recursive: true });
  git(name, "init", "-q", "-b", branch);
  for (const [file, text] of Object.entries({ "README.md": "", ...files })) writeFileSync(join(root, name, file), text);
  git(name, "add", "-A");
  git(name, "commit", "-q", "-m", "start");
}

const find = (text: string) =>
  findRepository(repositoryRequest(text), { cwd: root, env: { PATH: process.env["PATH"], HOME: root } });
const base = (text: string) => find(text).then((found) => ("value" in found ? found.value.base : found.problem));

describe("findRepository", () => {
  test("finds the top folder from within, and what the base names", async () => {
    const manifest = '{"scripts": {"test": "x"}, "dependencies": {"a": "1"}}';
    aRepository("my.app", "main", { "package.json": manifest, "package-lock.json": "{}" });
    writeFileSync(join(root, "my.app/package.json"), "{}");
    expect(await find("my.app/src")).toMatchObject({
      value: {
        name: "my-app",
        path: join(root, "my.app"),
        base: "main",
        test: ["npm", "test"],
        preparation: { commands: [["npm", "ci"]] },
      },
    });
    expect(await find("shop=my.app")).toMatchObject({ value: { name: "shop" } });
  });

  test("runs pytest by the interpreter that prepare makes", async () => {
    aRepository("py", "main", { "pytest.ini": "", "requirements.txt": "pytest" });
    expect(await find("py")).toMatchObject({ value: { test: [".venv/bin/python", "-m", "pytest"] } });
  });

  test("takes the branch that is named, that of the remote, a usual one, or the present one", async () => {
    aRepository("app", "feature");
    expect(await base("app")).toBe("feature");
    git("app", "branch", "master");
    expect(await base("app")).toBe("master");
    git("app", "branch", "release");
    git("app", "update-ref", "refs/remotes/origin/release", "HEAD");
    git("app", "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/release");
    expect(await base("app")).toBe("release");
    expect(await base("app#feature")).toBe("feature");
    expect(await base("app#nowhere")).toBe("app has no local branch nowhere");
  });

  test("takes a bare repository and a linked worktree", async () => {
    aRepository("app", "main");
    git(".", "clone", "-q", "--bare", "app", "bare.git");
    git("app", "worktree", "add", "-q", "../linked", "-b", "other");
    expect(await find("bare.git")).toMatchObject({ value: { name: "bare", path: join(root, "bare.git"), base: "main" } });
    expect(await find("linked")).toMatchObject({ value: { path: join(root, "linked"), base: "main" } });
  });

  test("says why a folder cannot be one", async () => {
    mkdirSync(join(root, "plain"));
    mkdirSync(join(root, "empty"));
    git("empty", "init", "-q", "-b", "main");
    expect(await find("plain")).toEqual({ problem: "plain is in no git repository" });
    expect(await find("nowhere")).toEqual({ problem: "nowhere is in no git repository" });
    expect(await find("empty")).toEqual({ problem: "empty has no commit on a local branch: make one first" });
    aRepository("app", "main");
    expect(await find("-x=app")).toMatchObject({ problem: expect.stringContaining("cannot name a repository") });
  });

  test("knows the remote as git rewrites it by its user's configuration", async () => {
    aRepository("app", "main");
    git("app", "remote", "add", "origin", "gh:acme/shop.git");
    expect(await find("app")).toMatchObject({ value: { remote: { host: "gh" } } });
    writeFileSync(join(root, ".gitconfig"), '[url "git@github.com:"]\n\tinsteadOf = gh:\n');
    expect(await find("app")).toMatchObject({ value: { remote: { host: "github.com", fullName: "acme/shop" } } });
  });

  test("lists the repositories below a folder", async () => {
    for (const name of ["b", "a", ".hidden"]) aRepository(name, "main");
    mkdirSync(join(root, "plain"));
    expect(await repositoriesBelow(root)).toEqual(["a", "b"]);
  });
});

describe("remoteName", () => {
  test.for<[address: string, host: string, fullName: string]>([
    ["git@github.com:acme/shop.git", "github.com", "acme/shop"],
    ["https://github.com/acme/shop", "github.com", "acme/shop"],
    ["https://user:hunter2@github.com/acme/shop.js.git", "github.com", "acme/shop.js"],
    ["ssh://git@ssh.github.com:443/acme/shop.git", "github.com", "acme/shop"],
    ["ssh://git@git.corp.example:2222/acme/shop.git/", "git.corp.example", "acme/shop"],
  ])("reads %s", ([address, host, fullName]) => {
    expect(remoteName(address)).toEqual({ host, fullName });
  });

  test.for(["", "/srv/git/shop.git", "../shop", "https://gitlab.com/group/sub/shop.git", "file:///srv/shop"])(
    "knows nothing of %j",
    (address) => {
      expect(remoteName(address)).toBeUndefined();
    },
  );
});

test("nameFor makes a name of any text", () => {
  expect(["my app", "_x", "…", "a.lock", "Shop_2"].map(nameFor)).toEqual(["my-app", "x", "app", "a-lock", "Shop_2"]);
});
