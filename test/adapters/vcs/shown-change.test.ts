import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readChange } from "../../../src/adapters/vcs/repository/read-change.ts";
import { cleanUp, git, setUp, worktree } from "./real-repo.ts";

cleanUp();

type Files = Readonly<Record<string, string | Uint8Array>>;

function put(folder: string, files: Files): void {
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
}

/** A change by an agent, uncommitted or committed: its counts, and its text as it is shown. `base` is there before. */
async function changed(work: Files | ((path: string) => void), { base = {}, commits = false, maxBytes = 10_000_000 } = {}) {
  const of = await setUp((user) => {
    put(user, base);
    git(user, "add", "-A");
    git(user, "commit", "-q", "--allow-empty", "-m", "base");
  });
  const made = await worktree(of);
  if (typeof work === "function") work(made.path);
  else put(made.path, work);
  if (commits) {
    git(made.path, "add", "-A");
    git(made.path, "commit", "-qm", "work");
  }
  const change = await of.repo.capture(made);
  const read = await readChange({ path: of.user, from: of.first, tip: change.tip, maxBytes });
  if (!read.ok) throw new Error(read.why);
  return { ...of, change, text: read.text, whole: read.whole };
}

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 0x0a, 0xff]);

describe("the counts of a change", () => {
  test.each<[what: string, files: Files, counts: string]>([
    ["a NUL in a source", { "src/evil.ts": "one\n\0two\nthree\n" }, "+3 -0"],
    ["-diff", { ".gitattributes": "*.js -diff\n", "a.js": "1\n2\n" }, "+3 -0"],
    ["binary", { ".gitattributes": "* binary\n", "src/a.py": "1\n2\n3\n", "package.json": "{}\n" }, "+5 -0"],
    ["linguist-generated", { ".gitattributes": "*.go linguist-generated -diff\n", "a.go": "1\n2\n" }, "+3 -0"],
    ["a macro", { ".gitattributes": "[attr]diff -text\n[attr]mine -diff\n* mine\n", "a.rs": "1\n2\n" }, "+5 -0"],
    ["attributes in a folder", { "src/.gitattributes": "* -diff\n", "src/a.rb": "\0" }, "+2 -0"],
    ["UTF-16", { "a.cs": Buffer.from("one\ntwo\n", "utf16le") }, "+3 -0"],
    ["a name without an extension", { hook: "#!/bin/sh\n\0\nrm -rf x\n" }, "+3 -0"],
    ["a picture", { "logo.png": PNG }, "+1 -0"],
    ["text that is called a picture", { ".gitattributes": "*.png binary\n", "logo.png": "run()\nrun()\n" }, "+3 -0"],
  ])("come from its bytes: %s", async (_, files, counts) => {
    for (const commits of [false, true]) {
      const { change, repo, first } = await changed(files, { commits });
      const read = await repo.change({ from: first, tip: change.tip });
      for (const { additions, deletions } of [change, read]) expect(`+${additions} -${deletions}`).toBe(counts);
    }
  });

  test("of what was there before count what is gone, too", async () => {
    const base = { ".gitattributes": "*.ts -diff\n", "a.ts": "1\n\0\n3\n", "logo.png": PNG };
    const { change } = await changed({ "a.ts": "1\n\0\n4\n", "logo.png": Buffer.concat([PNG, PNG]) }, { base });
    expect(change).toMatchObject({ additions: 2, deletions: 2, uncounted: ["logo.png"] });
  });
});

