import { appendFileSync, existsSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Person } from "../person.ts";
import { cleanUp, trap } from "../real-repo.ts";

cleanUp();

const TEXT = "printf 'one\\ntwo\\n' >a.txt";

describe.each<[string, string, Record<string, string>]>([
  ["the global file", "[core]\n\tautocrlf = true\n", {}],
  ["an included file", "[include]\n\tpath = more\n", {}],
  ["the file of XDG", "", {}],
  ["a file that GIT_CONFIG_GLOBAL names", "", { GIT_CONFIG_GLOBAL: "named" }],
  ["the file of the system", "", { GIT_CONFIG_SYSTEM: "named" }],
])("core.autocrlf in %s", (_, settings, more) => {
  test("a fresh clone is clean, and a landing writes CRLF", async () => {
    const person = new Person(settings, more);
    for (const name of ["more", ".config/git/config", "named"])
      person.write(name, "[core]\n\tautocrlf = true\n[user]\n\tname = p\n\temail = p@example.org\n");
    person.clone(`${TEXT}; printf 'x\\n' >b.txt`);
    expect(person.read("a.txt")).toBe("one\r\ntwo\r\n");
    // Git looks into files again whose time has changed.
    utimesSync(join(person.app, "b.txt"), 1, 1);
    expect(await person.land(await person.open(), { "a.txt": "one\ntwo\nthree\n" })).toBe("landed");
    expect(person.read("a.txt")).toBe("one\r\ntwo\r\nthree\r\n");
    expect(person.status()).toBe("");
  });
});

test.each(["[core]\n\tautocrlf = input\n", "[core]\n\teol = crlf\n", ""])(
  "other rules of ends of lines and encodings: %j",
  async (settings) => {
    const person = new Person(settings);
    person.clone(
      `${TEXT}; printf '*.u working-tree-encoding=UTF-16LE text\\n*.w text eol=crlf\\n*.t text\\n' >.gitattributes; printf 'a\\0' >a.u; printf 'w\\r\\n' >a.w; printf 't\\n' >a.t`,
    );
    expect(await person.land(await person.open(), { "b.t": "t\n", "a.w": "w\r\nx\r\n" })).toBe("landed");
    expect(person.read("a.w")).toBe("w\r\nx\r\n");
    expect(person.read("b.t")).toBe(settings.includes("eol") ? "t\r\n" : "t\n");
    expect(person.status()).toBe("");
  },
);

const STRIP = `[filter "strip"]\n\tclean = grep -v output\n\tsmudge = cat\n`;

/** A checkout whose notebook has output, which the filter leaves out of commits. */
function withNotebook(): Person {
  const person = new Person(STRIP);
  person.clone("echo '*.nb filter=strip' >.gitattributes; echo b >b.txt");
  person.sh("printf 'cell\\noutput\\n' >a.nb; git add .; git commit -qm notebook", person.app);
  return person;
}

describe("a filter of the person's settings", () => {
  test("runs at a landing and never at a start, and a file of the index's instant is no change", async () => {
    const person = withNotebook();
    const looked = trap(person.root);
    const at = new Date(Date.now() - 5000);
    utimesSync(join(person.app, "a.nb"), at, at);
    person.sh("git status", person.app);
    utimesSync(join(person.app, ".git/index"), at, at);
    person.sh(`git config --global filter.strip.clean '${looked.command} | grep -v output'`);
    const repo = await person.open();
    expect(looked.sprung()).toBe(false);
    expect(await person.land(repo, { "b.txt": "c\n" })).toBe("landed");
    expect(looked.sprung()).toBe(true);
    expect(person.read("a.nb")).toBe("cell\noutput\n");
    expect(person.status()).toBe("");
  });

  test("a start says which file only a filter can compare, and how it is let look", async () => {
    const person = withNotebook();
    utimesSync(join(person.app, "a.nb"), 1, 1);
    await expect(person.open()).rejects.toMatchObject({
      why: expect.stringMatching(/only a filter .*: a\.nb/),
      todo: expect.stringMatching(/git -C \S+ status/),
    });
    person.sh("git status", person.app);
    await person.open();
    writeFileSync(join(person.app, "b.txt"), "mine\n");
    await expect(person.open()).rejects.toMatchObject({ why: expect.stringMatching(/uncommitted changes: b\.txt/) });
  });

  test("one whose program lies in the repository does not run at a landing, which says how to go on without it", async () => {
    const person = new Person(`[filter "own"]\n\tsmudge = sh tools/own.sh\n`);
    person.clone("mkdir tools; echo cat >tools/own.sh; echo b >b.txt");
    const bait = trap(person.root);
    const change = { ".gitattributes": "*.txt filter=own\n", "b.txt": "c\n", "tools/own.sh": `${bait.command}; cat\n` };
    expect(await person.land(await person.open(), change)).toMatch(/a filter runs a file of the repository.*switch --detach/);
    expect(bait.sprung()).toBe(false);
    expect(person.read("b.txt")).toBe("b\n");
  });

  test("one that a worker defines beside it runs neither at a landing nor at a look", async () => {
    const person = new Person("");
    person.clone("echo b >b.txt");
    const repo = await person.open();
    const bait = trap(person.root);
    appendFileSync(join(person.app, ".git/config"), `[filter "x"]\n\tsmudge = ${bait.command}\n\tclean = ${bait.command}\n`);
    writeFileSync(join(person.app, ".git/info/attributes"), "* filter=x\n");
    utimesSync(join(person.app, "b.txt"), 1, 1);
    expect(await person.land(repo, { "b.txt": "c\n" })).toBe("landed");
    expect(bait.sprung()).toBe(false);
    expect(existsSync(join(person.app, "b.txt"))).toBe(true);
  });
});
