import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HookEvent } from "@loopdash/guard";
import { hook } from "@loopdash/guard/program";
import { beforeEach, describe, expect, test } from "vitest";
import { guardHost } from "../../../src/cli/guard/run-guard.ts";
import type { VendorKind } from "../../../src/domain/batch/vendors.ts";
import { record } from "../../helpers/recorded-run.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { batchOf, RunBuilder } from "../../store/run-builder.ts";

const folder = scratchFolder();
let worktree: string;
let home: string;
let audit: string;

beforeEach(() => {
  worktree = join(folder(), "app");
  home = join(folder(), "state", "loopdash");
  audit = join(home, "audit.jsonl");
  mkdirSync(join(worktree, ".git"), { recursive: true });
});

async function call(vendor: VendorKind, event: HookEvent, payload: object | string, options: readonly string[] = []) {
  const said = { 1: "", 2: "" };
  const input = typeof payload === "string" ? payload : JSON.stringify({ session_id: "s-1", cwd: worktree, ...payload });
  const code = await hook(
    [event, "--agent", vendor, ...options],
    {
      cwd: worktree,
      env: { HOME: folder(), LOOPDASH_HOME: home },
      input: () => Promise.resolve(input),
      print: (fd, text) => {
        said[fd] += text;
      },
    },
    guardHost,
  );
  return { code, stdout: said[1], stderr: said[2] };
}

const QUIET = { code: 0, stdout: "", stderr: "" };

