import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { HOOK_VENDORS } from "@loopdash/guard";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../helpers/scratch.ts";

const PROGRAM = resolve(import.meta.dirname, "../../dist/loopdash.js");
const scratch = scratchFolder();

let home: string;
let worktree: string;

beforeEach(() => {
  home = join(scratch(), "home");
  worktree = join(home, "app");
  mkdirSync(join(worktree, ".git"), { recursive: true });
});

interface Over {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

function hook(input: string | Buffer, { args = ["before-tool", "--agent", "claude"], env = {} }: Over = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, "hook", ...args], {
    cwd: worktree,
    env: { PATH: process.env["PATH"], HOME: home, ...env },
    encoding: "utf8",
    input,
  });
  return { status, stdout, stderr };
}

const use = (tool: string, input: object): string =>
  JSON.stringify({ session_id: "s-1", cwd: worktree, tool_use_id: "t-1", tool_name: tool, tool_input: input });
const runs = (command: string): string => use("Bash", { command });

/** A file of the scratch folder. */
function file(name: string, text: string): string {
  writeFileSync(join(scratch(), name), text);
  return join(scratch(), name);
}

const withSettings = (settings: string): Over => ({ args: ["before-tool", "--agent", "claude", "--settings", settings] });

describe("loopdash hook before-tool", () => {
  test("lets a harmless tool pass silently", () => {
    expect(hook(runs("git status"))).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  test("blocks a dangerous command with the rule, the reason and the alternative", () => {
    expect(hook(runs("cd src; git reset --hard"))).toEqual({
      status: 2,
      stdout: "",
      stderr:
        "loopdash: the guard blocks this (git-reset)\n  why: It discards uncommitted changes.\n  do:  git stash push --include-untracked\n",
    });
  });

  test.each(HOOK_VENDORS)("blocks for %s what it cannot read", (vendor) => {
    const { status, stderr } = hook("not json", { args: ["before-tool", "--agent", vendor] });
    expect(status).toBe(2);
    expect(stderr).toMatch(/blocks this[^]*no JSON object/);
    expect(stderr).not.toMatch(/\bat .*\.(?:js|cjs):\d/);
  });

  test.each<[string, readonly string[]]>([
    ["an unknown event", ["before-tools", "--agent", "claude"]],
    ["no event", []],
    ["an unknown agent", ["before-tool", "--agent", "cursor"]],
    ["no agent", ["before-tool"]],
    ["an unknown option", ["before-tool", "--agent", "claude", "--off"]],
    ["an option without its value", ["before-tool", "--agent", "claude", "--settings"]],
    ["help beside other words", ["before-tool", "--agent", "claude", "--help"]],
  ])("blocks if its command has %s", (_, args) => {
    expect(hook(runs("git status"), { args })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("so this is blocked"),
    });
  });

  test("follows links to files with credentials", () => {
    mkdirSync(join(home, ".aws"));
    writeFileSync(join(home, ".aws/config"), "");
    symlinkSync(join(home, ".aws"), join(worktree, "data"));
    expect(hook(use("Read", { file_path: "data/config" }))).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("read-secret"),
    });
    expect(hook(use("Read", { file_path: "notes.md" })).status).toBe(0);
  });

  test("is not switched off by the environment", () => {
    const own = `${userInfo().homedir}/.ssh/id_x`;
    expect(hook(use("Read", { file_path: own }), { env: { HOME: "/" } }).status).toBe(2);
    const other = { HOME: "/home/nobody-here", TMPDIR: "/home/nobody-here/" };
    expect(hook(runs("rm -rf /home/nobody-here/other"), { env: other }).status).toBe(2);
    expect(hook(runs("git reset --hard"), { env: { LOOPDASH_GUARD: "off", CI: "1" } }).status).toBe(2);
  });
});

