import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { HookEvent } from "@loopdash/guard";
import { hookGroup, type InstalledHook } from "@loopdash/guard";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { record } from "../helpers/recorded-run.ts";
import { scratchFolder } from "../helpers/scratch.ts";
import { batchOf, RunBuilder } from "../store/run-builder.ts";

const PROGRAM = resolve(import.meta.dirname, "../../dist/loopdash.js");
const scratch = scratchFolder();
const CASES = [
  ["claude", ".claude/settings.json", { before: "PreToolUse", after: "PostToolUse", stop: "Stop" }, "Bash"],
  ["codex", ".codex/hooks.json", { before: "PreToolUse", after: "PostToolUse", stop: "Stop" }, "Bash"],
  ["gemini", ".gemini/settings.json", { before: "BeforeTool", after: "AfterTool", stop: "AfterAgent" }, "run_shell_command"],
] as const;

let home: string;
let app: string;

// Hooks start it.
afterAll(() => void spawnSync("pkill", ["-f", `${PROGRAM} __guard-server`]));
beforeEach(() => {
  home = join(scratch(), "home");
  app = join(home, "app");
  mkdirSync(join(app, ".git"), { recursive: true });
});

const env = (): NodeJS.ProcessEnv => ({ PATH: "/usr/bin:/bin", HOME: home });
const at = (path: string): string => join(home, path);
const state = (name: string): string => at(`.local/state/loopdash/${name}`);

function put(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

function guard(...args: readonly string[]) {
  const options = { cwd: app, env: env(), encoding: "utf8", input: "" } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, "guard", ...args], options);
  return { status, stdout, stderr };
}

/** Runs the last hook of an event as its program would. */
function hook(file: string, event: string, payload: object) {
  const groups: readonly { readonly hooks: readonly { readonly command: string }[] }[] = JSON.parse(
    readFileSync(at(file), "utf8"),
  ).hooks[event];
  const input = JSON.stringify({ session_id: "s-1", cwd: app, hook_event_name: event, ...payload });
  const command = groups.at(-1)?.hooks[0]?.command ?? "exit 9";
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", command], { cwd: app, env: env(), encoding: "utf8", input });
  return { status, stdout, stderr };
}

/** An unfinished run of the repository, with one open ticket. */
function aRun(): void {
  const batch = batchOf({ tickets: [{ id: "T-1", title: "one", repo: "app" }], repos: ["app"] });
  const repos = Object.fromEntries(Object.entries(batch.repos).map(([id, spec]) => [id, { ...spec, path: app }]));
  mkdirSync(dirname(state("loopdash.db")), { recursive: true, mode: 0o700 });
  record(dirname(state("loopdash.db")), new RunBuilder({ ...batch, repos }));
}

const PERSONS =
  '{\n   "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}], "AfterTool": [{"hooks": []}]}\n}\n';
const QUIET = { status: 0, stdout: "", stderr: "" };

describe.each(CASES)("loopdash guard install for %s", (agent, file, events, tool) => {
  const use = (command: string, more: object = {}) => ({ tool_name: tool, tool_input: { command }, ...more });

  test("brings the guard, the audit and the stop guard, which its program runs from its settings", { timeout: 120_000 }, () => {
    put(file, PERSONS);
    aRun();
    expect(guard("install", "--yes", "--agent", agent).status).toBe(0);
    expect(hook(file, events.before, use("git reset --hard")).status).toBe(2);
    expect(hook(file, events.after, use("git status"))).toEqual(QUIET);
    expect(existsSync(state("audit.jsonl"))).toBe(false);
    // The second one is answered by the guard server, where there is one.
    for (const n of [1, 2]) expect(hook(file, events.after, use(`API_TOKEN=hunter2 make all${n}`))).toEqual(QUIET);
    const rows = readFileSync(state("audit.jsonl"), "utf8").trimEnd().split("\n");
    expect(rows.map((row) => JSON.parse(row))).toEqual(
      [1, 2].map((n) => ({
        ts: expect.any(String),
        tool,
        command: `API_TOKEN=[secret API_TOKEN] make all${n}`,
        exit_code: null,
        cwd: app,
      })),
    );
    expect(statSync(state("audit.jsonl")).mode & 0o777).toBe(0o600);
    const told = hook(file, events.stop, {});
    expect(told).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(told.stdout)).toMatchObject({ reason: expect.stringContaining("is unfinished, 1 ticket open") });
    expect(hook(file, events.stop, {})).toEqual(QUIET);
    expect(guard("status", "--agent", agent).stdout).toMatch(
      /installed .*\n(?: {2}do: .*\n)? {2}hooks: before-tool, after-tool,.* stop\n/,
    );
    expect(guard("uninstall", "--yes", "--agent", agent).status).toBe(0);
    expect(readFileSync(at(file), "utf8")).toBe(PERSONS);
  });

  test("brings one of the former version up to date, and takes it out as if it had not been there", { timeout: 120_000 }, () => {
    for (const persons of [undefined, PERSONS]) {
      if (persons !== undefined) put(file, persons);
      expect(guard("install", "--yes", "--agent", agent, "--no-audit", "--no-stop").status).toBe(0);
      const { hooks } = JSON.parse(readFileSync(at(file), "utf8"));
      const former: InstalledHook = { program: [process.execPath, PROGRAM], options: [], events: ["before-tool"] };
      const plain = JSON.stringify(hookGroup(agent, { ...former, program: [] }).hooks[0]?.command.split("loopdash-guard")[0]);
      expect(JSON.stringify(hooks)).toContain(plain.slice(1, -1));
      expect(JSON.stringify(hooks)).not.toMatch(/after-tool|hook stop/);
      expect(guard("status", "--agent", agent).stdout).toMatch(/installed .*\n(?: {2}do: .*\n)? {2}hooks: before-tool\n/);
      expect(guard("install", "--yes", "--agent", agent).status).toBe(0);
      expect(readFileSync(at(file), "utf8").match(/hook before-tool/g)).toHaveLength(1);
      expect(readFileSync(at(file), "utf8")).toMatch(/after-tool[^]*hook stop|hook stop[^]*after-tool/);
      expect(guard("install", "--yes", "--agent", agent).stdout).toContain("already installed");
      expect(guard("uninstall", "--yes", "--agent", agent).status).toBe(0);
      expect(existsSync(at(file)) ? readFileSync(at(file), "utf8") : undefined).toBe(persons);
    }
  });

  test.each<[string, HookEvent | "hook", RegExp]>([
    ["--no-stop", "stop", /after-tool/],
    ["--no-audit", "after-tool", /hook stop/],
  ])("with %s leaves that out", { timeout: 60_000 }, (flag, without, has) => {
    expect(guard("install", "--yes", "--agent", agent, flag).status).toBe(0);
    const text = readFileSync(at(file), "utf8");
    expect(text).not.toMatch(new RegExp(`hook ${without}|${flag === "--no-audit" ? "--audit" : "-----"}`));
    expect(text).toMatch(has);
  });

  test.each([[[]], [["--no-server"]]])(
    "lets the agent stop if loopdash is gone, and says so: %j",
    { timeout: 60_000 },
    (flags) => {
      expect(guard("install", "--yes", "--agent", agent, ...flags).status).toBe(0);
      writeFileSync(at(file), readFileSync(at(file), "utf8").replaceAll(process.execPath, "/nowhere/node"));
      const { status, stdout, stderr } = hook(file, events.stop, {});
      expect({ status, stdout, stderr }).toEqual({ status: 127, stdout: "", stderr: expect.stringContaining("/nowhere/node") });
      expect(hook(file, events.before, use("git reset --hard")).status).toBe(2);
    },
  );
});

