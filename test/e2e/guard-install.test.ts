import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { FAMILIES, HOOK_VENDORS, hookGroup, type InstalledHook, pluginText } from "@loopdash/guard";
import { clientArgv } from "@loopdash/guard/server";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../helpers/scratch.ts";

const PROGRAM = resolve(import.meta.dirname, "../../dist/loopdash.js");
const scratch = scratchFolder();
const FILES = {
  claude: ".claude/settings.json",
  codex: ".codex/hooks.json",
  gemini: ".gemini/settings.json",
  opencode: ".config/opencode/plugins/loopdash-guard.js",
} as const;
/** Settings as a person has them: its own layout, its own hook. */
const PERSONS =
  '{\n   "model": "opus",\n   "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]}]}\n}\n';
const COMMENTED = '{\n  // dark is better\n  "ui": {"theme": "dark"}\n}\n';

let home: string;

// Hooks that are tried start it.
afterAll(() => void spawnSync("pkill", ["-f", `${PROGRAM} __guard-server`]));
beforeEach(() => {
  home = join(scratch(), "home");
  mkdirSync(home);
});

const env = (): NodeJS.ProcessEnv => ({ PATH: "/usr/bin:/bin", HOME: home });

function guard(...args: readonly string[]) {
  const options = { cwd: home, env: env(), encoding: "utf8", input: "" } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, "guard", ...args], options);
  return { status, stdout, stderr };
}

const at = (path: string): string => join(home, path);
const textOf = (path: string): string => readFileSync(at(path), "utf8");

function put(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
  chmodSync(at(path), mode);
}

const backupsOf = (path: string): readonly string[] =>
  readdirSync(dirname(at(path)))
    .filter((name) => name.includes(".loopdash-backup-"))
    .map((name) => readFileSync(join(dirname(at(path)), name), "utf8"));

const ALL = HOOK_VENDORS.flatMap((vendor) => ["--agent", vendor]);

