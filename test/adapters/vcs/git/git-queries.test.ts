import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { moveRef, readCommitPart, tryMoveRef, writeCommit } from "../../../../src/adapters/vcs/git/git-queries.ts";
import { cleanUp, git } from "../real-repo.ts";
import { openedStore } from "../sessions.ts";

cleanUp();

const NONE = "1".repeat(40);
const FORMATS = ["sha1", "sha256"] as const;

function commit(user: string, message: string, ...parents: string[]): string {
  return git(user, "commit-tree", "main^{tree}", ...parents.flatMap((parent) => ["-p", parent]), "-m", message);
}

describe.each(FORMATS)("in a %s repository", (format) => {
  test("a commit's parts are told, and that there are none", async () => {
    const { user, store, first } = await openedStore(`--object-format=${format}`);
    const next = commit(user, "next", first);
    const merge = commit(user, "merge", next, first);
    const tree = git(user, "rev-parse", "main^{tree}");
    expect(await Promise.all([next, merge].map((each) => readCommitPart(store, each, "parent")))).toEqual([first, next]);
    expect(await Promise.all([first, merge].map((each) => readCommitPart(store, each, "tree")))).toEqual([tree, tree]);
    expect(await readCommitPart(store, first, "parent")).toBeUndefined();
    const none = "1".repeat(first.length);
    for (const each of [none, git(user, "rev-parse", "main:a.txt")]) {
      expect(await Promise.all([readCommitPart(store, each, "tree"), readCommitPart(store, each, "parent")])).toEqual([
        undefined,
        undefined,
      ]);
    }
    await expect(readCommitPart(store, "main", "tree")).rejects.toThrow("not an object id");
  });

  test("a commit is written with its message, by us and now, and git finds no fault with it", async () => {
    const { user, store, first } = await openedStore(`--object-format=${format}`);
    const tree = git(user, "rev-parse", "main^{tree}");
    const began = Math.floor(Date.now() / 1000);
    const id = await writeCommit(store, { tree, parent: first, message: "T-1: title\n\nbody\n\nLoopdash-Ticket: T-1\n" });
    const [head = "", ...rest] = git(user, "cat-file", "commit", id).split("\n\n");
    expect(head.replace(/> \d+ /g, "> TIME ").split("\n")).toEqual([
      `tree ${tree}`,
      `parent ${first}`,
      "author loopdash <loopdash@localhost> TIME +0000",
      "committer loopdash <loopdash@localhost> TIME +0000",
    ]);
    expect(rest).toEqual(["T-1: title", "body", "Loopdash-Ticket: T-1"]);
    for (const time of head.match(/(?<=> )\d+/g) ?? []) {
      expect(Number(time)).toBeGreaterThanOrEqual(began);
      expect(Number(time)).toBeLessThanOrEqual(Date.now() / 1000);
    }
    expect(git(user, "fsck", "--strict", "--no-dangling", id)).toBe("");
    expect(git(user, "for-each-ref", "--contains", id)).toBe("");
  });
});

