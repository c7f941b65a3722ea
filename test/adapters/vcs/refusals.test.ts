import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openRepo } from "../../../src/adapters/vcs/repository/git-repo.ts";
import { UserError } from "../../../src/domain/values/user-error.ts";
import { RepoUnavailable } from "../../../src/ports/vcs.ts";
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
    "a branch where those of tickets are": [
      (user) => void git(user, "branch", "loopdash"),
      /its branch "loopdash" keeps git from/,
    ],
    "the same, packed": [
      (user) => {
        git(user, "branch", "loopdash");
        git(user, "pack-refs", "--all");
      },
      /its branch "loopdash" keeps git from/,
    ],
    "the same, a symbolic ref to nowhere": [
      (user) => void git(user, "symbolic-ref", "refs/heads/loopdash", "refs/heads/gone"),
      /its branch "loopdash" keeps git from/,
    ],
    "a clone without the base's files": [(user, root) => partialClone(user, root, "blob:none"), /lacks files of its base/],
    "a clone without the base's folders": [(user, root) => partialClone(user, root, "tree:0"), /lacks files of its base/],
    "refs in reftables": [
      (user) => {
        git(user, "config", "core.repositoryFormatVersion", "1");
        git(user, "config", "extensions.refStorage", "reftable");
      },
      /keeps its refs as "reftable"|git cannot open .*refstorage/,
    ],
    "a linked worktree of a repository whose git folder lies apart": [
      (_, root) => {
        git(root, "init", "-q", "-b", "side", `--separate-git-dir=${join(root, "apart")}`, "main");
        git(join(root, "main"), "commit", "-q", "--allow-empty", "-m", "first");
        git(join(root, "main"), "worktree", "add", "-q", "-b", "main", join(root, "linked"));
        return join(root, "linked");
      },
      /does not name its main checkout/,
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

/** A clone with nothing checked out, which therefore has nothing of what the filter leaves out. */
function partialClone(user: string, root: string, filter: string): string {
  git(user, "config", "uploadpack.allowFilter", "true");
  git(root, "clone", "-q", "--bare", `--filter=${filter}`, `file://${user}`, "partial.git");
  return join(root, "partial.git");
}

test.each(["blob:none", "tree:0"])(
  "a clone with the filter %s is opened once its files are fetched as the refusal says",
  async (filter) => {
    const root = tempDir();
    const path = partialClone(newRepo(root), root, filter);
    const [, ...command] = (await refusal(root, path)).todo.replace("fetch them: ", "").split(" ");
    git(root, ...command);
    const repo = await openRepo({ id: APP, path, base: "main", scratch: root });
    await repo.checkout({ commit: await repo.baseTip(), path: join(root, "checkout") });
    expect(readFileSync(join(root, "checkout", "b.txt"), "utf8")).toBe("b\n");
  },
);

test("a tag of the base's name is not in the repository of an agent or a check", async () => {
  const root = tempDir();
  const user = newRepo(root);
  git(user, "tag", "main");
  git(user, "tag", "v1");
  write(user, "b.txt", "newer\n");
  git(user, "commit", "-qam", "newer");
  const repo = await openRepo({ id: APP, path: user, base: "main", scratch: root });
  const path = join(root, "checkout");
  await repo.checkout({ commit: await repo.baseTip(), path });
  expect(git(path, "tag")).toBe("v1");
  expect(git(path, "show", "main:b.txt")).toBe("newer");
});

test("a branch that is made where one of a ticket belongs costs no attempt: the work waits until it is renamed", async () => {
  const root = tempDir();
  const user = newRepo(root);
  const repo = await openRepo({ id: APP, path: user, base: "main", scratch: root });
  const from = await repo.baseTip();
  git(user, "branch", "loopdash/r");
  const add = () => repo.addWorktree({ path: join(root, "T-1"), branch: "loopdash/r/T-1", from });
  const waits = await add().then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(waits).toBeInstanceOf(RepoUnavailable);
  expect(String(waits)).toContain(`rename it: git -C ${user} branch -m loopdash/r <new name>`);
  git(user, "branch", "-m", "loopdash/r", "mine");
  await add();
  git(user, "pack-refs", "--all");
  await repo.removeWorktree({ path: join(root, "T-1"), branch: "loopdash/r/T-1", deleteBranch: true });
  git(user, "branch", "loopdash/r/T-1/below");
  await expect(add()).rejects.toThrow("loopdash/r/T-1/below");
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
