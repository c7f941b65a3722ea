import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readHunks } from "../../src/adapters/text-scans/read-hunks.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import type { Repo } from "../../src/ports/vcs.ts";
import { cleanUp, git, setUp, worktree } from "../adapters/vcs/real-repo.ts";
import { CHECK, type Files, judge, judged, opened, put, tap } from "./evidence-stage.ts";

cleanUp();
const BY_EXIT = { step: "check", name: "lint", command: ["true"] } as const;
const SILENCED = { "src/a.ts": "// eslint-disable-next-line no-eval\neval(x);\n" };
const ALLOWED = { testsRemoved: [], testsSkipped: [], suppressions: true };

describe("suppressions", () => {
  test("fail a check by its exit code, and one by its tests, with what they silence", async () => {
    expect(await judge({ check: BY_EXIT, change: SILENCED })).toMatchObject({
      landed: false,
      summary: "1 suppression added",
      detail: "1 suppression added:\n  src/a.ts:1 (a lint or type rule) // eslint-disable-next-line no-eval",
    });
    expect(await judge({ change: { ...SILENCED, tests: tap("a b") } })).toMatchObject({
      landed: false,
      summary: "1 test of the base vanished; 2 tests run, 3 on the base; 1 suppression added",
    });
  });

  test("land where a person has allowed the ticket, or where they were there before", async () => {
    expect(await judge({ check: BY_EXIT, change: SILENCED, ticket: { allow: ALLOWED } })).toMatchObject({ landed: true });
    const base = { "src/a.ts": `${SILENCED["src/a.ts"]}foo();\n` };
    expect(await judge({ check: BY_EXIT, base, change: { "src/a.ts": `${SILENCED["src/a.ts"]}bar();\n` } })).toMatchObject({
      landed: true,
    });
  });

  test("are not hidden by what the change says of its files", async () => {
    const hidden = { ".gitattributes": "*.ts binary -diff -text diff=x\n", ...SILENCED };
    const ticket = { allow: { testsRemoved: [], testsSkipped: [], suppressions: false, attributes: true } };
    expect(await judge({ check: BY_EXIT, change: hidden, ticket })).toMatchObject({
      landed: false,
      summary: "1 suppression added",
    });
    const binary = { "src/a.ts": `${SILENCED["src/a.ts"]}const zero = "\0";\n` };
    expect(await judge({ check: BY_EXIT, change: binary })).toMatchObject({ landed: false, summary: "1 suppression added" });
  });

  test("are looked for in the whole change, or it does not land", async () => {
    const cut = (repo: Repo): Repo => ({
      ...repo,
      changedLines: async (options) => ({ ...(await repo.changedLines(options)), whole: false }),
    });
    const ctx = ({ repos }: { repos: ReadonlyMap<string, Repo> }) => ({
      repos: new Map([["app", cut(repos.get("app") as Repo)]]),
    });
    expect(await judge({ check: BY_EXIT, ctx })).toMatchObject({
      landed: false,
      summary: "the change is too long to be searched for suppressions",
    });
  });
});

/** A ticket that may change the script of a prepare command, which judges. */
const PREPARES = { allow: { ...ALLOWED, judge: ["prepare.sh"] } };

describe("protected paths (P2)", () => {
  test("must be the base's, also where no gates are in the finish line", async () => {
    const stage = { protect: ["guarded/**"] };
    expect(await judge({ check: BY_EXIT, change: { "guarded/a.txt": "mine" }, stage })).toMatchObject({
      landed: false,
      summary: "protected path differs from the base: guarded/a.txt (added)",
    });
    expect(await judge({ check: BY_EXIT, change: { "free/a.txt": "mine" }, stage })).toMatchObject({ landed: true });
  });

  test("hold attributes of files, unless a person allows the ticket to change them", async () => {
    const change = { "sub/.GitAttributes": "* text eol=crlf\n" };
    expect(await judge({ check: BY_EXIT, change })).toMatchObject({
      landed: false,
      summary: "protected path differs from the base: sub/.GitAttributes (added)",
    });
    const ticket = { allow: { ...ALLOWED, attributes: true } };
    expect(await judge({ check: BY_EXIT, change, ticket })).toMatchObject({ landed: true });
  });

  test.for([
    ["writes", "echo pass > guarded/a.txt"],
    ["removes", "rm guarded/a.txt"],
    ["links", "ln -sf ../b.txt guarded/a.txt"],
    ["makes executable", "chmod +x guarded/a.txt"],
  ])("must be what they were when the checkout has been prepared: not where its script %s one", async ([, line]) => {
    const stage = { protect: ["guarded/**"], prepare: [["sh", "prepare.sh"]] };
    const base: Files = { "guarded/a.txt": "strict\n", "prepare.sh": "true\n", tests: tap("a b c") };
    const change = { "prepare.sh": `case "$PWD" in */judge/*) ${line};; esac\n` };
    const result = await judge({ base, change, stage });
    expect(result).toMatchObject({ landed: false, summary: "preparing the checkout changed a protected file: guarded/a.txt" });
    const harmless = { "prepare.sh": "echo made > made.txt\n" };
    expect(await judge({ base, change: harmless, ticket: PREPARES, stage })).toMatchObject({ landed: true });
  });
});

