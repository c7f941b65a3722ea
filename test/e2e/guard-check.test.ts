import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const PROGRAM = resolve(import.meta.dirname, "../../dist/loopdash.js");

let home: string;
let worktree: string;

beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "loopdash-guard-")));
  worktree = join(home, "app");
  mkdirSync(join(worktree, ".git"), { recursive: true });
  mkdirSync(join(worktree, "src"));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const environment = (): NodeJS.ProcessEnv => ({ PATH: process.env["PATH"], HOME: home });

function check(args: readonly string[], { input, cwd = worktree }: { input?: string; cwd?: string } = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, "guard", "check", ...args], {
    cwd,
    env: environment(),
    encoding: "utf8",
    input: input ?? "",
  });
  return { status, stdout, stderr };
}

describe("loopdash guard check", () => {
  test("allows a harmless command silently", () => {
    expect(check(["--", "git commit -m 'fix rm -rf bug'"])).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  test("blocks a dangerous one with its rule, the reason and an alternative", () => {
    expect(check(["--", "bash -c 'git reset --hard'"])).toEqual({
      status: 2,
      stdout: "",
      stderr:
        "loopdash: the guard blocks this command (git-reset)\n  why: It discards uncommitted changes.\n  do:  git stash push --include-untracked\n",
    });
  });

  test("gives the verdict as JSON", () => {
    const blocked = check(["--json", "--", "git stash clear"]);
    expect({ ...blocked, stdout: JSON.parse(blocked.stdout) }).toEqual({
      status: 2,
      stdout: {
        command: "git stash clear",
        verdict: "block",
        rule: "git-drop-stash",
        reason: "It deletes stashed changes.",
        alternative: "git stash list",
      },
      stderr: "",
    });
    expect(check(["--json", "--", "ls"])).toEqual({
      status: 0,
      stdout: '{"command":"ls","verdict":"allow"}\n',
      stderr: "",
    });
  });

  test("takes the words of a command as they are", () => {
    expect(check(["--", "git", "commit", "-m", "; rm -rf /"]).status).toBe(0);
    expect(check(["--", "rm", "-rf", home]).status).toBe(2);
  });

  test("knows the worktree from a folder in it", () => {
    const cwd = join(worktree, "src");
    expect(check(["--", "rm -rf ../dist"], { cwd }).status).toBe(0);
    expect(check(["--", "rm -rf .."], { cwd }).status).toBe(2);
    expect(check(["--", "rm -rf /opt/other"], { cwd }).status).toBe(2);
  });

  test("judges each JSON string of stdin", () => {
    const { status, stdout } = check([], { input: '"git status"\n\n"rm -rf /"\n' });
    expect(status).toBe(0);
    const verdicts = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(verdicts).toMatchObject([
      { command: "git status", verdict: "allow" },
      { command: "rm -rf /", verdict: "block", rule: "delete-root" },
    ]);
  });

  test("answers each line of stdin before the next one comes", async () => {
    const child = spawn(process.execPath, [PROGRAM, "guard", "check"], {
      cwd: worktree,
      env: environment(),
      stdio: ["pipe", "pipe", "inherit"],
    });
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for (const [command, verdict] of [
      ["ls", "allow"],
      ["rm -rf /", "block"],
      ["ls", "allow"],
    ]) {
      child.stdin.write(`${JSON.stringify(command)}\n`);
      const { value } = await answers.next();
      expect(JSON.parse(value ?? "")).toMatchObject({ command, verdict });
    }
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test.for<[what: string, args: readonly string[], input: string, says: RegExp]>([
    ["a line that is no JSON", [], '"ls"\nls\n', /line 2 of stdin is not a JSON string/],
    ["a line that is no string", [], "3\n", /line 1 of stdin is not a JSON string/],
    ["no line at all", [], "", /stdin has no line to judge/],
    ["an empty command line", ["--", " "], "", /there is no command line to judge/],
    ["an unknown option", ["--jsno", "--", "ls"], "", /has no option --jsno[^]*Did you mean --json/],
    ["options that are not behind --", ["rm", "-rf", "/"], "", /come after --/],
  ])("refuses %s with one clear error", ([, args, input, says]) => {
    const { status, stderr } = check(args, { input });
    expect(status).toBe(2);
    expect(stderr).toMatch(says);
    expect(stderr).not.toMatch(/\bat .*\.(?:js|cjs):\d/);
  });

  test("blocks what it cannot read", () => {
    expect(check(["--", "echo 'unfinished"])).toMatchObject({ status: 2, stderr: expect.stringContaining("(unreadable)") });
  });
});