describe("writeCommit", () => {
  test.each([
    ["nothing", "", "(no message)\n"],
    ["blanks alone", " \n\t\u3000\n", "(no message)\n"],
    ["zero bytes alone", "\0\0", "(no message)\n"],
    ["zero bytes within", "a\0b\n\n\0c", "ab\n\nc\n"],
    ["an option", "-m --amend", "-m --amend\n"],
    [
      "what looks like a header",
      `tree ${NONE}\nparent ${NONE}\ngpgsig x\n\nbody`,
      `tree ${NONE}\nparent ${NONE}\ngpgsig x\n\nbody\n`,
    ],
    ["empty lines first and last", "\n\nx\n\n\n", "\n\nx\n"],
    ["carriage returns, escapes and the like", "a\r\nb\u001b[2J\u0007\u202e\u2028c", "a\r\nb\u001b[2J\u0007\u202e\u2028c\n"],
    ["half a pair", "a\ud83db", "a\ufffdb\n"],
    ["letters of all kinds", "é 🙂 \u{10ffff}", "é 🙂 \u{10ffff}\n"],
    ["a comment sign", "# not a comment", "# not a comment\n"],
    ["very much", "x".repeat(900_000), `${"x".repeat(900_000)}\n`],
  ])("takes a message of %s", async (_, message, expected) => {
    const { user, store, first } = await openedStore();
    const id = await writeCommit(store, { tree: git(user, "rev-parse", "main^{tree}"), parent: first, message });
    const kept = git(user, "cat-file", "commit", id);
    expect(`${kept.slice(kept.indexOf("\n\n") + 2)}\n`).toBe(expected);
    expect(git(user, "rev-parse", `${id}^@`)).toBe(first);
    expect(git(user, "fsck", "--no-dangling", id)).toBe("");
  });

  test("is refused by git where the commit would be malformed, and leaves nothing behind", async () => {
    const { user, store, first } = await openedStore();
    const tree = git(user, "rev-parse", "main^{tree}");
    const before = [readdirSync(store.scratch), git(user, "count-objects")];
    // An id of the other format is an id, and none in this repository.
    const bad = writeCommit(store, { tree: "1".repeat(64), parent: first, message: "bad" });
    const good = writeCommit(store, { tree, parent: first, message: "good" });
    await expect(bad).rejects.toThrow(/git hash-object failed \(exit 128\): .*(?:corrupt|bogus|bad)/s);
    const id = await good;
    expect(git(user, "log", "-1", "--format=%s", id)).toBe("good");
    rmSync(join(user, ".git/objects", id.replace(/^../, "$&/")));
    expect([readdirSync(store.scratch), git(user, "count-objects")]).toEqual(before);
    await expect(writeCommit(store, { tree: "HEAD", parent: first, message: "m" })).rejects.toThrow("not an object id");
  });

  test("at once, many, each its own", async () => {
    const { user, store, first } = await openedStore();
    const tree = git(user, "rev-parse", "main^{tree}");
    const names = Array.from({ length: 30 }, (_, i) => `commit ${i}`);
    const ids = await Promise.all(names.map((message) => writeCommit(store, { tree, parent: first, message })));
    expect(git(user, "show", "-s", "--format=%s", ...ids).split("\n")).toEqual(names);
  });
});

describe("moving a ref", () => {
  const at = (user: string, ref: string) => git(user, "for-each-ref", "--format=%(objectname)", ref);

  test.each(FORMATS)("makes, moves by compare-and-swap, deletes, and notes it (%s)", async (format) => {
    const { user, store, first } = await openedStore(`--object-format=${format}`);
    const next = commit(user, "next", first);
    const ref = "refs/heads/x";
    await moveRef(store, ref, { to: first });
    await moveRef(store, ref, { to: next, from: first });
    expect(at(user, ref)).toBe(next);
    await expect(moveRef(store, ref, { to: first, from: first })).rejects.toThrow(/is at .* but expected/);
    await expect(moveRef(store, ref, { from: first })).rejects.toThrow(/is at .* but expected/);
    expect(at(user, ref)).toBe(next);
    expect(git(user, "reflog", "show", "--format=%gs %ge", "x")).toBe("loopdash loopdash@localhost\nloopdash loopdash@localhost");
    await moveRef(store, ref, { from: next });
    await moveRef(store, ref, {});
    expect(at(user, ref)).toBe("");
  });

  test("never leaves it at what is no commit", async () => {
    const { user, store, first } = await openedStore();
    const blob = git(user, "rev-parse", "main:a.txt");
    for (const to of [NONE, blob]) {
      await expect(moveRef(store, "refs/heads/main", { to, from: first })).rejects.toThrow(/update-ref failed/);
    }
    expect(at(user, "refs/heads/main")).toBe(first);
  });

  test("goes on after a conflict with another name, once that is gone", async () => {
    const { user, store, first } = await openedStore();
    git(user, "branch", "loopdash");
    const move = () => tryMoveRef(store, "refs/heads/loopdash/r/T-1", { to: first });
    expect(await move()).toMatchObject({ status: 128, stderr: expect.stringContaining("refs/heads/loopdash") as string });
    git(user, "pack-refs", "--all", "--prune");
    expect(await move()).toMatchObject({
      status: 128,
      stderr: expect.stringContaining("'refs/heads/loopdash' exists") as string,
    });
    git(user, "branch", "-D", "loopdash");
    expect(await move()).toMatchObject({ status: 0 });
    expect(await tryMoveRef(store, "refs/heads/loopdash/r", { to: first })).toMatchObject({ status: 128 });
    await moveRef(store, "refs/heads/loopdash/r/T-1", {});
    expect(await tryMoveRef(store, "refs/heads/loopdash/r", { to: first })).toMatchObject({ status: 0 });
  });

  test("goes on after another process had the ref or the packed refs locked", async () => {
    const { user, store, first } = await openedStore();
    const next = commit(user, "next", first);
    git(user, "pack-refs", "--all", "--prune");
    const refs: [lock: string, move: () => ReturnType<typeof tryMoveRef>][] = [
      ["refs/heads/main.lock", () => tryMoveRef(store, "refs/heads/main", { to: next, from: first })],
      ["packed-refs.lock", () => tryMoveRef(store, "refs/heads/main", { from: next })],
    ];
    for (const [lock, move] of refs) {
      writeFileSync(join(user, ".git", lock), "");
      expect(await move()).toMatchObject({ status: 128, stderr: expect.stringContaining(lock) as string });
      rmSync(join(user, ".git", lock));
      expect(await move()).toMatchObject({ status: 0 });
    }
    expect(at(user, "refs/heads/main")).toBe("");
  });

  test("meets what another process did to refs since the session began: moved, packed, deleted", async () => {
    const { user, store, first } = await openedStore();
    const [one, two] = [commit(user, "one", first), commit(user, "two", first)];
    const ref = "refs/heads/x";
    await moveRef(store, ref, { to: first });
    git(user, "update-ref", ref, one, first);
    expect(await tryMoveRef(store, ref, { to: two, from: first })).toMatchObject({ status: 128 });
    await moveRef(store, ref, { to: two, from: one });
    git(user, "pack-refs", "--all", "--prune");
    await moveRef(store, ref, { to: one, from: two });
    git(user, "pack-refs", "--all", "--prune");
    git(user, "update-ref", ref, two);
    git(user, "pack-refs", "--all", "--prune");
    expect(await tryMoveRef(store, ref, { to: first, from: one })).toMatchObject({ status: 128 });
    await moveRef(store, ref, { from: two });
    expect(at(user, ref)).toBe("");
  });
});