describe("loopdash guard install", () => {
  test("adds to the settings of every agent that is found, keeps them, and blocks from then on", { timeout: 60_000 }, () => {
    put(FILES.claude, PERSONS, 0o640);
    put(FILES.gemini, COMMENTED);
    const { status, stdout, stderr } = guard("install", "--yes");
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringMatching(/wrote .*settings\.json; what was there is in/),
    });
    expect(stdout).toMatch(/Claude Code: .*\n[^]*\+ .*hook before-tool --agent claude/);
    expect(stdout).not.toMatch(/opus|theme|Codex|opencode/);
    expect(JSON.parse(textOf(FILES.claude))).toMatchObject({
      model: "opus",
      hooks: { PreToolUse: [{ matcher: "Bash" }, { matcher: "*" }] },
    });
    expect(statSync(at(FILES.claude)).mode & 0o777).toBe(0o640);
    expect(textOf(FILES.gemini)).toContain("// dark is better");
    expect([backupsOf(FILES.claude), backupsOf(FILES.gemini)]).toEqual([[PERSONS], [COMMENTED]]);
    expect(existsSync(at(".codex"))).toBe(false);
    const command: string = JSON.parse(textOf(FILES.claude)).hooks.PreToolUse[1].hooks[0].command;
    const payload = { cwd: home, tool_name: "Bash", tool_input: { command: "git reset --hard" } };
    expect(spawnSync("/bin/sh", ["-c", command], { input: JSON.stringify(payload), env: env() }).status).toBe(2);
  });

  test("does nothing the second time", { timeout: 60_000 }, () => {
    put(FILES.claude, PERSONS);
    guard("install", "--yes", ...ALL);
    const before = HOOK_VENDORS.map((vendor) => textOf(FILES[vendor]));
    const { status, stdout } = guard("install", "--yes", ...ALL);
    expect(status).toBe(0);
    expect(stdout.match(/already installed/g)).toHaveLength(4);
    expect(HOOK_VENDORS.map((vendor) => textOf(FILES[vendor]))).toEqual(before);
    expect(backupsOf(FILES.claude)).toHaveLength(1);
  });

  test("tells the step that Codex needs", () => {
    expect(guard("install", "--yes", "--agent", "codex")).toMatchObject({ status: 0, stderr: expect.stringContaining("/hooks") });
  });

  test("shows the change and writes nothing with --dry-run, or without a person's yes", () => {
    put(FILES.claude, PERSONS);
    expect(guard("install", "--dry-run")).toMatchObject({ status: 0, stdout: expect.stringContaining("+ ") });
    expect(guard("install")).toMatchObject({ status: 2, stderr: expect.stringMatching(/no terminal[^]*--yes/) });
    expect(textOf(FILES.claude)).toBe(PERSONS);
    expect(readdirSync(at(".claude"))).toEqual(["settings.json"]);
  });

  test.each([
    ["no JSON", '{"model": '],
    ["JSON with comments, which Claude Code does not take", '{\n// x\n"model": "opus"}'],
  ])("writes nothing into settings that are %s", (_, text) => {
    put(FILES.claude, text);
    const { status, stderr } = guard("install", "--yes", "--agent", "claude", "codex");
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/settings\.json cannot be used\n {2}why: it is no valid JSON/),
    });
    expect(textOf(FILES.claude)).toBe(text);
    expect(existsSync(at(FILES.codex))).toBe(false);
  });

  test("follows a link and says so", () => {
    put("dotfiles/claude.json", PERSONS);
    mkdirSync(at(".claude"));
    symlinkSync(at("dotfiles/claude.json"), at(FILES.claude));
    expect(guard("install", "--yes").stdout).toContain(`it is a link: ${at("dotfiles/claude.json")} is what is written`);
    expect(lstatSync(at(FILES.claude)).isSymbolicLink()).toBe(true);
    expect(textOf("dotfiles/claude.json")).toContain("before-tool");
    expect(backupsOf("dotfiles/claude.json")).toEqual([PERSONS]);
  });

  test("gives one clear error where it may not write", () => {
    // Nobody may make a file there, not even root.
    symlinkSync("/sys/kernel", at(".claude"));
    const { status, stderr } = guard("install", "--yes", "--agent", "claude");
    expect(status).toBe(1);
    expect(stderr).toMatch(/cannot be put into or taken out of .*settings\.json\n {2}why: .*\n {2}do: {2}Nothing was written/);
    expect(stderr).not.toMatch(/\bat .*\.js:\d/);
  });

  test.each([
    [
      "are wrong",
      '{"families":{"gti":false}}',
      / {2}why: the settings .* are wrong: "families" has an unknown name "gti"; did you mean "git"\?\n/,
    ],
    [
      "switch everything off",
      JSON.stringify({ families: Object.fromEntries(Object.keys(FAMILIES).map((name) => [name, false])) }),
      /every rule/,
    ],
  ])("installs nothing that does not block, because its settings %s", (_, settings, says) => {
    put("guard.json", settings);
    const { status, stderr } = guard("install", "--yes", "--agent", "claude", "--settings", at("guard.json"));
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/the guard is not installed/) });
    expect(stderr).toMatch(says);
    expect(existsSync(at(".claude"))).toBe(false);
  });

  test("gives the hook a file of settings", { timeout: 60_000 }, () => {
    put("guard.json", '{"families":{"git":false}}');
    expect(guard("install", "--yes", "--agent", "claude", "--settings", "guard.json").status).toBe(0);
    expect(textOf(FILES.claude)).toContain(`--settings ${at("guard.json")}`);
    expect(guard("status", "--agent", "claude").status).toBe(0);
  });

  test("of two at once leaves the guard once", { timeout: 60_000 }, async () => {
    put(FILES.claude, PERSONS);
    const children = [0, 1, 2].map(() =>
      spawn(process.execPath, [PROGRAM, "guard", "install", "--yes", "--agent", "claude"], {
        cwd: home,
        env: env(),
        stdio: "ignore",
      }),
    );
    expect(await Promise.all(children.map((child) => once(child, "exit")))).toEqual([0, 1, 2].map(() => [0, null]));
    expect(JSON.parse(textOf(FILES.claude)).hooks.PreToolUse).toHaveLength(2);
    for (const backup of backupsOf(FILES.claude)) expect(backup).toBe(PERSONS);
    expect(readdirSync(at(".claude")).filter((name) => !name.startsWith("settings.json"))).toEqual([]);
  });

  test("puts the guard into a repository's settings", () => {
    mkdirSync(at("app/.git"), { recursive: true });
    const options = { cwd: at("app"), env: env(), encoding: "utf8" } as const;
    const args = [PROGRAM, "guard", "install", "--yes", "--project", "--agent", "claude"];
    expect(spawnSync(process.execPath, args, options).status).toBe(0);
    expect(textOf("app/.claude/settings.local.json")).toContain("before-tool");
  });
});

describe("loopdash guard uninstall", () => {
  test("leaves every byte as it was before", { timeout: 60_000 }, () => {
    put(FILES.claude, PERSONS);
    put(FILES.gemini, COMMENTED);
    guard("install", "--yes", ...ALL);
    expect(guard("uninstall", "--yes", ...ALL).status).toBe(0);
    expect([textOf(FILES.claude), textOf(FILES.gemini)]).toEqual([PERSONS, COMMENTED]);
    expect([existsSync(at(FILES.codex)), existsSync(at(FILES.opencode))]).toEqual([false, false]);
    expect(guard("uninstall", "--yes", ...ALL).stdout.match(/nothing of the guard is there/g)).toHaveLength(4);
  });

  test("keeps what a person has changed since, and rules that were there before", { timeout: 60_000 }, () => {
    put(FILES.claude, '{"permissions": {"deny": ["Read(~/.ssh/**)"]}}\n');
    guard("install", "--yes");
    writeFileSync(at(FILES.claude), textOf(FILES.claude).replace("{", '{"theme": "dark",'));
    guard("uninstall", "--yes");
    expect(JSON.parse(textOf(FILES.claude))).toEqual({ theme: "dark", permissions: { deny: ["Read(~/.ssh/**)"] } });
  });

  test("leaves an entry that was changed, and tells it", { timeout: 60_000 }, () => {
    guard("install", "--yes", "--agent", "claude", "opencode");
    for (const vendor of ["claude", "opencode"] as const)
      writeFileSync(at(FILES[vendor]), textOf(FILES[vendor]).replace("2) exit 2;;", "2) exit 0;;").replace("!== 0", "=== 3"));
    const before = [textOf(FILES.claude), textOf(FILES.opencode)];
    const { status, stdout } = guard("uninstall", "--yes", "--agent", "claude", "opencode");
    expect(status).toBe(1);
    expect(stdout.match(/was changed; it stays as it is/g)).toHaveLength(2);
    const { PreToolUse } = JSON.parse(before[0] ?? "").hooks;
    expect(JSON.parse(textOf(FILES.claude)).hooks).toEqual({ PreToolUse });
    expect(textOf(FILES.opencode)).toBe(before[1]);
  });
});

