import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { buildCandidate } from "../../../../src/adapters/vcs/landing/candidate.ts";
import { changeBetween } from "../../../../src/adapters/vcs/landing/change.ts";
import { changedLines } from "../../../../src/adapters/vcs/landing/changed-lines.ts";
import { readFilesAt } from "../../../../src/adapters/vcs/landing/derived-commit.ts";
import { readFileAt } from "../../../../src/adapters/vcs/repository/git-repo.ts";
import { readFiles } from "../../../../src/adapters/vcs/repository/trees.ts";
import { cleanUp, git } from "../real-repo.ts";
import { holdTimers, openedStore, sessionsOf } from "../sessions.ts";

cleanUp();

const LINES = Array.from({ length: 30 }, (_, i) => `line ${i}\n`);

/** Commits files on top of a commit; undefined removes one. */
function commit(user: string, onto: string, files: Readonly<Record<string, string | Buffer | undefined>>): string {
  git(user, "checkout", "--quiet", "--detach", onto);
  for (const [path, content] of Object.entries(files)) {
    if (content === undefined) rmSync(join(user, path));
    else writeFileSync(join(user, path), content);
  }
  git(user, "add", "--all");
  git(user, "commit", "--quiet", "--allow-empty", "-m", "x");
  const made = git(user, "rev-parse", "HEAD");
  git(user, "checkout", "--quiet", "main");
  return made;
}

describe("merges that one session answers", () => {
  test("are what a process of its own would make: clean, with messages, and in conflict", async () => {
    holdTimers();
    const { user, store, root, first } = await openedStore();
    const start = commit(user, first, { text: LINES.join(""), other: "1\n" });
    const base = commit(user, start, { text: LINES.with(1, "base\n").join(""), moved: "2\n" });
    const tips = [
      commit(user, start, { new: "3\n" }),
      commit(user, start, { text: LINES.with(28, "tip\n").join("") }),
      commit(user, start, { text: LINES.with(1, "tip\n").join(""), other: "4\n", "1\n": "odd\n" }),
      commit(user, start, { text: undefined }),
      commit(user, start, { moved: "5\n" }),
      base,
    ];
    for (const tip of [...tips, ...tips]) {
      const built = await buildCandidate(store, { base, tip, message: "m", startedAt: undefined, signal: undefined });
      const { tree, conflicts } = alone(user, base, tip);
      expect(built).toMatchObject(conflicts.length === 0 ? { ok: true } : { ok: false, conflicts });
      if (built.ok) expect(git(user, "rev-parse", `${built.commit}^{tree}`)).toBe(tree);
      else expect(built.detail).toMatch(/CONFLICT/);
    }
    expect(sessionsOf(root, "merge-tree")).toHaveLength(1);
  });
});

function alone(user: string, base: string, tip: string): { tree: string; conflicts: string[] } {
  const args = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", base, tip];
  const { stdout } = spawnSync("git", args, { cwd: user, encoding: "utf8" });
  const [tree = "", ...conflicts] = stdout.split("\0").filter((field) => field !== "");
  return { tree, conflicts };
}

describe("differences that one session answers", () => {
  test("are those of the commits, byte by byte", async () => {
    holdTimers();
    const { user, store, root, first } = await openedStore();
    const odd = Buffer.from([0x61, 0xff, 0x00, 0xfe, 0x0a]);
    const tip = commit(user, first, { odd, "ä b": "1\n2\n" });
    expect(await changeBetween(store, first, tip)).toMatchObject({
      paths: [
        { path: "odd", how: "added" },
        { path: "ä b", how: "added" },
      ],
      additions: 3,
    });
    const { diff, whole } = await changedLines(store, { from: first, tip, names: ["*"] });
    expect(whole).toBe(true);
    expect(Buffer.from(diff).includes(Buffer.concat([Buffer.from("+"), odd]))).toBe(true);
    expect(await changeBetween(store, tip, tip)).toMatchObject({ paths: [], additions: 0, deletions: 0 });
    expect(sessionsOf(root, "diff-tree")).toHaveLength(2);
  });

  test("are an error if there is no such commit or an object is gone, and not the answer that nothing differs", async () => {
    const { user, store, first } = await openedStore();
    const tip = commit(user, first, { "f.txt": "1\n" });
    await expect(changeBetween(store, first, "1".repeat(40))).rejects.toThrow();
    const tree = git(user, "rev-parse", `${tip}^{tree}`);
    rmSync(join(user, ".git", "objects", tree.slice(0, 2), tree.slice(2)));
    await expect(changeBetween(store, first, tip)).rejects.toThrow();
    await expect(readFiles(store, tip)).rejects.toThrow();
  });
});

describe("files that one session reads", () => {
  test("are those of the commit, and a missing one is none", async () => {
    const { user, store, first } = await openedStore();
    const tip = commit(user, first, { a: "1", "b b": "ä\n" });
    const paths = ["a", "b b", "c"];
    expect([...(await readFilesAt(store, { commit: tip, paths }))]).toEqual([
      ["a", "1"],
      ["b b", "ä\n"],
    ]);
    expect(await readFileAt(store, { commit: tip, path: "b b" })).toBe("ä\n");
    expect(await readFileAt(store, { commit: tip, path: "c" })).toBeUndefined();
    const listed = git(user, "ls-tree", "-r", "-z", "--name-only", tip).split("\0");
    expect((await readFiles(store, tip)).map(({ name }) => name)).toEqual(listed.filter((name) => name !== ""));
  });
});
