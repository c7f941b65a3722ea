import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cleanUp, git, setUp } from "../real-repo.ts";

cleanUp();

test("a derived commit differs in nothing but the files that it is to differ in", async () => {
  const at = await setUp((user) => {
    git(user, "config", "user.name", "Somebody");
    git(user, "commit", "-q", "--allow-empty", "-m", "a subject\n\nand a body");
  });
  const commit = git(at.user, "rev-parse", "HEAD");
  const [first = ""] = await at.repo.files(commit);
  const files = [
    { path: "new folder/ünï.txt", text: "new\n" },
    { path: "second", text: "" },
  ];
  const derived = await at.repo.deriveCommit({ commit, files, without: [first] });
  const told = (id: string) => git(at.user, "show", "-s", "--format=%P%n%an%ae%ad%cn%ce%cd%n%B", id);
  expect(told(derived)).toBe(told(commit));
  const left = (await at.repo.files(commit)).filter((path) => path !== first);
  expect((await at.repo.files(derived)).toSorted()).toEqual([...left, "new folder/ünï.txt", "second"].toSorted());
  const paths = ["second", "none", "new folder/ünï.txt", first];
  expect(await at.repo.readFiles({ commit: derived, paths })).toEqual(
    new Map([
      ["second", ""],
      ["new folder/ünï.txt", "new\n"],
    ]),
  );
  expect(await at.repo.readFiles({ commit, paths: [] })).toEqual(new Map());
});

test("a file that is put in the place of another keeps its mode", async () => {
  const at = await setUp();
  const commit = git(at.user, "rev-parse", "HEAD");
  const [path = ""] = await at.repo.files(commit);
  const mode = (id: string) => git(at.user, "ls-tree", id, "--", path).split(" ")[0];
  const derived = await at.repo.deriveCommit({ commit, files: [{ path, text: "other\n" }], without: [] });
  expect(mode(derived)).toBe(mode(commit));
});

test("paths are restored byte for byte as another commit has them, with modes and links, or are gone", async () => {
  const at = await setUp((user) => {
    writeFileSync(join(user, "bytes"), Buffer.from([0, 255, 254, 10]));
    writeFileSync(join(user, "run.sh"), "#!/bin/sh\n");
    chmodSync(join(user, "run.sh"), 0o755);
    symlinkSync("bytes", join(user, "link"));
    writeFileSync(join(user, "folder"), "a file\n");
    git(user, "add", "-A");
    git(user, "commit", "-q", "-m", "base");
  });
  const base = git(at.user, "rev-parse", "HEAD");
  for (const path of ["run.sh", "link", "folder"]) rmSync(join(at.user, path));
  writeFileSync(join(at.user, "bytes"), "other\n");
  writeFileSync(join(at.user, "link"), "no link\n");
  mkdirSync(join(at.user, "folder"));
  writeFileSync(join(at.user, "folder", "inside"), "new\n");
  writeFileSync(join(at.user, "added"), "new\n");
  writeFileSync(join(at.user, "kept"), "new\n");
  git(at.user, "add", "-A");
  git(at.user, "commit", "-q", "-m", "change");
  const commit = git(at.user, "rev-parse", "HEAD");
  const paths = ["bytes", "run.sh", "link", "folder", "added"];
  const files = [{ path: "twin", text: "x" }];
  const derived = await at.repo.deriveCommit({ commit, files, without: [], restored: [{ commit: base, paths }] });
  expect(git(at.user, "diff", "--name-status", base, derived)).toBe("A\tkept\nA\ttwin");
  const only = await at.repo.deriveCommit({ commit, files: [], without: [], restored: [{ commit: base, paths }] });
  expect(git(at.user, "diff", "--name-status", base, only)).toBe("A\tkept");
});