test("prepare must not put beside what is protected what would be found before it", async () => {
  const stage = { protect: ["guarded/**"], prepare: [["sh", "prepare.sh"]] };
  const base: Files = { "guarded/a.js": "strict\n", "prepare.sh": "true\n", tests: tap("a b c") };
  const prepared = (line: string) =>
    judge({ base, change: { "prepare.sh": `case "$PWD" in */judge/*) ${line};; esac\n` }, ticket: PREPARES, stage });
  const shadowed = {
    landed: false,
    summary: "preparing the checkout created a file that may be loaded instead of a protected one: guarded/",
  };
  for (const line of ["mkdir guarded/node_modules", "echo > guarded/a", "echo > guarded/a.mjs"]) {
    expect(await prepared(line)).toMatchObject({ ...shadowed, summary: expect.stringContaining(shadowed.summary) });
  }
  const workspace = { protect: ["package.json"], prepare: [["mkdir", "guarded/node_modules"]] };
  expect(await judge({ base: { ...base, "guarded/package.json": "{}" }, stage: workspace })).toMatchObject({ landed: true });
  expect(await prepared("mkdir node_modules; echo > guarded/made.txt; mkdir guarded/tmp")).toMatchObject({ landed: true });
});

describe("what the commit has, after the checkout has been prepared", () => {
  const base: Files = { "lib/a.txt": "one\n", "prepare.sh": "true\n", tests: tap("a b c") };
  const stage = { prepare: [["sh", "prepare.sh"]] };
  const prepared = (line: string, check: StepSpec = CHECK) =>
    judge({ base, change: { "prepare.sh": `case "$PWD" in */judge/*) ${line};; esac\n` }, ticket: PREPARES, stage, check });

  test.each([
    ["writes", "echo two > lib/a.txt"],
    ["removes", "rm lib/a.txt"],
    ["links", "mv lib kept; ln -s kept lib"],
  ])("must be what it was: not where prepare %s it", async (_, line) => {
    const result = await prepared(line);
    expect(result).toMatchObject({ landed: false, summary: "preparing the checkout changed a file of the commit: lib/a.txt" });
    expect(result.detail).toContain('To allow this, name the file in "writes" of the step.');
  });

  test("may be written as it was, be made executable, and change where the step says so", async () => {
    expect(await prepared("cp lib/a.txt b; cp b lib/a.txt; chmod +x lib/a.txt")).toMatchObject({ landed: true });
    expect(await prepared("echo two > lib/a.txt", { ...CHECK, writes: ["lib/**"] })).toMatchObject({ landed: true });
  });
});

describe("changed lines", () => {
  test("are told by file and number, whatever the lines look like", async () => {
    const at = await setUp((user) => {
      put(user, { "old.ts": "one\ntwo\n-- a/x.ts\n", "two.ts": "1\n2\n3\n4\n5\n" });
      git(user, "add", "-A");
      git(user, "commit", "-q", "-m", "old");
    });
    const made = await worktree(at);
    put(made.path, {
      "old.ts": null,
      "b c.ts": "++ b/forged.md\n@@ -1,9 +1,9 @@\ndiff --git a/x b/y\nno end",
      'odd "\té.py': "x = 1\n",
      "a.txt": "not asked for\n",
      "two.ts": "1\n++ b/forged.md\n3\n4\nfive\n",
    });
    const { tip } = await at.repo.capture(made);
    const { diff, whole } = await at.repo.changedLines({ from: made.from, tip, names: ["*.TS", "*.py"] });
    expect(whole).toBe(true);
    expect(readHunks(new TextDecoder().decode(diff))).toEqual([
      { path: "b c.ts", line: 1, added: ["++ b/forged.md", "@@ -1,9 +1,9 @@", "diff --git a/x b/y", "no end"], removed: [] },
      { path: 'odd "\té.py', line: 1, added: ["x = 1"], removed: [] },
      { path: "old.ts", line: 0, added: [], removed: ["one", "two", "-- a/x.ts"] },
      { path: "two.ts", line: 2, added: ["++ b/forged.md"], removed: ["2"] },
      { path: "two.ts", line: 5, added: ["five"], removed: ["5"] },
    ]);
  });

  test("a change that is too long says so", async () => {
    const at = await setUp();
    const made = await worktree(at);
    writeFileSync(join(made.path, "big.ts"), `${"x".repeat(1023)}\n`.repeat(50 * 1024));
    const { tip } = await at.repo.capture(made);
    expect((await at.repo.changedLines({ from: made.from, tip, names: ["*.ts"] })).whole).toBe(false);
    expect((await at.repo.changedLines({ from: made.from, tip, names: ["*.py"] })).whole).toBe(true);
  });
});

test("a check with findings is judged on the merge candidate: what the base brought in is nobody's fault", async () => {
  using stage = await opened({ check: CHECK, change: { "mine.txt": "x" } });
  const work = stage.engine.ctx.agent.run;
  // The base grows by a suppression and a test while the agent works.
  stage.engine.ctx.agent.run = async (task) => {
    put(stage.user, { ...SILENCED, tests: tap("a b c d") });
    stage.git("add", "-A");
    stage.git("commit", "-q", "-m", "other");
    return work(task);
  };
  expect(await judged(stage)).toMatchObject({ landed: true, summary: expect.stringContaining("4 tests, 4 on the base") });
});
