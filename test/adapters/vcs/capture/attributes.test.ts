import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { cleanUp, git, type Setting, setUp } from "../real-repo.ts";

cleanUp();

type Files = Readonly<Record<string, string | Buffer | { readonly link: string }>>;

/** Puts these files in the place of all files of a branch, and commits. Gives the commit. */
function commit(user: string, branch: string, files: Files): string {
  git(user, "switch", "-q", "-C", branch, "main");
  git(user, "rm", "-rqf", "--ignore-unmatch", ".");
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(user, path)), { recursive: true });
    if (typeof content === "object" && "link" in content) symlinkSync(content.link, join(user, path));
    else writeFileSync(join(user, path), content);
  }
  // As they lie there, whatever the attributes say.
  mkdirSync(join(user, ".git/info"), { recursive: true });
  writeFileSync(join(user, ".git/info/attributes"), "* -text -eol -ident -working-tree-encoding -filter\n");
  git(user, "add", "-A", "-f");
  git(user, "commit", "-q", "-m", branch, "--allow-empty");
  rmSync(join(user, ".git/info/attributes"));
  const made = git(user, "rev-parse", "HEAD");
  git(user, "switch", "-q", "-f", "main");
  return made;
}

/** Every file of a folder but git's own: its bytes, or where it leads. */
function bytesIn(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => !/^\.git(?:\/|$)/.test(path));
  return Object.fromEntries(
    entries.flatMap((path) => {
      const found = lstatSync(join(folder, path));
      if (found.isDirectory()) return [];
      return [
        [path, found.isSymbolicLink() ? `-> ${readlinkSync(join(folder, path))}` : readFileSync(join(folder, path), "latin1")],
      ];
    }),
  );
}

const GUARDED: Files = {
  "test/data.txt": "one\ntwo\n",
  "test/crlf.txt": "one\r\ntwo\r\n",
  "test/id.txt": "$Id$\n",
  "test/wide.txt": "ä\n",
  "test/raw.bin": Buffer.from([0, 10, 13, 10, 255]),
};

const RULES = "*.txt text eol=crlf\n*.txt ident\nwide.txt working-tree-encoding=UTF-16LE\n";

/** Ways to say how files that one does not touch are checked out. */
const WAYS: Readonly<Record<string, (base: Files) => Files>> = {
  "a file at the top": (base) => ({ ...base, ".gitattributes": RULES }),
  "a file beside them": (base) => ({ ...base, "test/.gitattributes": RULES }),
  "a link whose target is the rule": (base) => ({ ...base, ".gitattributes": { link: "*.txt text eol=crlf" } }),
  "a file that differs by case": (base) => ({ ...base, ".GitAttributes": RULES }),
  "a folder in the place of the file": ({ ".gitattributes": _, ...base }) => ({ ...base, ".gitattributes/x": "x\n" }),
  "removing what the base says": ({ ".gitattributes": _, "test/.gitattributes": __, ...base }) => base,
  "a macro": (base) => ({ ...base, ".gitattributes": "[attr]odd text eol=crlf\n*.txt odd\n" }),
};

const BASES: Readonly<Record<string, Files>> = {
  "has no attributes": GUARDED,
  "has attributes": { ...GUARDED, ".gitattributes": "*.txt text eol=lf\ncrlf.txt -text\n" },
  "has attributes that convert": {
    ...GUARDED,
    ".gitattributes": "*.txt ident\n",
    "test/.gitattributes": "*.txt text eol=crlf\n",
  },
};

async function checkedOut(setting: Setting, name: string, what: { commit: string; attributesOf?: string }) {
  const path = join(setting.root, name);
  await setting.repo.checkout({ ...what, path });
  return { path, files: bytesIn(path) };
}