describe("the settings of a hook", () => {
  test("switch families and rules, and name the worktree", () => {
    const settings = file(
      "guard.json",
      JSON.stringify({ families: { git: false }, rules: { "read-secret": false }, worktree: home }),
    );
    expect(hook(runs("git reset --hard"), withSettings(settings)).status).toBe(0);
    expect(hook(use("Read", { file_path: ".env" }), withSettings(settings)).status).toBe(0);
    expect(hook(runs("npm publish"), withSettings(settings)).status).toBe(2);
  });

  test.each<[string, string | undefined, RegExp]>([
    ["are not there", undefined, /cannot be read \(ENOENT\)/],
    ["are no JSON", "{", /no JSON object/],
    ["have an unknown key", '{"rule":{}}', /unknown key "rule"; did you mean "rules"\?/],
    ["have an unknown rule", '{"rules":{"git-rest":false}}', /unknown name "git-rest"; did you mean "git-reset"\?/],
    ["have a switch that is none", '{"families":{"git":"off"}}', /no true or false for "git"/],
    ["have another word for parse errors", '{"onParseError":"ignore"}', /neither "block" nor "allow"/],
    ["have a relative worktree", '{"worktree":"app"}', /no absolute path/],
  ])("block everything if they %s", (_, text, says) => {
    const settings = text === undefined ? join(scratch(), "gone.json") : file("guard.json", text);
    expect(hook(runs("git status"), withSettings(settings))).toMatchObject({ status: 2, stderr: expect.stringMatching(says) });
  });
});

describe("the report of a hook", () => {
  const report = (args: readonly string[] = []): Over => ({
    args: ["before-tool", "--agent", "claude", "--report", join(scratch(), "report.jsonl"), ...args],
  });
  const lines = (): readonly object[] =>
    readFileSync(join(scratch(), "report.jsonl"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  test("has a line for every judgement", () => {
    hook(runs("git status"), report());
    hook(runs("git reset --hard"), report());
    hook("{}", report());
    const told = { at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/), event: "before-tool" };
    expect(lines()).toEqual([
      { ...told, tool: "Bash", id: "t-1", session: "s-1", verdict: "allow", subject: "git status" },
      { ...told, tool: "Bash", id: "t-1", session: "s-1", verdict: "block", rule: "git-reset", subject: "git reset --hard" },
      { ...told, verdict: "problem", problem: "the agent's program did not name its folder" },
    ]);
  });

  test("has bounded lines", () => {
    hook(runs(`echo ${"\u0001".repeat(100_000)}`), report());
    expect(JSON.stringify(lines()[0]).length).toBeLessThan(3_000);
  });

  test("changes no verdict if it cannot be written, and that is told", () => {
    symlinkSync(join(scratch(), "elsewhere"), join(scratch(), "report.jsonl"));
    expect(hook(runs("git status"), report())).toMatchObject({ status: 0, stderr: expect.stringMatching(/report \(ELOOP\)/) });
    expect(hook(runs("git reset --hard"), report())).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/git-reset[^]*ELOOP/),
    });
    expect(existsSync(join(scratch(), "elsewhere"))).toBe(false);
  });

  test("has the start of a session and its stop", () => {
    const of = (event: string): Over => ({ args: [event, ...(report().args ?? []).slice(1)] });
    expect(hook(JSON.stringify({ cwd: worktree, session_id: "s-1", source: "startup" }), of("session-start")).status).toBe(0);
    expect(hook("no json", of("stop")).status).toBe(1);
    expect(lines()).toMatchObject([
      { event: "session-start", session: "s-1", verdict: "allow" },
      { event: "stop", verdict: "problem" },
    ]);
  });
});

test("an agent that stops is let go if the hook cannot report that it told what is unmet", () => {
  const checks = [{ name: "fails", command: ["false"] }];
  const told = file("report.jsonl", "");
  const stop = file("stop.json", JSON.stringify({ times: 2, baseSha: "0", checks, toldFile: `${told}.told` }));
  const stops = (report: string) =>
    hook(JSON.stringify({ session_id: "s-1", cwd: worktree }), {
      args: ["stop", "--agent", "claude", "--report", report, "--stop", stop],
    });
  expect(stops(told)).toMatchObject({ status: 0, stdout: expect.stringContaining("fails") });
  // It can be read, and every write finds it full.
  expect(stops("/dev/full")).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining("ENOSPC") });
});

describe("a check that takes too long when an agent stops", () => {
  test("lets it go: the hook names the check on stderr and in the report", () => {
    const checks = [{ name: "endless", command: [process.execPath, "-e", "setInterval(() => {}, 1000)"] }];
    // The worktree is no repository, so nothing is said of the change.
    const report = file("report.jsonl", "");
    const spec = { times: 2, baseSha: "0", checks, checksMs: 500, toldFile: `${report}.told` };
    const stop = file("stop.json", JSON.stringify(spec));
    const said = hook(JSON.stringify({ session_id: "s-1", cwd: worktree }), {
      args: ["stop", "--agent", "claude", "--report", report, "--stop", stop],
    });
    const late = "endless: no result within 0.5 s";
    expect(said).toEqual({ status: 0, stdout: "", stderr: `loopdash: the stop guard says nothing of ${late}\n` });
    expect(JSON.parse(readFileSync(report, "utf8"))).toMatchObject({ event: "stop", verdict: "allow", late });
  });
});

