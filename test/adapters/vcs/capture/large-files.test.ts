import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gates } from "../../../../src/loop/steps/gates.ts";
import { Person } from "../person.ts";
import { cleanUp, git } from "../real-repo.ts";

cleanUp();

const LFS = `[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\tprocess = git-lfs filter-process\n\trequired = true\n`;
const CONTENT = "large\0content\n".repeat(100_000);
const pointer = (bytes: string) =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${createHash("sha256").update(bytes, "latin1").digest("hex")}\nsize ${bytes.length}\n`;
const FILES = `echo '*.bin filter=lfs diff=lfs merge=lfs -text' >.gitattributes; cp ../content a.bin; echo b >b.txt`;

async function opened() {
  const person = new Person(LFS);
  person.write("content", CONTENT);
  person.clone(FILES);
  return { person, repo: await person.open() };
}

describe("an agent's worktree of a repository with Git LFS", () => {
  test("holds the content, and git sees no change there", async () => {
    const { person, repo } = await opened();
    const made = await person.worktree(repo);
    expect(readFileSync(join(made.path, "a.bin"), "latin1")).toBe(CONTENT);
    expect(git(made.path, "status", "--porcelain")).toBe("");
    expect(statSync(join(made.path, "a.bin")).nlink).toBe(1);
    expect((await repo.capture(made)).paths).toEqual([]);
  });

  test("a plain write, added, changed or committed by the agent, lands as a pointer, and the person has the content", async () => {
    const { person, repo } = await opened();
    const made = await person.worktree(repo);
    const contents = { "a.bin": "changed\0", "b.bin": "new\n", "d e/c.bin": "committed\n", "empty.bin": "" };
    git(made.path, "config", "user.name", "a");
    person.sh(
      "mkdir 'd e'; printf 'committed\\n' >'d e/c.bin'; printf 'changed\\0' >a.bin; git add .; git commit -qm raw",
      made.path,
    );
    writeFileSync(join(made.path, "b.bin"), "new\n");
    writeFileSync(join(made.path, "empty.bin"), "");
    const change = await repo.capture(made);
    expect(gates(change, []).ok).toBe(true);
    for (const [path, text] of Object.entries(contents))
      expect(git(made.path, "cat-file", "blob", `${change.tip}:${path}`)).toBe(text === "" ? "" : pointer(text).trimEnd());
    const candidate = await repo.candidate({ tip: change.tip, message: "m" });
    if (!candidate.ok) throw new Error("conflict");
    expect(await repo.land({ from: candidate.base, to: candidate.commit })).toEqual({ as: "landed" });
    for (const [path, text] of Object.entries(contents)) expect(person.read(path)).toBe(text);
    expect(person.status()).toBe("");
    expect(person.sh("git lfs fsck", person.app)).toContain("OK");
  });

  test("a pointer to nothing is refused by the gates, and so is content that came past the capture", async () => {
    const { person, repo } = await opened();
    const made = await person.worktree(repo);
    writeFileSync(join(made.path, "fake.bin"), pointer("nothing"));
    const fake = gates(await repo.capture(made), []);
    expect(fake.ok ? "" : fake.evidence.summary).toMatch(/fake\.bin is kept by Git LFS.*not in the repository/);
    const raw = person.sh(
      "export GIT_INDEX_FILE=../index; git read-tree HEAD; id=$(echo raw | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$id,r.bin; git commit-tree -m raw -p HEAD $(git write-tree)",
      person.app,
    );
    const refused = gates(await repo.change({ from: made.from, tip: raw.trim() }), []);
    expect(refused.ok ? "" : refused.evidence.summary).toMatch(/r\.bin is kept by Git LFS, and is no pointer/);
  });

  test("without the content, a start is refused with the file and the command, and later a worktree is", async () => {
    const { person, repo } = await opened();
    person.sh("rm -rf .git/lfs/objects", person.app);
    await expect(person.open()).rejects.toMatchObject({
      why: expect.stringMatching(/a\.bin is kept by Git LFS.*not in the repository/),
      todo: expect.stringContaining("lfs fetch"),
    });
    await expect(person.worktree(repo)).rejects.toMatchObject({ name: "RepoUnavailable" });
  });
});

describe("git-crypt", () => {
  test("is refused before an agent starts; in a clone where it is locked, plain text is refused by the gates", async () => {
    const person = new Person("");
    person.clone(
      "git-crypt init >&2; echo 'secret filter=git-crypt diff=git-crypt' >.gitattributes; echo hush >secret; echo b >b.txt",
    );
    person.sh("cd made; git-crypt export-key ../key; cd ../app; git-crypt unlock ../key");
    expect(person.read("secret")).toBe("hush\n");
    const refusal: { todo: string } = await person.open().then(
      () => ({ todo: "" }),
      (error) => error,
    );
    person.sh(refusal.todo.replace(/^.*?: /, ""));
    const stored = new Person("");
    stored.sh(`cp -a ${person.app}-stored app`);
    stored.sh("git status", stored.app);
    const repo = await stored.open();
    const made = await stored.worktree(repo);
    expect(readFileSync(join(made.path, "secret"), "latin1")).toMatch(/^\0GITCRYPT\0/);
    writeFileSync(join(made.path, "secret"), "plain\n");
    const refused = gates(await repo.capture(made), []);
    expect(refused.ok ? "" : refused.evidence.summary).toMatch(/secret is kept encrypted by git-crypt/);
    expect(existsSync(join(stored.app, "secret"))).toBe(true);
  });

  test("a landing whose filter fails leaves the checkout and the base as they are, and says why", async () => {
    const person = new Person(LFS);
    person.write("content", CONTENT);
    person.clone(FILES);
    person.sh("git config --global --unset filter.lfs.process; git config --global filter.lfs.smudge false");
    const repo = await person.open();
    const base = await repo.baseTip();
    expect(await person.land(repo, { "a.bin": "x", "b.txt": "c\n" })).toMatch(
      /a\.bin: smudge filter lfs failed \(.*switch --detach\)$/,
    );
    expect([person.read("b.txt"), await repo.baseTip()]).toEqual(["b\n", base]);
    expect(await person.land(repo, { "b.txt": "c\n" }, "T-2")).toBe("landed");
  });
});