describe("a pristine checkout with the attributes of the base", () => {
  const cases = Object.keys(BASES).flatMap((base) => Object.keys(WAYS).map((way) => [base, way] as const));
  test.each(cases)("a base that %s: a candidate changes no byte of other files by %s", { timeout: 60_000 }, async (base, way) => {
    const of = await setUp();
    const files = BASES[base] as Files;
    const changed = (WAYS[way] as (files: Files) => Files)(files);
    const before = commit(of.user, "before", files);
    const after = commit(of.user, "after", { ...changed, "src/new.txt": "new\n" });
    const expected = await checkedOut(of, "expected", { commit: before });
    const judged = await checkedOut(of, "judged", { commit: after, attributesOf: before });
    for (const path of Object.keys(GUARDED)) expect(judged.files[path], path).toBe(expected.files[path]);
    expect(Object.keys(judged.files).toSorted()).toEqual([...Object.keys(changed), "src/new.txt"].toSorted());
    const own = Object.entries(changed).filter(([path]) => /attributes/i.test(path));
    for (const [path, content] of own)
      expect(judged.files[path]).toBe(typeof content === "object" && "link" in content ? `-> ${content.link}` : content);
    expect(git(judged.path, "rev-parse", "HEAD^{tree}")).toBe(git(of.user, "rev-parse", `${after}^{tree}`));
    expect(git(judged.path, "write-tree")).toBe(git(of.user, "rev-parse", `${after}^{tree}`));
  });

  test("would have other bytes by the candidate's own: the cases prove something", async () => {
    const of = await setUp();
    const before = commit(of.user, "before", GUARDED);
    for (const way of ["a file at the top", "a file beside them", "a link whose target is the rule", "a macro"]) {
      const after = commit(of.user, "after", (WAYS[way] as (files: Files) => Files)(GUARDED));
      const own = await checkedOut(of, way, { commit: after });
      expect(own.files["test/data.txt"], way).toBe("one\r\ntwo\r\n");
      const judged = await checkedOut(of, `${way} judged`, { commit: after, attributesOf: before });
      expect(judged.files["test/data.txt"], way).toBe("one\ntwo\n");
    }
  });

  test("a renamed folder does not take its attributes along", async () => {
    const of = await setUp();
    const before = commit(of.user, "before", {
      ".gitattributes": "* -text\n",
      "a/.gitattributes": "*.txt text eol=crlf\n",
      "a/x.txt": "1\n",
    });
    const after = commit(of.user, "after", {
      ".gitattributes": "* -text\n",
      "b/.gitattributes": "*.txt text eol=crlf\n",
      "b/x.txt": "1\n",
      a: "1\n",
    });
    const judged = await checkedOut(of, "judged", { commit: after, attributesOf: before });
    expect(judged.files).toEqual({
      ".gitattributes": "* -text\n",
      "b/.gitattributes": "*.txt text eol=crlf\n",
      "b/x.txt": "1\n",
      a: "1\n",
    });
  });

  test("is on a branch of the base's name, with branches and tags as the user has them, but none of other tickets", async () => {
    const of = await setUp((user) => {
      git(user, "tag", "-a", "-m", "one", "v1");
      git(user, "branch", "other");
      git(user, "branch", "loopdash/r/T-9");
    });
    const { path } = await checkedOut(of, "judged", { commit: of.first });
    expect(git(path, "symbolic-ref", "HEAD")).toBe("refs/heads/main");
    expect(git(path, "describe")).toBe("v1");
    expect(git(path, "for-each-ref", "--format=%(refname)").split("\n")).toEqual([
      "refs/heads/main",
      "refs/heads/other",
      "refs/tags/v1",
    ]);
    expect(git(path, "status", "--porcelain")).toBe("");
  });
});

describe("files that Git LFS keeps", () => {
  const content = Buffer.from("large\0content\n".repeat(1000));
  const oid = createHash("sha256").update(content).digest("hex");
  const pointer = (size = content.length, id = oid) =>
    `version https://git-lfs.github.com/spec/v1\noid sha256:${id}\nsize ${size}\n`;
  const keep = (user: string, bytes: Buffer = content): void => {
    const folder = join(user, ".git/lfs/objects", oid.slice(0, 2), oid.slice(2, 4));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, oid), bytes);
  };
  const files: Files = {
    ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
    "a.bin": pointer(),
    "b.bin": "no pointer",
    "c.txt": pointer(),
  };

  test("are filled from the repository's own store, by the base's attributes alone", async () => {
    const of = await setUp();
    keep(of.user);
    const before = commit(of.user, "before", files);
    const after = commit(of.user, "after", { ...files, ".gitattributes": "*.txt filter=lfs\n", "d/e.bin": pointer() });
    const judged = await checkedOut(of, "judged", { commit: after, attributesOf: before });
    expect(judged.files).toMatchObject({
      "a.bin": content.toString("latin1"),
      "b.bin": "no pointer",
      "c.txt": pointer(),
      "d/e.bin": content.toString("latin1"),
    });
    const none = commit(of.user, "none", { "a.bin": pointer() });
    const named = await checkedOut(of, "named", { commit: after, attributesOf: none });
    expect(named.files).toMatchObject({ "a.bin": pointer(), "c.txt": pointer() });
  });

  test.for([
    ["is missing", (_: string): void => undefined, pointer(), /a\.bin is kept by Git LFS.*run git lfs fetch/],
    [
      "is not what the pointer says",
      (user: string) => keep(user, Buffer.alloc(content.length)),
      pointer(),
      /not what its pointer says/,
    ],
    ["has another size", (user: string) => keep(user), pointer(5), /another size/],
  ] as const)("whose content %s are an error that says what to do", async ([, make, text, told]) => {
    const of = await setUp();
    make(of.user);
    const before = commit(of.user, "before", { ...files, "a.bin": text });
    await expect(of.repo.checkout({ commit: before, path: join(of.root, "judged") })).rejects.toThrow(told);
  });
});
