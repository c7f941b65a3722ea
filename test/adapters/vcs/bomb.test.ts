import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { cleanUp, git, setUp, worktree } from "./real-repo.ts";

cleanUp();

/** Makes a tree of these lines, each given as often as there are names. */
function tree(cwd: string, kind: string, id: string, names: readonly string[]): string {
  const input = names.map((name) => `${kind} ${id}\t${name}\n`).join("");
  return execFileSync("git", ["mktree", "--missing"], { cwd, input, encoding: "utf8" }).trim();
}

/** Where a confined worker's own git folder lies. */
function ownDir(root: string): string {
  const found = readdirSync(root, { recursive: true, encoding: "utf8" }).find((path) => /^a-[0-9a-f]{32}$/.test(basename(path)));
  if (found === undefined) throw new Error("there is none");
  return join(root, found, "git");
}

test("a commit that stands for more files than there is memory is not taken", { timeout: 60_000 }, async () => {
  const of = await setUp();
  const made = await worktree(of);
  await of.repo.agentView(made);
  const names = Array.from("abcdefghij");
  let id = tree(of.user, "100644 blob", git(of.user, "rev-parse", "main:a.txt"), names);
  // A folder that holds another one ten times, nine levels deep: a billion files in ten objects.
  for (let level = 0; level < 8; level++) id = tree(of.user, "040000 tree", id, names);
  const tip = git(of.user, "commit-tree", id, "-p", of.first, "-m", "bomb");
  mkdirSync(join(ownDir(of.root), "refs/heads/loopdash/r"), { recursive: true });
  writeFileSync(join(ownDir(of.root), "refs/heads/loopdash/r/T-1"), `${tip}\n`);
  await expect(of.repo.capture(made)).rejects.toThrow(/more than 1000000 files/);
  expect(git(of.user, "rev-parse", made.branch)).toBe(of.first);
});