describe("the audit of a person's own agent", () => {
  const after = (command: string, more: object = {}, vendor: VendorKind = "claude", event: HookEvent = "after-tool") => {
    const tool = { claude: "Bash", codex: "Bash", gemini: "run_shell_command", opencode: "bash" }[vendor];
    return call(vendor, event, { tool_name: tool, tool_input: { command }, ...more }, ["--audit", audit]);
  };
  const rows = (): readonly Readonly<Record<string, unknown>>[] =>
    readFileSync(audit, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  test("has a line for each command that may have changed something, and none for others", async () => {
    for (const command of ["git status", "ls -la", "cat a.txt | sort", "git commit -m x", "cd src && rm -rf dist", "npm install"])
      expect(await after(command)).toEqual(QUIET);
    expect(rows()).toEqual(
      ["git commit -m x", "cd src && rm -rf dist", "npm install"].map((command) => ({
        ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        tool: "Bash",
        command,
        exit_code: null,
        cwd: worktree,
      })),
    );
    expect(Object.keys(rows()[0] ?? {})).toEqual(["ts", "tool", "command", "exit_code", "cwd"]);
    expect([statSync(audit).mode & 0o777, statSync(home).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  test.each<[VendorKind, object, number | null, HookEvent?]>([
    ["claude", { error: "Exit code 3\nno" }, 3, "after-failed-tool"],
    ["claude", { error: "Command exited with non-zero status code 1" }, 1, "after-failed-tool"],
    ["claude", { error: "it was interrupted; Exit code 3" }, null, "after-failed-tool"],
    ["claude", { tool_response: { stdout: "Exit code 3", stderr: "", interrupted: false } }, 0],
    ["claude", { tool_response: { interrupted: false, returnCodeInterpretation: "Files differ" } }, null],
    ["claude", { tool_response: { interrupted: false, backgroundTaskId: "b1" } }, null],
    ["claude", { tool_response: { interrupted: true } }, null],
    ["codex", { tool_response: "Exit code: 3" }, null],
    ["codex", { tool_response: { exit_code: 3 } }, 3],
    ["gemini", { tool_response: { llmContent: "Output: Exit Code: 4\nExit Code: 5\nExit Code: 3\nProcess Group PGID: 7" } }, 3],
    ["gemini", { tool_response: { llmContent: "Output: Exit Code: 4" } }, null],
    ["opencode", { tool_response: { exit_code: 3 } }, 3],
    ["opencode", { tool_response: {} }, null],
  ])("tells the exit code that %s tells: %j", async (vendor, more, exit_code, event) => {
    expect(await after("make all", more, vendor, event)).toEqual(QUIET);
    expect(rows()).toMatchObject([{ command: "make all", exit_code }]);
  });

  test("has the folder that a command names, and the tools that files are changed with are none", async () => {
    await after("x", { tool_input: { command: "npm ci", dir_path: "web" } }, "gemini");
    expect(
      await call("claude", "after-tool", { tool_name: "Write", tool_input: { file_path: "a" } }, ["--audit", audit]),
    ).toEqual(QUIET);
    expect(rows()).toMatchObject([{ command: "npm ci", cwd: join(worktree, "web") }]);
  });

  test("shows no secret of a command, and bounds it", async () => {
    await after(`NPM_TOKEN=hunter2 npm publish; git push https://ada:hunter2@x.example/r.git # ${"x".repeat(90_000)}`);
    await after(`touch ${"x".repeat(1_990)} --password hunter2`);
    expect(readFileSync(audit, "utf8")).not.toContain("hunter");
    expect(rows()[0]?.["command"]).toMatch(/^NPM_TOKEN=\[secret NPM_TOKEN\] npm publish/);
    expect(rows().map(({ command }) => String(command).length)).toEqual([2_000, 2_000]);
  });

  test("keeps the last 1,000 lines above 10 MB", async () => {
    mkdirSync(home, { recursive: true });
    const line = (n: number) => `${JSON.stringify({ n, command: "x".repeat(1_000) })}\n`;
    writeFileSync(audit, Array.from({ length: 9_000 }, (_, n) => line(n)).join(""), { mode: 0o600 });
    await after("make small");
    expect(rows()).toHaveLength(9_001);
    writeFileSync(audit, Array.from({ length: 10_000 }, (_, n) => line(n)).join(""));
    await after("make all");
    expect(rows()).toHaveLength(1_000);
    expect([rows()[0]?.["n"], rows()[998]?.["n"], rows()[999]?.["command"]]).toEqual([9_001, 9_999, "make all"]);
    expect(statSync(audit).mode & 0o777).toBe(0o600);
    await after("make more");
    expect(rows()).toHaveLength(1_001);
  });

  test.each<[string, () => void, RegExp]>([
    ["a link leads elsewhere", () => symlinkSync(join(folder(), "elsewhere"), audit), /ELOOP/],
    ["it is a folder", () => mkdirSync(audit), /EISDIR/],
    [
      "its folder is a file",
      () => {
        audit = join(folder(), "file", "audit.jsonl");
        writeFileSync(join(folder(), "file"), "");
      },
      /EEXIST|ENOTDIR/,
    ],
  ])("blocks nothing, and says so, if %s", async (_, spoil, why) => {
    mkdirSync(home, { recursive: true });
    spoil();
    expect(await after("make all")).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(why) });
    expect(existsSync(join(folder(), "elsewhere"))).toBe(false);
    expect(await after("git status")).toEqual(QUIET);
  });

  test("is not kept by a hook without a file for it, and blocks nothing that it cannot read", async () => {
    expect(await call("claude", "after-tool", { tool_name: "Bash", tool_input: { command: "make" } })).toEqual(QUIET);
    for (const text of ["no json", "{}", JSON.stringify({ cwd: worktree, tool_name: "Bash", tool_input: {} })])
      expect(await call("claude", "after-tool", text, ["--audit", audit])).toMatchObject({ code: 1, stdout: "" });
    expect(await call("claude", "after-failed-tool", "{}", ["--bad", "x"])).toMatchObject({ code: 1, stdout: "" });
    expect(existsSync(audit)).toBe(false);
  });

  test("may be written by no tool of the agent", async () => {
    const options = ["--audit", audit];
    for (const command of [`: > ${audit}`, `cp /dev/null ${audit}`, `echo '{}' >> ${audit}`])
      expect([
        command,
        (await call("claude", "before-tool", { tool_name: "Bash", tool_input: { command } }, options)).code,
      ]).toEqual([command, 2]);
    const write = { tool_name: "Write", tool_input: { file_path: audit, content: "" } };
    expect((await call("claude", "before-tool", write, options)).code).toBe(2);
  });
});

describe("a person's own agent that stops", () => {
  /** A run of this LOOPDASH_HOME with two open tickets. */
  function aRun(repo: string, { run = "nightly-20260504-k3f9", ends = false, batchPath = "/work/batch.json" } = {}) {
    const tickets = ["T-1", "T-2"].map((id) => ({ id, title: id, repo: "app" }));
    const batch = batchOf({ tickets, repos: ["app"] });
    const repos = Object.fromEntries(Object.entries(batch.repos).map(([id, spec]) => [id, { ...spec, path: repo }]));
    const built = new RunBuilder({ ...batch, repos });
    if (ends) built.play({ type: "run-ended", kind: "not-done", verdict: "not-done", exitCode: 1, reason: "open" });
    mkdirSync(home, { recursive: true });
    record(home, built, { run, batchPath });
  }
  const settings = (stop: object): readonly string[] => {
    writeFileSync(join(folder(), "guard.json"), JSON.stringify({ stop }));
    return ["--settings", join(folder(), "guard.json")];
  };
  const stops = (options: readonly string[] = [], more: object = {}, vendor: VendorKind = "claude") =>
    call(vendor, "stop", more, options);
  const told = (text: string | RegExp) => ({ code: 0, stdout: expect.stringMatching(text), stderr: "" });

  test.each([
    ["claude", "block"],
    ["codex", "block"],
    ["gemini", "deny"],
  ] as const)("is told once in a session of an unfinished run of its repository, in the form of %s", async (vendor, decision) => {
    aRun(worktree);
    const { stdout, ...rest } = await stops([], {}, vendor);
    expect(rest).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      decision,
      reason: expect.stringMatching(
        /told 1 of 1\):\n- The run nightly-20260504-k3f9 of this repository is unfinished, 2 tickets open/,
      ),
    });
    for (const more of [{}, { stop_hook_active: true }]) expect(await stops([], more, vendor)).toEqual(QUIET);
    expect(await stops([], { session_id: "s-2" }, vendor)).toEqual(told("k3f9"));
    expect(await stops([], { session_id: "s-2" }, vendor)).toEqual(QUIET);
    expect(statSync(join(home, "stops.jsonl")).mode & 0o777).toBe(0o600);
  });

  test.each<[string, () => void]>([
    ["there is no run", () => undefined],
    ["the run is of another repository", () => aRun(join(folder(), "other"))],
    ["the run has ended", () => aRun(worktree, { ends: true })],
  ])("is told nothing if %s", async (_, prepare) => {
    prepare();
    expect(await stops()).toEqual(QUIET);
    expect(existsSync(join(home, "stops.jsonl"))).toBe(false);
  });

  test("is told of a run by every name of its repository, and from every folder in it", async () => {
    symlinkSync(worktree, join(folder(), "alias"));
    mkdirSync(join(worktree, "src"));
    aRun(join(folder(), "alias"));
    aRun("app", { run: "weekly-20260504-k3f9", batchPath: join(folder(), "batch.json") });
    expect(await stops([], { cwd: join(worktree, "src") })).toEqual(told(/nightly[^]*weekly|weekly[^]*nightly/));
  });

  test("is told which checks of its settings fail, and of no run then", async () => {
    aRun(worktree);
    const checks = [
      { name: "tests", command: ["sh", "-c", "echo 2 failed; exit 3"] },
      { name: "types", command: ["true"] },
    ];
    const { stdout } = await stops(settings({ checks }));
    expect(JSON.parse(stdout).reason).toMatch(
      /told 1 of 1\):\n- The check "tests" fails \(exit 3\)\. Its last lines:\n {2}\| 2 failed\nGo on/,
    );
    expect(stdout).not.toMatch(/types|k3f9/);
    expect(await stops(settings({ checks }))).toEqual(QUIET);
  });

  test("is told at most as often as the settings say, and never the same twice in a row", async () => {
    const failing = (...names: readonly string[]) =>
      settings({ times: 3, checks: names.map((name) => ({ name, command: ["false"] })) });
    expect(await stops(failing("tests"))).toEqual(told(/told 1 of 3[^]*tests/));
    expect(await stops(failing("tests"))).toEqual(QUIET);
    expect(await stops(failing("lint"))).toEqual(told(/told 2 of 3[^]*lint/));
    expect(await stops(failing("lint"))).toEqual(QUIET);
    expect(await stops(failing("tests"))).toEqual(told(/told 3 of 3/));
    expect(await stops(failing("types"))).toEqual(QUIET);
    expect(await stops(settings({ times: 0, checks: [{ name: "a", command: ["false"] }] }), { session_id: "s-3" })).toEqual(
      QUIET,
    );
  });

  test("is told nothing if all checks pass or cannot run, or if its session has no name", async () => {
    const checks = [
      { name: "ok", command: ["true"] },
      { name: "gone", command: ["/nowhere/program"] },
    ];
    expect(await stops(settings({ checks }))).toEqual(QUIET);
    expect(await stops(settings({ checks: [{ name: "bad", command: ["false"] }] }), { session_id: undefined })).toEqual(QUIET);
  });

  test.each<[string, () => readonly string[]]>([
    [
      "its records are none",
      () => {
        mkdirSync(home, { recursive: true });
        writeFileSync(join(home, "loopdash.db"), "no database, however long it is".repeat(100));
        return [];
      },
    ],
    [
      "what it was told cannot be kept",
      () => {
        aRun(worktree);
        mkdirSync(join(home, "stops.jsonl"));
        return [];
      },
    ],
    [
      "there is no place to keep what it was told",
      () => {
        const file = join(folder(), "file");
        writeFileSync(file, "");
        home = join(file, "state");
        return settings({ checks: [{ name: "tests", command: ["false"] }] });
      },
    ],
    ["its settings are wrong", () => settings({ checks: [{ name: "tests", command: "npm test" }] })],
    ["its settings have another key", () => settings({ checks: [], time: 2 })],
    ["its settings are gone", () => ["--settings", join(folder(), "gone.json")]],
    ["the hook's command is wrong", () => ["--stops", "x"]],
  ])("is let go, with a line on stderr, if %s", async (_, prepare) => {
    expect(await stops(prepare())).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(/^loopdash: .*\n {2}why: /) });
    expect(await call("claude", "stop", "no json")).toMatchObject({ code: 1, stdout: "" });
  });

  test("in a run is told nothing by this: a run's hook has a report", async () => {
    aRun(worktree);
    expect(await stops(["--report", join(folder(), "report.jsonl")])).toEqual(QUIET);
  });
});