describe("loopdash guard status", () => {
  test("tests the guard of each agent, and tells the gap", { timeout: 60_000 }, () => {
    guard("install", "--yes", "--agent", "claude", "opencode", "codex");
    const { status, stdout } = guard("status", ...ALL);
    expect(status).toBe(1);
    expect(stdout).toMatch(/Claude Code: installed .*\n {2}hooks: .*\n {2}deny rules: 19 of 19/);
    expect(stdout).toMatch(/Codex: installed .*\n {2}do: {2}.*trusted/);
    expect(stdout).toMatch(/Gemini CLI: not installed/);
    expect(stdout).toMatch(/opencode: installed/);
    expect(stdout).toMatch(/only a sandbox does/);
    expect(guard("status", "--agent", "claude").status).toBe(0);
  });

  test("names a guard whose program is gone, or that is switched off, dead", { timeout: 60_000 }, () => {
    guard("install", "--yes", "--agent", "claude", "opencode", "codex");
    for (const vendor of ["claude", "opencode"] as const)
      writeFileSync(at(FILES[vendor]), textOf(FILES[vendor]).replaceAll(PROGRAM, "/nowhere/loopdash.js"));
    put(".codex/config.toml", "[features]\nhooks = false\n");
    const { status, stdout } = guard("status", "--json", "--agent", "claude", "opencode", "codex");
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      { agent: "claude", state: "dead", todo: expect.stringContaining("loopdash guard install") },
      { agent: "codex", state: "dead", why: expect.stringContaining("hooks = false") },
      { agent: "opencode", state: "dead" },
    ]);
    expect(guard("install", "--yes", "--agent", "claude", "opencode").status).toBe(0);
    expect(guard("status", "--agent", "claude", "opencode").status).toBe(0);
  });

  test("says if an entry was changed, or if the settings cannot be read", { timeout: 60_000 }, () => {
    guard("install", "--yes", "--agent", "claude");
    writeFileSync(at(FILES.claude), textOf(FILES.claude).replace("2) exit 2;;", "2) exit 0;;"));
    put(FILES.gemini, "{");
    const { stdout } = guard("status", "--json");
    expect(JSON.parse(stdout)).toMatchObject([
      { agent: "claude", state: "changed" },
      { agent: "gemini", state: "unreadable", why: expect.stringContaining("no valid JSON") },
    ]);
  });

  test("runs no program that a repository names in its settings", { timeout: 60_000 }, () => {
    mkdirSync(at("app/.git"), { recursive: true });
    put("app/evil", `#!/bin/sh\ntouch ${at("ran")}\nexit 2\n`, 0o755);
    const inApp = (...args: readonly string[]) =>
      spawnSync(process.execPath, [PROGRAM, "guard", ...args, "--project", "--agent", "claude", "gemini", "opencode"], {
        ...{ cwd: at("app"), env: env(), encoding: "utf8", input: "" },
      });
    const own = [process.execPath, PROGRAM];
    const hooks: readonly InstalledHook[] = [
      { program: [at("app/evil")], options: [], events: ["before-tool"] },
      { program: [process.execPath, at("app/evil")], options: [], events: ["before-tool"] },
      { program: [...own.slice(0, 1), "--import", at("app/evil"), ...own.slice(1)], options: [], events: ["before-tool"] },
      { program: own, options: ["--report", at("ran")], events: ["before-tool"] },
      { program: [...clientArgv("own", at("app/evil")), ...own], options: [], events: ["before-tool"] },
    ];
    for (const hook of hooks) {
      put("app/.claude/settings.local.json", JSON.stringify({ hooks: { PreToolUse: [hookGroup("claude", hook)] } }));
      put("app/.gemini/settings.json", JSON.stringify({ hooks: { BeforeTool: [hookGroup("gemini", hook)] } }));
      put("app/.opencode/plugins/loopdash-guard.js", pluginText(hook));
      const { status, stdout } = inApp("status", "--json");
      expect({ status, ran: existsSync(at("ran")) }).toEqual({ status: 1, ran: false });
      expect(JSON.parse(stdout)).toMatchObject([{ state: "changed" }, { state: "changed" }, { state: "changed" }]);
    }
    expect(inApp("install", "--yes").status).toBe(0);
    expect(inApp("status").status).toBe(0);
  });
});
