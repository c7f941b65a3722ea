import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { countLargestTree } from "../../../../src/adapters/vcs/capture/tree-counts.ts";
import { openRepo } from "../../../../src/adapters/vcs/repository/git-repo.ts";
import { APP, cleanUp, git, newRepo, type Setting, setUp, tempDir, worktree, write } from "../real-repo.ts";

cleanUp();

const BOUNDS = { ms: 2_000, graceMs: 100, oneFileBytes: 2 ** 20, allFilesBytes: 2 ** 21 };
const bounded = (): Promise<Setting> => setUp(undefined, () => ({ capture: BOUNDS }));

const sh = (cwd: string, script: string): void => void execFileSync("sh", ["-ec", script], { cwd });

/** Leaves a git folder elsewhere whose HEAD is a pipe: nothing but time ends who opens it. */
const HANGS = "mkdir -p g/objects g/refs x; mkfifo g/HEAD; echo gitdir: ../g > x/.git; echo > x/y";

/** Processes with a git folder of ours for a worktree below this one; sessions, which stay, have another. */
function processesOn(root: string): string[] {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && pid !== String(process.pid))
    .filter((pid) => {
      try {
        return (
          /GIT_DIR=[^\0]*\/w-[0-9a-f]+/
            .exec(readFileSync(`/proc/${pid}/environ`, "latin1"))?.[0]
            .startsWith(`GIT_DIR=${root}`) === true
        );
      } catch {
        // It has ended, or is not ours.
        return false;
      }
    });
}

describe("what a worker left", { timeout: 60_000 }, () => {
  test.each([
    ["a pipe as list of ignored files", "mkdir src; mkfifo src/.gitignore", /captured: src\/\.gitignore is not a regular file/],
    ["a pipe as attributes", "mkfifo .gitattributes", /captured: \.gitattributes is not a regular file/],
    [
      "a pipe in a nested repository",
      "git init -q x; rm x/.git/HEAD; mkfifo x/.git/HEAD",
      /x\/\.git\/HEAD is not a regular file/,
    ],
    ["a long list of ignored files", "rm .gitignore; truncate -s 10G .gitignore", /\.gitignore is larger than 1024 KiB/],
    ["a large file", "truncate -s 2M big", /captured: big is larger than 1 MiB/],
    ["many files", "for n in 1 2 3 4; do truncate -s 1M f$n; done", /new or changed are larger than 2 MiB together/],
    ["a pipe in a folder that a nested repository names", HANGS, /captured: it took longer than 2 s/],
  ])("is not captured where it is %s", async (_, script, told) => {
    const of = await bounded();
    const made = await worktree(of);
    sh(made.path, script);
    await expect(of.repo.capture(made)).rejects.toThrow(told);
    expect(processesOn(of.root)).toEqual([]);
    expect(git(of.user, "rev-parse", made.branch)).toBe(of.first);
  });

  test("is captured where it is none of that, though pipes and links lie beside", async () => {
    const of = await bounded();
    const made = await worktree(of);
    sh(made.path, "mkfifo pipe; mkdir d; ln -s ../.gitignore d/.gitignore; echo x > d/x");
    const { paths } = await of.repo.capture(made);
    expect(paths.map(({ path }) => path).toSorted()).toEqual(["d/.gitignore", "d/x"]);
  });

  test("is let go of soon after the attempt is cancelled, and within the time that is left of it", async () => {
    const of = await setUp(undefined, () => ({ capture: { ...BOUNDS, ms: 60_000 } }));
    const made = await worktree(of);
    sh(made.path, HANGS);
    await expect(of.repo.capture({ ...made, timeoutMs: 500 })).rejects.toThrow("it took longer than 1 s");
    const stop = new AbortController();
    const capture = of.repo.capture({ ...made, signal: stop.signal });
    stop.abort();
    await expect(capture).rejects.toThrow("it was cancelled");
    expect(processesOn(of.root)).toEqual([]);
  });

  test("is removed however deep it is, and its record too", async () => {
    const of = await setUp();
    const made = await worktree(of);
    const deep = 'n=$(printf "d%.0s" $(seq 200)); for i in $(seq 60); do mkdir $n; cd -P $n || exit 1; done';
    expect(spawnSync("bash", ["-c", `${deep}; chmod 000 .`], { cwd: made.path }).status).toBe(0);
    await of.repo.removeWorktree({ ...made, deleteBranch: true });
    expect(existsSync(made.path)).toBe(false);
    expect(git(of.user, "worktree", "list").split("\n")).toHaveLength(1);
  });

  test("a record that a pipe was put in holds nobody up", async () => {
    const of = await setUp();
    const made = await worktree(of);
    const record = join(of.user, ".git/worktrees/T-1");
    sh(record, "rm HEAD; mkfifo HEAD; mkdir rebase-merge; mkfifo rebase-merge/head-name");
    await openRepo({ id: APP, path: of.user, base: "main", scratch: of.root });
    await of.repo.removeWorktree({ ...made, deleteBranch: true });
    expect(existsSync(record)).toBe(false);
  });

  test("what a process that is gone had begun to take over is removed, what another is at stays", async () => {
    const root = tempDir();
    const user = newRepo(root);
    const pack = join(user, ".git/objects/pack");
    mkdirSync(pack, { recursive: true });
    const gone = spawnSync("true").pid;
    for (const pid of [gone, process.ppid]) writeFileSync(join(pack, `tmp_loopdash_${pid}_x`), "x");
    await openRepo({ id: APP, path: user, base: "main", scratch: root });
    expect(readdirSync(pack)).toEqual([`tmp_loopdash_${process.ppid}_x`]);
  });
});

