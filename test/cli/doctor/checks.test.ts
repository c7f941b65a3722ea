import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openRunStore } from "../../../src/adapters/journal/sqlite-run-store.ts";
import { checkNode } from "../../../src/cli/doctor/node.ts";
import { checkGit } from "../../../src/cli/doctor/programs.ts";
import { checkStateFolder } from "../../../src/cli/doctor/state-folder.ts";
import { checkTerminal } from "../../../src/cli/doctor/terminal.ts";
import { prepareStateHome, stateHome } from "../../../src/cli/state-home.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "loopdash-doctor-test-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function program(name: string, text: string): string {
  const file = join(root, "bin", name);
  mkdirSync(join(root, "bin"), { recursive: true });
  writeFileSync(file, text, { mode: 0o755 });
  return file;
}

const statuses = (findings: readonly { check: string; status: string }[]) =>
  Object.fromEntries(findings.map(({ check, status }) => [check, status]));

describe("node", () => {
  test("the one that runs this is fine", async () => {
    const findings = await checkNode({ node: process.execPath, version: process.versions.node });
    expect(statuses(findings)).toEqual({ node: "ok", "node-sqlite": "ok", "node-permissions": "ok" });
    expect(findings[0]?.found).toBe(`${process.versions.node} (${process.execPath})`);
  });

  test("one without the flag, without SQLite, or too old is bad", async () => {
    const node = program("node", "#!/bin/sh\necho 'node: bad option' >&2\nexit 9\n");
    const findings = await checkNode({ node, version: "24.14.9" });
    expect(statuses(findings)).toEqual({ node: "bad", "node-sqlite": "bad", "node-permissions": "bad" });
    for (const finding of findings) expect(finding.fix).toContain("24.15");
    expect(findings[1]?.found).toContain("bad option");
  });

  test("one whose permission model holds nothing back is bad", async () => {
    // Takes the flags off, so that the script runs with every right.
    const node = program(
      "node",
      `#!/bin/sh\nfor a do shift; case $a in --permission|--allow-*) ;; *) set -- "$@" "$a";; esac; done\nexec ${process.execPath} "$@"\n`,
    );
    const findings = await checkNode({ node, version: "24.15.0" });
    expect(statuses(findings)).toEqual({ node: "ok", "node-sqlite": "ok", "node-permissions": "bad" });
    expect(findings[2]?.found).toContain("could still read, write, start");
  });
});

describe("git", () => {
  const look = async () => (await checkGit({ PATH: join(root, "bin") }))[0];

  test.each([
    ["2.38.0", "ok"],
    ["2.39.5 (Apple Git-154)", "ok"],
    ["3.0.0-rc1", "ok"],
    ["2.37.9", "bad"],
    ["1.99.0", "bad"],
  ])("%s is %s", async (version, status) => {
    program("git", `#!/bin/sh\necho 'git version ${version}'\n`);
    expect(await look()).toMatchObject({ check: "git", status, found: expect.stringContaining(version.split(" ")[0] ?? "") });
  });

  test("one that is missing, fails or is something else is bad", async () => {
    expect(await look()).toMatchObject({ status: "bad", found: "no git program is on PATH" });
    program("git", "#!/bin/sh\nexit 1\n");
    expect(await look()).toMatchObject({ status: "bad", found: expect.stringContaining("does not tell its version") });
    program("git", "#!/bin/sh\necho hello\n");
    expect(await look()).toMatchObject({ status: "bad", fix: expect.stringContaining("2.38") });
  });
});