describe("a change as it is shown", () => {
  test("has sources as text, whatever bytes they hold and whatever its attributes say", async () => {
    const { text, whole } = await changed({
      ".gitattributes": "* -diff\n*.py binary\n",
      "nul.ts": "const a = 1;\0\nsteal();\n",
      "latin.py": Uint8Array.from(Buffer.from("x = 'caf\xe9'\n", "latin1")),
      "bidi.js": "if (ok\u202e) {}\u200b\n",
      Makefile: "test:\n\t\0true\n",
    });
    expect(whole).toBe(true);
    for (const line of ["+const a = 1;␀", "+steal();", "+x = 'caf<E9>'", "+if (ok<U+202E>) {}<U+200B>", "+\t␀true"])
      expect(text).toContain(`\n${line}\n`);
    expect(text).not.toContain("no text");
  });

  test("has the whole of a long line, and of a long file", async () => {
    const line = `${"x".repeat(300_000)}steal()`;
    const { text, whole } = await changed({ "a.js": `${line}\n`, "b.js": `${"1\n".repeat(300_000)}steal()\n` });
    expect(whole).toBe(true);
    expect(text).toContain(`\n+${line}\n`);
    expect(text.endsWith("\n+1\n+steal()\n")).toBe(true);
  });

  test("is not whole if it is longer than its bound, and says so", async () => {
    const { text, whole } = await changed({ "a.js": `${"1\n".repeat(3_000)}steal()\n` }, { maxBytes: 4_000 });
    expect(whole).toBe(false);
    expect(text).toMatch(/\n# cut here: the whole patch is longer than 4000 bytes\n$/);
    // A line of the change that looks like the mark is none.
    expect(await changed({ "z.md": "# cut here: x\n" })).toMatchObject({ whole: true });
  });

  test("names what is no text with its sizes and ids, and shows what is only called so", async () => {
    const base = { "logo.png": PNG, "old.zip": PNG };
    const { text, user } = await changed(
      (path) => {
        put(path, { "logo.png": Buffer.concat([PNG, PNG]), "new.WOFF2": PNG, "text.png": "steal()\n" });
        git(path, "rm", "-q", "old.zip");
      },
      { base },
    );
    const id = git(user, "rev-parse", "main:logo.png");
    expect(text).toContain(`[no text; before: 9 bytes, object ${id}; now: 18 bytes, object `);
    expect(text).toContain(`[no text; before: none; now: 9 bytes, object ${id}]`);
    expect(text).toContain(`[no text; before: 9 bytes, object ${id}; now: none]`);
    expect(text).toContain("\n+steal()\n");
  });

  test("has modes, the targets of links, moved submodules, and names with whatever is in them", async () => {
    const { user, first } = await setUp();
    chmodSync(join(user, "b.txt"), 0o755);
    symlinkSync("/etc/passwd", join(user, "link"));
    git(user, "mv", "a.txt", "moved.txt");
    put(user, { "x\u202egnp.js": "1\n", "new\nline.js": "1\n" });
    git(user, "add", "-A");
    git(user, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},sub`);
    git(user, "commit", "-qm", "work");
    const read = await readChange({ path: user, from: first, tip: git(user, "rev-parse", "HEAD"), maxBytes: 100_000 });
    const text = read.ok ? read.text : read.why;
    expect(text).toContain("diff --git a/b.txt b/b.txt\nold mode 100644\nnew mode 100755\n");
    expect(text).toMatch(/new file mode 120000\n[^+]*\n\+\+\+ b\/link\n@@ .*\n\+\/etc\/passwd\n/);
    expect(text).toContain("deleted file mode 100644");
    expect(text).toContain("+++ b/moved.txt");
    expect(text).toContain('+++ "b/x\\342\\200\\256gnp.js"');
    expect(text).toContain('+++ "b/new\\nline.js"');
    expect(text).toContain(`+Subproject commit ${"1".repeat(40)}`);
  });

  test("runs no program of the repository's settings, and none of them has a say in it", async () => {
    const { user, first, change, text } = await changed({ "a.ts": "1\n" });
    const trap = join(user, "ran");
    for (const [key, value] of [
      ["diff.external", `touch ${trap}`],
      ["diff.evil.textconv", `touch ${trap}; echo nothing #`],
      ["diff.noprefix", "true"],
      ["core.quotePath", "false"],
      ["diff.context", "0"],
    ] as const)
      git(user, "config", key, value);
    put(user, { ".git/info/attributes": "*.ts diff=evil\n" });
    const read = await readChange({ path: user, from: first, tip: change.tip, maxBytes: 10_000 });
    expect(read).toMatchObject({ ok: true, text, whole: true });
    expect(() => readFileSync(trap)).toThrow("ENOENT");
  });

  test("a patch for programs applies, with a NUL and a picture in it", async () => {
    const { repo, root, user, first, change } = await changed({ "a.ts": "1\0\n\xff", "logo.png": PNG, "b.dat": PNG });
    const file = join(root, "patch");
    await repo.writePatch({ from: first, tip: change.tip, file, maxBytes: 1_000_000 });
    git(user, "apply", "--index", file);
    expect(git(user, "write-tree")).toBe(git(user, "rev-parse", `${change.tip}^{tree}`));
  });
});