describe("the place of a worktree", () => {
  const placeOf = async (setting: Setting, avoid: readonly string[]) => {
    const made = await worktree(setting);
    const { write: open, mounts } = await setting.repo.agentView({ ...made, avoid });
    const shown = mounts.find(({ from }) => from === made.path)?.at ?? open[0];
    return { shown, path: made.path, gitFile: mounts.find(({ at }) => at.endsWith("/.git"))?.at };
  };

  test("is that of the user's checkout, with a .git file of its own", async () => {
    const of = await setUp();
    expect(await placeOf(of, [join(of.root, "elsewhere")])).toMatchObject({ shown: of.user, gitFile: join(of.user, ".git") });
  });

  test.each(["user/tools/agent", "user", "."])("is its own where %s is to be seen there too", async (avoid) => {
    const of = await setUp();
    const { shown, path, gitFile } = await placeOf(of, [join(of.root, avoid)]);
    expect([shown, gitFile]).toEqual([path, join(path, ".git")]);
  });
});

describe("the files that folders stand for", () => {
  test("are counted once for each folder, those of the base included", () => {
    const trees = new Map([
      ["a", { entries: 2, folders: ["b", "b"] }],
      ["b", { entries: 3, folders: ["base"] }],
    ]);
    const known = new Map([["base", 10]]);
    expect(countLargestTree(trees, known, 1_000)).toBe(28);
    expect(countLargestTree(trees, known, 27)).toBeUndefined();
    expect(countLargestTree(new Map(), known, 1)).toBe(0);
  });
});

test("a repository that borrows its objects is worked on like any other", async () => {
  const root = tempDir();
  const lender = newRepo(root);
  const user = join(root, "borrower");
  git(root, "clone", "-q", "--shared", lender, user);
  const repo = await openRepo({ id: APP, path: user, base: "main", scratch: root });
  expect(repo.checkoutView.read).toEqual([join(lender, ".git/objects")]);
  const made = { path: join(root, "T-1"), branch: "loopdash/r/T-1", from: await repo.baseTip(), message: "m" };
  await repo.addWorktree(made);
  write(made.path, "new", "x\n");
  expect((await repo.capture(made)).paths).toHaveLength(1);
});