describe("what another process does to objects after the session began", () => {
  test("an object made later is found, loose and packed, also where it was asked for before", async () => {
    const { user, store, first } = await openedStore();
    const id = commitId(user, first);
    expect(await readCommitPart(store, id.name, "tree")).toBeUndefined();
    id.write();
    expect(await readCommitPart(store, id.name, "parent")).toBe(first);
    const packed = commitId(user, first, "packed");
    expect(await readCommitPart(store, packed.name, "tree")).toBeUndefined();
    packed.write();
    git(user, "branch", "keep", packed.name);
    git(user, "repack", "-adq");
    git(user, "prune-packed");
    expect(await readCommitPart(store, packed.name, "parent")).toBe(first);
  });

  test("a repository that is packed again under the session is read and written as before", async () => {
    const { user, store, first } = await openedStore();
    const tree = git(user, "rev-parse", "main^{tree}");
    git(user, "gc", "-q", "--prune=now");
    expect(await readCommitPart(store, first, "tree")).toBe(tree);
    const one = await writeCommit(store, { tree, parent: first, message: "one" });
    await moveRef(store, "refs/heads/one", { to: one });
    for (const name of ["two", "three"]) {
      git(user, "gc", "-q", "--prune=now", "--aggressive");
      expect(await readCommitPart(store, one, "parent")).toBe(first);
      const id = await writeCommit(store, { tree, parent: one, message: name });
      expect(await readCommitPart(store, id, "tree")).toBe(tree);
      await moveRef(store, `refs/heads/${name}`, { to: id });
    }
    expect(git(user, "fsck", "--strict")).toBe("");
    expect(git(user, "branch", "--format=%(refname:short)").split("\n")).toEqual(["main", "one", "three", "two"]);
  });
});

/** A commit by its id, before it is there. */
function commitId(user: string, parent: string, message = "later"): { name: string; write: () => void } {
  const text = `tree ${git(user, "rev-parse", "main^{tree}")}\nparent ${parent}\nauthor p <p@example.org> 1 +0000\ncommitter p <p@example.org> 1 +0000\n\n${message}\n`;
  const file = join(user, "..", "commit");
  writeFileSync(file, text);
  const name = git(user, "hash-object", "-t", "commit", file);
  return { name, write: () => (writeFileSync(file, text), void git(user, "hash-object", "-t", "commit", "-w", file)) };
}
