import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { StandIn } from "../../packages/model-gateway/test/stage.ts";
import type { VendorKind } from "../../src/domain/batch/vendors.ts";
import { scratchFolder } from "../helpers/scratch.ts";
import { programsFolder, whyWithout } from "./programs.ts";
import { anthropicStandIn, chatStandIn, geminiStandIn, responsesStandIn, type Script } from "./stand-in.ts";

const PROGRAM = resolve(import.meta.dirname, "../../dist/loopdash.js");
const scratch = scratchFolder();

interface Case {
  readonly vendor: VendorKind;
  readonly api: (script: Script) => Promise<StandIn>;
  readonly shell: (command: string) => { readonly name: string; readonly input: object };
  /** A tool that reads a file without a shell, if the program has one that any model gets. */
  readonly read?: (path: string) => { readonly name: string; readonly input: object };
  readonly args: readonly string[];
  readonly env: (port: number, home: string) => NodeJS.ProcessEnv;
  readonly prepare?: (port: number, home: string) => void;
}

const CASES: readonly Case[] = [
  {
    vendor: "claude",
    api: anthropicStandIn,
    shell: (command) => ({ name: "Bash", input: { command, description: "x" } }),
    read: (path) => ({ name: "Read", input: { file_path: path } }),
    args: ["-p", "go", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"],
    env: (port) => ({
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
      ANTHROPIC_API_KEY: "x",
      IS_SANDBOX: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
  },
  {
    vendor: "codex",
    api: responsesStandIn,
    shell: (command) => ({ name: "exec_command", input: { cmd: command } }),
    args: [
      "exec",
      "--json",
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      "--dangerously-bypass-hook-trust",
      "go",
    ],
    env: () => ({ MODEL_KEY: "x" }),
    prepare: (port, home) => {
      const provider = `name = "m"\nenv_key = "MODEL_KEY"\nwire_api = "responses"\nbase_url = "http://127.0.0.1:${port}/v1"\n`;
      writeFileSync(join(home, ".codex/config.toml"), `model_provider = "m"\n[model_providers.m]\n${provider}`);
    },
  },
  {
    vendor: "gemini",
    api: geminiStandIn,
    shell: (command) => ({ name: "run_shell_command", input: { command, description: "x" } }),
    read: (path) => ({ name: "read_file", input: { file_path: path } }),
    args: ["-p", "go", "--yolo", "--skip-trust", "-o", "stream-json", "--model", "gemini-2.5-pro"],
    env: (port) => ({ GEMINI_API_KEY: "x", GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`, GEMINI_CLI_NO_RELAUNCH: "1" }),
    prepare: (_, home) =>
      writeFileSync(
        join(home, ".gemini/settings.json"),
        '{\n  // mine\n  "security": {"auth": {"selectedType": "gemini-api-key"}}\n}\n',
      ),
  },
  {
    vendor: "opencode",
    api: chatStandIn,
    shell: (command) => ({ name: "bash", input: { command, description: "x" } }),
    read: (path) => ({ name: "read", input: { filePath: path } }),
    args: ["run", "--format", "json", "--auto", "--title", "t", "--model", "l/m", "go"],
    env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1" }),
    prepare: (port, home) => {
      const models = { m: { name: "m", tool_call: true, limit: { context: 128_000, output: 16_000 } } };
      const options = { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "x" };
      const provider = { l: { npm: "@ai-sdk/openai-compatible", name: "l", options, models } };
      writeFileSync(
        join(home, ".config/opencode/opencode.json"),
        JSON.stringify({ autoupdate: false, permission: "allow", provider }),
      );
    },
  },
];

const FOLDERS: Readonly<Record<VendorKind, string>> = {
  claude: ".claude",
  codex: ".codex",
  gemini: ".gemini",
  opencode: ".config/opencode",
};

/** A person's own program, with the guard as `guard install` puts it into the settings. */
describe.each(CASES)("$vendor with the guard", { timeout: 300_000 }, ({ vendor, api, shell, read, args, env, prepare }) => {
  const missing = whyWithout(vendor);
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test("does not run what is blocked, and its agent is told the alternative", async () => {
    const home = join(scratch(), "home");
    const worktree = join(home, "app");
    for (const folder of [worktree, join(worktree, ".git"), join(home, FOLDERS[vendor])]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(worktree, ".netrc"), "machine example.com password hunter2-of-the-test\n");
    const acts = [
      shell("touch ran-blocked; git reset --hard"),
      ...(read === undefined ? [] : [read(join(worktree, ".netrc"))]),
      shell("touch ran-allowed"),
    ];
    const model = await api((turn) => (acts[turn] === undefined ? { say: "Done." } : { tool: acts[turn] }));
    prepare?.(model.port, home);
    const basic = { PATH: process.env["PATH"], HOME: home, ...env(model.port, home) };
    const installed = spawnSync(process.execPath, [PROGRAM, "guard", "install", "--yes", "--agent", vendor], { env: basic });
    expect(installed.status, installed.stderr.toString()).toBe(0);

    const program = join(programsFolder(), "node_modules/.bin", vendor);
    const child = spawn(program, args, { cwd: worktree, env: basic, stdio: ["ignore", "ignore", "ignore"] });
    expect(await once(child, "close")).toEqual([0, null]);
    const told = model.seen.map(({ body }) => body).join("\n");
    expect([existsSync(join(worktree, "ran-blocked")), existsSync(join(worktree, "ran-allowed"))]).toEqual([false, true]);
    // The bodies are long, so they are not shown.
    const has = (text: string): boolean => told.includes(text);
    expect([has("git stash push --include-untracked"), has("hunter2-of-the-test")]).toEqual([true, false]);
    expect(has("(read-secret)")).toBe(read !== undefined);
  });
});