describe("the state folder", () => {
  const home = () => stateHome({ LOOPDASH_HOME: join(root, "a/home") }, "/");

  test("that is only to be made is fine, and stays to be made", async () => {
    expect(statuses(await checkStateFolder(home()))).toEqual({
      "state-folder": "ok",
      "state-space": "ok",
      "state-database": "ok",
      "state-lock": "ok",
    });
    expect(readdirSync(root)).toEqual([]);
  });

  test("that is there is fine, and nothing in it is changed", async () => {
    prepareStateHome(home());
    openRunStore(home().db).close();
    const before = statSync(home().db).mtimeMs;
    const findings = await checkStateFolder(home());
    expect(findings.filter(({ status }) => status !== "ok")).toEqual([]);
    expect(findings[2]?.found).toContain("0 runs on record");
    expect(readdirSync(home().root).sort()).toEqual(["locks", "loopdash.db", "runs", "worktrees"]);
    expect(statSync(home().db).mtimeMs).toBe(before);
  });

  test("in whose place there is a file, or which others can write, is bad", async () => {
    writeFileSync(join(root, "a"), "");
    expect((await checkStateFolder(home()))[0]).toMatchObject({ check: "state-folder", status: "bad" });
    rmSync(join(root, "a"));
    prepareStateHome(home());
    chmodSync(home().root, 0o777);
    expect((await checkStateFolder(home()))[0]).toMatchObject({ status: "bad", fix: expect.stringContaining("chmod go-w") });
  });

  test.each<[what: string, text: (file: string) => void, says: RegExp]>([
    ["damaged", (file) => writeFileSync(file, "not a database, but long enough to be taken for one".repeat(100)), /damaged/],
    [
      "another program's",
      (file) => {
        using db = new DatabaseSync(file);
        db.exec("CREATE TABLE x (y)");
      },
      /damaged|another program/,
    ],
    [
      "a newer loopdash's",
      (file) => {
        openRunStore(file).close();
        using db = new DatabaseSync(file);
        db.exec("PRAGMA user_version = 99");
      },
      /newer loopdash/,
    ],
  ])("with a database that is %s is bad, and the database is left alone", async (_, make, says) => {
    prepareStateHome(home());
    make(home().db);
    const findings = await checkStateFolder(home());
    expect(findings[2]).toMatchObject({ check: "state-database", status: "bad", found: expect.stringMatching(says) });
    expect(statuses(findings)).toMatchObject({ "state-folder": "ok", "state-lock": "ok" });
    expect(readdirSync(home().root).sort()).toEqual(["locks", "loopdash.db", "runs", "worktrees"]);
  });
});

describe("the terminal", () => {
  const stdin = { isTTY: true };
  const stdout = { isTTY: true, columns: 80, rows: 24, getColorDepth: () => 8 };
  const env = { TERM: "xterm-256color", LANG: "C.UTF-8" };
  const all = { terminal: "ok", "terminal-size": "ok", "terminal-colours": "ok", "terminal-locale": "ok" };

  test.each<[what: string, of: Partial<Parameters<typeof checkTerminal>[0]>, expected: object]>([
    ["a usual one", {}, all],
    ["the smallest", { stdout: { ...stdout, columns: 60, rows: 15 } }, all],
    ["one too narrow", { stdout: { ...stdout, columns: 59 } }, { ...all, "terminal-size": "bad" }],
    ["one too low", { stdout: { ...stdout, rows: 14 } }, { ...all, "terminal-size": "bad" }],
    ["one without colours", { stdout: { ...stdout, getColorDepth: () => 1 } }, { ...all, "terminal-colours": "warn" }],
    ["NO_COLOR", { env: { ...env, NO_COLOR: "1" }, stdout: { ...stdout, getColorDepth: () => 1 } }, all],
    ["another locale", { env: { ...env, LANG: "de_DE.ISO-8859-1" } }, { ...all, "terminal-locale": "warn" }],
    [
      "the first locale that is set",
      { env: { ...env, LC_ALL: "C", LC_CTYPE: "C.UTF-8" } },
      { ...all, "terminal-locale": "warn" },
    ],
    ["an empty locale, passed over", { env: { ...env, LC_ALL: "", LC_CTYPE: "en_US.utf8", LANG: "C" } }, all],
    ["no locale", { env: { TERM: "xterm" } }, { ...all, "terminal-locale": "warn" }],
    ["a dumb one", { env: { ...env, TERM: "dumb" } }, { terminal: "warn", "terminal-locale": "ok" }],
    ["one without TERM", { env: { LANG: "C.UTF-8" } }, { terminal: "warn", "terminal-locale": "ok" }],
    ["CI", { env: { ...env, CI: "true" } }, { terminal: "warn", "terminal-locale": "ok" }],
    ["a pipe", { stdout: {} }, { terminal: "warn", "terminal-locale": "ok" }],
    ["no input", { stdin: {} }, { terminal: "warn", "terminal-locale": "ok" }],
  ])("%s", (_, options, expected) => {
    expect(statuses(checkTerminal({ env, stdin, stdout, ...options }))).toEqual(expected);
  });
});