describe("the lines for an agent", () => {
  const lines = ["loopdash: MOMENTUM has failed: 7.", "loopdash: EXIST has failed: 8."];
  const over = (agent: string, event = "before-tool"): Over => ({
    args: [event, "--agent", agent, "--report", join(scratch(), "report.jsonl"), "--nudge", join(scratch(), "nudge")],
  });
  const told = (event: string, text: string) =>
    `${JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: text } })}\n`;

  test.each([
    ["claude", "before-tool", "PreToolUse"],
    ["codex", "before-tool", "PreToolUse"],
    ["gemini", "after-tool", "AfterTool"],
  ])("are handed on once by the means of %s", (agent, event, name) => {
    file("report.jsonl", "");
    expect(hook(runs("git status"), over(agent, event))).toEqual({ status: 0, stdout: "", stderr: "" });
    file("nudge", `${lines[0]}\n`);
    expect(hook(runs("git status"), over(agent, event))).toEqual({ status: 0, stdout: told(name, lines[0] ?? ""), stderr: "" });
    expect(hook(runs("git status"), over(agent, event)).stdout).toBe("");
    file("nudge", lines.map((line) => `${line}\n`).join(""));
    expect(hook(runs("git status"), over(agent, event)).stdout).toBe(told(name, lines[1] ?? ""));
    expect(hook(runs("git status"), over(agent, event)).stdout).toBe("");
  });

  test.each(["claude", "codex", "gemini", "opencode"])("are beside the reason of a block of %s", (agent) => {
    file("nudge", `${lines[0]}\n`);
    const blocked = hook(runs("git reset --hard"), over(agent));
    expect(blocked).toMatchObject({ status: 2, stdout: "", stderr: expect.stringMatching(/git-reset[^]*MOMENTUM/) });
    expect(hook(runs("git reset --hard"), over(agent)).stderr).not.toContain("MOMENTUM");
  });

  test("wait where the program takes none", () => {
    file("nudge", `${lines[0]}\n`);
    for (const agent of ["gemini", "opencode"]) expect(hook(runs("git status"), over(agent)).stdout).toBe("");
    expect(hook(runs("git status"), over("claude")).stdout).toContain("MOMENTUM");
  });

  test("are not handed on if that cannot be counted, and change no verdict", () => {
    file("nudge", `${lines[0]}\n`);
    symlinkSync(join(scratch(), "elsewhere"), join(scratch(), "report.jsonl"));
    expect(hook(runs("git status"), over("claude"))).toMatchObject({ status: 0, stdout: "" });
    expect(hook(runs("git reset --hard"), over("claude")).status).toBe(2);
  });

  test("are handed on by one of the hooks that run at the same time", async () => {
    file("nudge", `${lines[0]}\n`);
    const said = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const args = [PROGRAM, "hook", ...(over("claude").args ?? [])];
        const child = spawn(process.execPath, args, { cwd: worktree, env: { PATH: process.env["PATH"], HOME: home } });
        let text = "";
        child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        child.stdin.end(runs("git status"));
        await once(child, "close");
        return text;
      }),
    );
    expect(said.filter((text) => text !== "")).toHaveLength(1);
  });
});

test("a payload whose end does not come is an end that lets nothing pass", { timeout: 60_000 }, async () => {
  const child = spawn(process.execPath, [PROGRAM, "hook", "before-tool", "--agent", "claude"], {
    cwd: worktree,
    env: { PATH: process.env["PATH"], HOME: home },
    stdio: ["pipe", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  child.stdin.write(runs("git status"));
  expect(await once(child, "close")).toEqual([null, "SIGKILL"]);
  expect(said).toMatch(/did not finish what it sends within 10 s/);
});

test("lets nobody write the file with its settings, by any name", () => {
  const settings = join(worktree, "guard.json");
  writeFileSync(settings, "{}");
  symlinkSync(settings, join(worktree, "alias.json"));
  const args = ["before-tool", "--agent", "claude", "--settings", join(worktree, "alias.json")];
  for (const name of ["guard.json", "alias.json"]) {
    expect(hook(use("Write", { file_path: join(worktree, name), content: "{}" }), { args })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("(write-protected)"),
    });
    expect(hook(runs(`echo '{"families":{"git":false}}' > ${name}`), { args }).status).toBe(2);
  }
  expect(hook(use("Write", { file_path: join(worktree, "other.json"), content: "{}" }), { args }).status).toBe(0);
});
