import { chmodSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openRepo } from "../../../src/adapters/vcs/repository/git-repo.ts";
import { APP, cleanUp, git, newRepo, setUp, statusOf, tempDir, worktree, write } from "./real-repo.ts";

cleanUp();

describe("change, writePatch, has, contains", () => {
  test("lists paths with what they are, a rename as two", async () => {
    const of = await setUp((user) => {
      write(user, "run.sh", "#!/bin/sh\n");
      chmodSync(join(user, "run.sh"), 0o755);
      git(user, "add", "-A");
      git(user, "commit", "-qm", "more");
    });
    const made = await worktree(of);
    git(made.path, "mv", "b.txt", "c.txt");
    symlinkSync("/etc/passwd", join(made.path, "out"));
    write(made.path, "run.sh", "#!/bin/sh\nexit\n");
    write(made.path, "binary", "\0\0");
    const captured = await of.repo.capture(made);
    const expected = {
      tip: captured.tip,
      additions: 4,
      deletions: 1,
      content: expect.stringMatching(/^[0-9a-f]{32}$/),
      paths: [
        { path: "b.txt", how: "deleted", mode: "file" },
        { path: "binary", how: "added", mode: "file" },
        { path: "c.txt", how: "added", mode: "file" },
        { path: "out", how: "added", mode: "symlink" },
        { path: "run.sh", how: "modified", mode: "executable" },
      ],
    };
    expect(captured).toEqual(expected);
    const again = await of.repo.change({ from: of.first, tip: captured.tip });
    expect(again).toEqual(expected);
    expect(again.content).toBe(captured.content);
  });

  test("writes a patch that applies, and cuts a long one within its bound", async () => {
    const of = await setUp();
    const made = await worktree(of);
    write(made.path, "big.txt", "0123456789\n".repeat(200_000));
    const { tip } = await of.repo.capture(made);
    const file = join(of.root, "patch");
    await of.repo.writePatch({ from: of.first, tip, file, maxBytes: 10_000_000 });
    git(of.user, "apply", "--check", file);
    await of.repo.writePatch({ from: of.first, tip, file, maxBytes: 5000 });
    const patch = readFileSync(file, "utf8");
    expect(patch.length).toBeLessThanOrEqual(5000);
    expect(patch.length).toBeGreaterThan(4900);
    expect(patch).toMatch(/\+0123456789\n# cut here: the whole patch is longer than 5000 bytes\n$/);
  });

  test("knows which commits are there and which the base contains", async () => {
    const of = await setUp();
    const made = await worktree(of);
    write(made.path, "x", "x");
    const { tip } = await of.repo.capture(made);
    expect(await of.repo.has(tip)).toBe(true);
    expect(await of.repo.has("1".repeat(40))).toBe(false);
    expect(await of.repo.contains(of.first)).toBe(true);
    expect(await of.repo.contains(tip)).toBe(false);
    const gone = "1".repeat(40);
    expect(await of.repo.contains(gone)).toBe(false);
    expect(await of.repo.missingFromBase([])).toEqual([]);
    expect(await of.repo.missingFromBase([of.first, tip])).toEqual([tip]);
    expect(await of.repo.missingFromBase([tip, gone, of.first, "2".repeat(40)])).toEqual([tip, gone, "2".repeat(40)]);
    rmSync(join(of.user, ".git", "objects", git(of.user, "rev-parse", `${tip}^{tree}`).replace(/^../, "$&/")));
    expect(await of.repo.has(tip)).toBe(false);
  });

  test("works in a SHA-256 repository", async () => {
    const root = tempDir();
    const user = newRepo(root, "--object-format=sha256");
    const repo = await openRepo({ id: APP, path: user, base: "main", scratch: root });
    const first = await repo.baseTip();
    const made = await worktree({ root, user, repo, first });
    write(made.path, "x", "x\n");
    const { tip } = await repo.capture(made);
    const candidate = await repo.candidate({ tip, message: "m" });
    const to = candidate.ok ? candidate.commit : "";
    expect(await repo.land({ from: first, to })).toEqual({ as: "landed" });
    await repo.checkout({ commit: to, path: join(root, "p") });
    expect(statusOf(user) + statusOf(join(root, "p"))).toBe("");
  });
});
