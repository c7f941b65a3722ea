import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openRepo } from "../../../src/adapters/vcs/repository/git-repo.ts";
import { UserError } from "../../../src/domain/values/user-error.ts";
import { APP, cleanUp, git, newRepo, tempDir, write } from "./real-repo.ts";

cleanUp();
const PATH = process.env["PATH"];
afterEach(() => {
  process.env["PATH"] = PATH;
});

async function refusal(root: string, path: string, base = "main"): Promise<UserError> {
  const error = await openRepo({ id: APP, path, base, scratch: root }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof UserError)) throw new Error(`not refused as a UserError: ${String(error)}`);
  expect(error.exitCode).toBe(4);
  expect(error.what).toBe('repository "app" cannot be used');
  expect(error.todo).not.toBe("");
  return error;
}

const states: Record<string, readonly [prepare: (user: string, root: string) => string | undefined, why: RegExp, base?: string]> =
  {
    "no folder": [(user) => join(user, "none"), /does not exist$/],
    "a file": [(user) => join(user, "a.txt"), /is not a folder$/],
    "a folder that is no repository": [(_, root) => root, /is not a git repository$/],
    "a folder within the repository": [
      (user) => {
        mkdirSync(join(user, "sub"));
        return join(user, "sub");
      },
      /sub is a folder within the repository .*user$/,
    ],
    "a missing base": [() => undefined, /no local branch "other"/, "other"],
    "a revision as base": [() => undefined, /cannot name a branch/, "main~0"],
    "an option as base": [() => undefined, /cannot name a branch/, "--all"],
    "a tag as base": [(user) => void git(user, "tag", "v1"), /no local branch "v1"/, "v1"],
    "a changed file": [(user) => void write(user, "a.txt", "x\n"), /uncommitted changes: a\.txt$/],
    "a staged file": [
      (user) => {
        write(user, "new", "x\n");
        git(user, "add", "new");
        return undefined;
      },
      /uncommitted changes: new$/,
    ],
    "a detached HEAD": [(user) => void git(user, "switch", "-q", "--detach"), /HEAD is detached in/],
    "a merge under way": [(user) => void write(user, ".git/MERGE_HEAD", git(user, "rev-parse", "HEAD")), /a merge is under way/],
    "a cherry-pick under way": [
      (user) => void write(user, ".git/CHERRY_PICK_HEAD", git(user, "rev-parse", "HEAD")),
      /a cherry-pick is under way/,
    ],
    "a stopped rebase of the base": [
      (user) => {
        git(user, "switch", "-q", "-c", "side");
        write(user, "a.txt", "side\n");
        git(user, "commit", "-qam", "side");
        git(user, "switch", "-q", "main");
        write(user, "a.txt", "main\n");
        git(user, "commit", "-qam", "main");
        expect(() => git(user, "rebase", "side")).toThrow();
        return undefined;
      },
      /a rebase is under way/,
    ],
    "a dirty linked worktree of the base": [
      (user, root) => {
        git(user, "switch", "-q", "-c", "side");
        git(user, "worktree", "add", "-q", join(root, "linked"), "main");
        write(join(root, "linked"), "b.txt", "x\n");
        return undefined;
      },
      /linked has uncommitted changes: b\.txt$/,
    ],
    "split indexes": [(user) => void git(user, "config", "core.splitIndex", "true"), /split indexes/],
  };

test.each(Object.entries(states))("%s is refused", async (_, [prepare, why, base]) => {
  const root = tempDir();
  const user = newRepo(root);
  const error = await refusal(root, prepare(user, root) ?? user, base);
  expect(error.why).toMatch(why);
  // The advice fits the cause: committing is none for a merge under way or a missing folder.
  const advice = error.why.includes("uncommitted")
    ? /^commit or stash/
    : error.why.includes("under way")
      ? /--abort$/
      : /^(?!.*stash)/;
  expect(error.todo).toMatch(advice);
});

test("untracked files, another dirty branch and odd branch names are not refused", async () => {
  const root = tempDir();
  const user = newRepo(root);
  write(user, "untracked", "x\n");
  await openRepo({ id: APP, path: user, base: "main", scratch: root });
  git(user, "switch", "-q", "-c", "feature/ünï#1");
  write(user, "a.txt", "dirty\n");
  const repo = await openRepo({ id: APP, path: user, base: "main", scratch: root });
  expect(await repo.baseTip()).toBe(git(user, "rev-parse", "main"));
  git(user, "commit", "-qam", "on the branch");
  const other = await openRepo({ id: APP, path: user, base: "feature/ünï#1", scratch: root });
  expect(await other.baseTip()).toBe(git(user, "rev-parse", "HEAD"));
});

test("a missing git and one that is too old are refused", async () => {
  const root = tempDir();
  const user = newRepo(root);
  const bin = join(root, "bin");
  mkdirSync(bin);
  process.env["PATH"] = bin;
  expect((await refusal(root, user)).why).toBe("no git program was found on the PATH");
  writeFileSync(join(bin, "git"), "#!/bin/sh\necho git version 2.37.9\n");
  chmodSync(join(bin, "git"), 0o755);
  expect((await refusal(root, user)).why).toBe("git 2.37.9 cannot merge without a checkout");
});

test("git is given nothing of our environment but what it needs", async () => {
  const root = tempDir();
  const user = newRepo(root);
  const bin = join(root, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "git"), `#!/bin/sh\nenv >>${join(root, "env")}\nPATH=${PATH}\nexec git "$@"\n`);
  chmodSync(join(bin, "git"), 0o755);
  process.env["PATH"] = `${bin}:${PATH}`;
  process.env["SECRET_TOKEN"] = "s3cret";
  process.env["GIT_EXEC_PATH"] = "/nonexistent";
  try {
    await openRepo({ id: APP, path: user, base: "main", scratch: root });
  } finally {
    delete process.env["SECRET_TOKEN"];
    delete process.env["GIT_EXEC_PATH"];
  }
  const seen = new Set(
    git(root, "grep", "--no-index", "-h", "-o", "^[A-Za-z_]*", "--", "env")
      .split("\n")
      .filter((name) => !name.startsWith("GIT_")),
  );
  expect([...seen].sort()).toEqual(expect.arrayContaining(["LANG", "LC_ALL", "PATH"]));
  for (const name of seen) expect(["LANG", "LC_ALL", "PATH", "TZ", "PWD", "OLDPWD", "SHLVL", "_"]).toContain(name);
  expect(git(root, "grep", "--no-index", "-c", "GIT_CONFIG_GLOBAL=/dev/null", "--", "env")).not.toBe("env:0");
});
