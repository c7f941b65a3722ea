import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openRepo } from "../../../src/adapters/vcs/repository/git-repo.ts";
import { APP, cleanUp, git, newRepo, setUp, statusOf, tempDir, worktree, write } from "./real-repo.ts";

cleanUp();

describe("addWorktree", () => {
  test("makes a clean linked worktree on a fresh branch at the given commit", async () => {
    const of = await setUp();
    const made = await worktree(of);
    expect(git(made.path, "symbolic-ref", "HEAD")).toBe("refs/heads/loopdash/r/T-1");
    expect(git(made.path, "rev-parse", "HEAD")).toBe(of.first);
    expect(statusOf(made.path)).toBe("");
    expect(readFileSync(join(made.path, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
    expect(statusOf(of.user)).toBe("");
  });

  test("twenty at the same time all succeed", async () => {
    const of = await setUp();
    const made = await Promise.all(Array.from({ length: 20 }, (_, i) => worktree(of, `T-${i}`)));
    for (const each of made) {
      expect(git(each.path, "symbolic-ref", "--short", "HEAD")).toBe(each.branch);
      expect(statusOf(each.path)).toBe("");
    }
    expect(readdirSync(join(of.user, ".git", "worktrees"))).toHaveLength(20);
  });

  test("replaces leftovers of the same path and branch, and can be repeated", async () => {
    const of = await setUp();
    const made = await worktree(of);
    write(made.path, "a.txt", "left over\n");
    write(made.path, "junk", "left over\n");
    await of.repo.capture(made);
    await of.repo.addWorktree(made);
    expect(git(made.path, "rev-parse", "HEAD")).toBe(of.first);
    expect(existsSync(join(made.path, "junk"))).toBe(false);
    rmSync(made.path, { recursive: true });
    await of.repo.addWorktree(made);
    expect(statusOf(made.path)).toBe("");
    expect(readdirSync(join(of.user, ".git", "worktrees"))).toHaveLength(1);
  });

  test("takes the branch from another folder, whose files and commit stay", async () => {
    const of = await setUp();
    const made = await worktree(of);
    write(made.path, "a.txt", "kept\n");
    await of.repo.addWorktree({ ...made, path: join(of.root, "T-1-again") });
    expect(readFileSync(join(made.path, "a.txt"), "utf8")).toBe("kept\n");
    expect(git(made.path, "rev-parse", "HEAD")).toBe(of.first);
    expect(git(join(of.root, "T-1-again"), "symbolic-ref", "--short", "HEAD")).toBe(made.branch);
  });

  test.each(["-b", "--detach", "a b", "a..b", "main~1", "x.lock", "a//b", ""])("refuses the branch name %j", async (branch) => {
    const of = await setUp();
    await expect(of.repo.addWorktree({ path: join(of.root, "w"), branch, from: of.first })).rejects.toThrow(
      /cannot name a branch/,
    );
    expect(existsSync(join(of.root, "w"))).toBe(false);
  });

  test("refuses a start that is not an object id, and paths that hold the user's files", async () => {
    const of = await setUp();
    const branch = "loopdash/r/T-1";
    await expect(of.repo.addWorktree({ path: join(of.root, "w"), branch, from: "main" })).rejects.toThrow(/not an object id/);
    for (const path of [of.user, of.root, join(of.user, ".git"), "relative"]) {
      await expect(of.repo.addWorktree({ path, branch, from: of.first })).rejects.toThrow(/cannot be at/);
      await expect(of.repo.removeWorktree({ path, branch, deleteBranch: true })).rejects.toThrow(/cannot be at/);
    }
    expect(statusOf(of.user)).toBe("");
  });
});

describe("removeWorktree", () => {
  test("removes folder, record and branch, and can be repeated", async () => {
    const of = await setUp();
    const made = await worktree(of);
    await of.repo.removeWorktree({ ...made, deleteBranch: false });
    expect(existsSync(made.path)).toBe(false);
    expect(git(of.user, "branch", "--list", "--format=%(refname:short)", "loopdash/*")).toBe(made.branch);
    for (const _ of [1, 2]) await of.repo.removeWorktree({ ...made, deleteBranch: true });
    expect(git(of.user, "branch", "--list", "loopdash/*")).toBe("");
    expect(git(of.user, "worktree", "list", "--porcelain").match(/^worktree /gm)).toHaveLength(1);
  });

  test("does so where the agent broke the worktree, and follows no link out of it", async () => {
    const of = await setUp();
    const made = await worktree(of);
    mkdirSync(join(of.root, "elsewhere"));
    write(join(of.root, "elsewhere"), "precious", "x");
    rmSync(join(made.path, ".git"));
    symlinkSync(join(of.root, "elsewhere"), join(made.path, "link"));
    mkdirSync(join(made.path, "locked"));
    write(join(made.path, "locked"), "f", "x");
    chmodSync(join(made.path, "locked"), 0o500);
    await of.repo.removeWorktree({ ...made, deleteBranch: true });
    expect(existsSync(made.path)).toBe(false);
    expect(existsSync(join(of.root, "elsewhere", "precious"))).toBe(true);
    expect(readdirSync(join(of.user, ".git", "worktrees"))).toEqual([]);
  });
});

describe("candidate", () => {
  test("is one commit on the base tip, by loopdash, with the ticket's message", async () => {
    const of = await setUp();
    const made = await worktree(of);
    write(made.path, "new.txt", "new\n");
    git(made.path, "add", "-A");
    git(made.path, "commit", "-q", "-m", "agent's own");
    write(made.path, "a.txt", "changed\n");
    const { tip } = await of.repo.capture(made);
    const candidate = await of.repo.candidate({ tip, message: "-m T-1: title\n\n#body" });
    expect(candidate).toMatchObject({ ok: true, base: of.first });
    const commit = candidate.ok ? candidate.commit : "";
    expect(git(of.user, "log", "--format=%P|%an <%ae>|%B", "-1", commit)).toBe(
      `${of.first}|loopdash <loopdash@localhost>|-m T-1: title\n\n#body\n`,
    );
    expect(git(of.user, "diff", "--name-status", of.first, commit)).toBe("M\ta.txt\nA\tnew.txt");
    expect(git(of.user, "branch", "--contains", commit)).toBe("");
  });

  test.each(["this process", "another process"])("merges with a base that moved on, tip captured by %s", async (by) => {
    const of = await setUp();
    const made = await worktree(of);
    write(made.path, "a.txt", "ONE\ntwo\nthree\n");
    const { tip } = await of.repo.capture(made);
    write(of.user, "b.txt", "moved on\n");
    git(of.user, "commit", "-qam", "moved on");
    const moved = git(of.user, "rev-parse", "main");
    const repo = by === "this process" ? of.repo : await openRepo({ id: APP, path: of.user, base: "main", scratch: of.root });
    const candidate = await repo.candidate({ tip, message: "m" });
    expect(candidate).toMatchObject({ ok: true, base: moved });
    const commit = candidate.ok ? candidate.commit : "";
    expect(git(of.user, "show", `${commit}:a.txt`)).toBe("ONE\ntwo\nthree");
    expect(git(of.user, "show", `${commit}:b.txt`)).toBe("moved on");
    expect(git(of.user, "rev-parse", `${commit}^@`)).toBe(moved);
  });

  test("tells the conflicted paths, whatever their names", async () => {
    const of = await setUp((user) => {
      write(user, 'odd\n"name" ü', "x\n");
      git(user, "add", "-A");
      git(user, "commit", "-qm", "odd");
    });
    const made = await worktree(of);
    write(made.path, 'odd\n"name" ü', "agent\n");
    write(made.path, "a.txt", "agent\n");
    const { tip } = await of.repo.capture(made);
    write(of.user, 'odd\n"name" ü', "person\n");
    write(of.user, "a.txt", "person\n");
    git(of.user, "commit", "-qam", "person");
    const candidate = await of.repo.candidate({ tip, message: "m" });
    expect(candidate).toMatchObject({ ok: false, base: git(of.user, "rev-parse", "main") });
    if (candidate.ok) return;
    expect([...candidate.conflicts].sort()).toEqual(["a.txt", 'odd\n"name" ü']);
    expect(candidate.detail).toContain("CONFLICT (content): Merge conflict in a.txt");
  });

  test.each([
    ["time", { ms: 1 }, "it took longer than 1 s"],
    ["memory", { memoryBytes: 64 * 2 ** 20 }, "there is not enough memory for it"],
  ])("is none where merging takes more %s than a capture may", async (_what, capture, detail) => {
    const of = await setUp();
    const long = "line\n".repeat(8_000_000);
    const made = await worktree(of);
    write(made.path, "a.txt", `${long}worker\n`);
    const { tip } = await of.repo.capture(made);
    write(of.user, "a.txt", `person\n${long}`);
    git(of.user, "commit", "-qam", "person");
    const repo = await openRepo({ id: APP, path: of.user, base: "main", scratch: of.root, capture });
    expect(await repo.candidate({ tip, message: "m" })).toMatchObject({ ok: false, conflicts: [], detail });
  });

  test("fails loudly for a tip that is not there", async () => {
    const of = await setUp();
    await expect(of.repo.candidate({ tip: "1".repeat(40), message: "m" })).rejects.toThrow(/merge-tree failed/);
  });
});

describe("checkout", () => {
  test("is pristine, clean, and independent of the user's repository", async () => {
    const of = await setUp((user) => {
      git(user, "config", "core.autocrlf", "true");
      git(user, "config", "user.name", "secret");
    });
    const path = join(of.root, "pristine");
    await of.repo.checkout({ commit: of.first, path });
    expect(statusOf(path)).toBe("");
    expect(git(path, "rev-parse", "HEAD")).toBe(of.first);
    expect(readFileSync(join(path, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
    expect(git(path, "config", "--local", "--list")).not.toContain("secret");
    const before = git(of.user, "for-each-ref") + git(of.user, "count-objects");
    write(path, "a.txt", "x\n");
    git(path, "commit", "-qam", "in the copy");
    git(path, "update-ref", "refs/heads/main", "HEAD");
    git(path, "gc", "-q", "--prune=now");
    expect(git(of.user, "for-each-ref") + git(of.user, "count-objects")).toBe(before);
    expect(lstatSync(join(path, ".git")).isDirectory()).toBe(true);
  });

  test("works where the repository itself borrows objects, relatively too", async () => {
    const root = tempDir();
    const source = newRepo(root);
    git(root, "clone", "-q", "--shared", source, "middle");
    git(root, "clone", "-q", "--shared", "middle", "last");
    write(join(root, "last", ".git", "objects", "info"), "alternates", "../../../middle/.git/objects\n");
    const repo = await openRepo({ id: APP, path: join(root, "last"), base: "main", scratch: root });
    await repo.checkout({ commit: await repo.baseTip(), path: join(root, "out") });
    expect(statusOf(join(root, "out"))).toBe("");
  });

  test("refuses a folder that is there already", async () => {
    const of = await setUp();
    mkdirSync(join(of.root, "taken"));
    await expect(of.repo.checkout({ commit: of.first, path: join(of.root, "taken") })).rejects.toThrow(/EEXIST/);
  });
});