test("Claude Code's hook for a failed tool tells the exit code", { timeout: 60_000 }, () => {
  guard("install", "--yes", "--agent", "claude");
  const settings = JSON.parse(readFileSync(at(".claude/settings.json"), "utf8"));
  expect(settings.hooks.PostToolUseFailure).toMatchObject([{ matcher: "Bash" }]);
  const payload = { tool_name: "Bash", tool_input: { command: "make all" }, error: "Exit code 2\nmake: *** no rule" };
  expect(hook(".claude/settings.json", "PostToolUseFailure", payload)).toEqual(QUIET);
  expect(JSON.parse(readFileSync(state("audit.jsonl"), "utf8"))).toMatchObject({ command: "make all", exit_code: 2 });
});

test("the settings' checks are what the agent is reminded of, in its worktree", { timeout: 60_000 }, () => {
  writeFileSync(
    at("guard.json"),
    JSON.stringify({ stop: { checks: [{ name: "todo", command: ["test", "!", "-e", "todo.txt"] }] } }),
  );
  expect(guard("install", "--yes", "--agent", "claude", "--settings", at("guard.json")).status).toBe(0);
  expect(hook(".claude/settings.json", "Stop", { session_id: "s-0" })).toEqual(QUIET);
  writeFileSync(join(app, "todo.txt"), "");
  expect(hook(".claude/settings.json", "Stop", {}).stdout).toContain('"decision":"block"');
  expect(hook(".claude/settings.json", "Stop", {})).toEqual(QUIET);
});

describe("opencode's plugin", () => {
  const FILE = ".config/opencode/plugins/loopdash-guard.js";

  test("keeps the audit with the exit code, and uninstalling removes it", { timeout: 60_000 }, async () => {
    expect(guard("install", "--yes", "--agent", "opencode").status).toBe(0);
    const { LoopdashGuard } = await import(pathToFileURL(at(FILE)).href);
    const plugin = await LoopdashGuard({ directory: app });
    for (const [callID, command, exit] of [
      ["c1", "make all", 2],
      ["c2", "git status", 0],
      ["c3", "npm ci", 0],
    ] as const) {
      const result = { title: "", output: "said", metadata: { exit } };
      await plugin["tool.execute.before"]({ tool: "bash", sessionID: "s", callID }, { args: { command } });
      await plugin["tool.execute.after"]({ tool: "bash", sessionID: "s", callID }, result);
      expect(result.output).toBe("said");
    }
    const rows = readFileSync(state("audit.jsonl"), "utf8").trimEnd().split("\n");
    expect(rows.map((row) => JSON.parse(row))).toMatchObject([
      { tool: "bash", command: "make all", exit_code: 2, cwd: app },
      { tool: "bash", command: "npm ci", exit_code: 0, cwd: app },
    ]);
    guard("uninstall", "--yes", "--agent", "opencode");
    expect(existsSync(at(FILE))).toBe(false);
  });

  test("of the former version is brought up to date, or taken out", { timeout: 60_000 }, () => {
    const former = readFileSync(resolve(import.meta.dirname, "../../packages/guard/test/install/former-plugin.js.txt"), "utf8");
    put(FILE, former);
    expect(guard("install", "--yes", "--agent", "opencode").status).toBe(0);
    expect(readFileSync(at(FILE), "utf8")).toMatch(/hook",\s*"after-tool"/);
    put(FILE, former);
    guard("uninstall", "--yes", "--agent", "opencode");
    expect(existsSync(at(FILE))).toBe(false);
  });
});
