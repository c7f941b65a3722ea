import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type { HookEvent } from "../../src/hooks/hook-event.ts";
import { codexOverrides, hookCommand, hookSettings } from "../../src/hooks/hook-settings.ts";
import { scratchFolder } from "../scratch.ts";

const folder = scratchFolder();
const ODD = 'it\'s "a" folder $HOME `x`';

/** A program that prints its words and ends with a code. */
function aProgram(code: number): readonly string[] {
  const path = join(folder(), "it's a program");
  writeFileSync(path, `#!/bin/sh\nprintf '<%s>' "$@"\nexit ${code}\n`);
  chmodSync(path, 0o755);
  return [path, ODD];
}

function commandOf(vendor: "claude" | "codex" | "gemini", program: readonly string[]): string {
  const settings = hookSettings(vendor, program, { events: ["before-tool"] });
  if (settings.form !== "json") throw new Error("no JSON");
  const [group] = Object.values(settings.hooks).flat();
  return group?.hooks[0]?.command ?? "";
}

describe("the command of a hook", () => {
  test.each(["claude", "codex", "gemini"] as const)("of %s has every word as it is", (vendor) => {
    const { status, stdout } = spawnSync("/bin/sh", ["-c", commandOf(vendor, aProgram(0))], { encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 0, stdout: `<${ODD}><hook><before-tool><--agent><${vendor}>` });
  });

  test.each([
    [0, 0],
    [1, 2],
    [2, 2],
    [127, 2],
    [137, 2],
  ])("turns exit code %i into %i", (code, becomes) => {
    expect(spawnSync("/bin/sh", ["-c", commandOf("claude", aProgram(code))]).status).toBe(becomes);
  });

  test("blocks and says what to do if the program is gone", () => {
    const { status, stderr } = spawnSync("/bin/sh", ["-c", commandOf("claude", ["/nowhere/node", "x"])], { encoding: "utf8" });
    expect(status).toBe(2);
    expect(stderr).toMatch(/the guard did not run[^]*loopdash guard status/);
  });

  test("names no variable, because Gemini CLI would replace it", () => {
    expect(commandOf("gemini", ["/usr/bin/node", "/opt/loopdash.js"])).not.toMatch(/\$(?:\w|\{)/);
  });
});

test("the settings name the events of each program", () => {
  const names = (["claude", "codex", "gemini"] as const).map((vendor) => {
    const settings = hookSettings(vendor, ["/n", "/l"]);
    return settings.form === "json" ? Object.keys(settings.hooks) : [];
  });
  expect(names).toEqual([
    ["PreToolUse", "SessionStart", "Stop"],
    ["PreToolUse", "SessionStart", "Stop"],
    ["BeforeTool", "SessionStart", "AfterAgent"],
  ]);
});

test("Codex takes the same as values of TOML", () => {
  const options = ["--settings", "/a b/guard.json"];
  const overrides = codexOverrides(hookSettings("codex", ["/n", '/l"l'], { events: ["session-start"], options }));
  expect(overrides).toEqual([
    `hooks.SessionStart=[{hooks=[{type="command",command="/n '/l\\"l' hook session-start --agent codex --settings '/a b/guard.json'"}]}]`,
  ]);
});

describe("the plugin of opencode", () => {
  const call = { tool: "bash", sessionID: "s", callID: "c" };
  async function plugin(program: readonly string[], events: readonly HookEvent[]) {
    const settings = hookSettings("opencode", program, { events });
    const file = join(folder(), `plugin-${Math.random()}.mjs`);
    writeFileSync(file, settings.form === "plugin" ? settings.text : "");
    const { LoopdashGuard } = await import(pathToFileURL(file).href);
    return LoopdashGuard({ directory: folder() });
  }

  async function loaded(program: readonly string[]) {
    const { "tool.execute.before": before } = await plugin(program, ["before-tool"]);
    return (args: object): Promise<void> => before(call, { args });
  }

  /** A hook that blocks what has the word `bad`, with the payload on stderr. */
  function aHook(): readonly string[] {
    const path = join(folder(), "hook.sh");
    writeFileSync(path, '#!/bin/sh\nin=$(cat)\ncase "$in" in *bad*) echo "$in" >&2; exit 2;; esac\n');
    chmodSync(path, 0o755);
    return [path];
  }

  test("lets a tool pass that the hook allows, and throws what it says of others", async () => {
    const before = await loaded(aHook());
    await before({ command: "good" });
    await expect(before({ command: "bad" })).rejects.toThrow(
      JSON.stringify({
        hook_event_name: "before-tool",
        cwd: folder(),
        session_id: "s",
        tool_use_id: "c",
        tool_name: "bash",
        tool_input: { command: "bad" },
      }),
    );
  });

  test("adds what a hook says after a tool to the tool's result, if the settings have such a hook", async () => {
    const path = join(folder(), "after.sh");
    const says = (exit: number) =>
      writeFileSync(path, `#!/bin/sh\ncat > /dev/null\necho "look again"\nexit ${exit}\n`, { mode: 0o755 });
    const after = async (events: readonly HookEvent[]): Promise<string> => {
      const result = { title: "", output: "tests fail", metadata: {} };
      await (await plugin([path], events))["tool.execute.after"](call, result);
      return result.output;
    };
    says(0);
    expect(await after(["before-tool", "after-tool"])).toBe("tests fail\nlook again\n");
    expect(await after(["before-tool"])).toBe("tests fail");
    says(1);
    expect(await after(["before-tool", "after-tool"])).toBe("tests fail");
  });

  test.each([
    ["is gone", () => ["/nowhere/node"]],
    ["ends with another code", () => aProgram(1)],
  ])("throws if the hook %s", async (_, program) => {
    await expect((await loaded(program()))({ command: "good" })).rejects.toThrow(/the guard did not run/);
  });

  test("has the words of the hook's command", () => {
    const program = ["/usr/bin/node", "/opt/loopdash.js"];
    const settings = hookSettings("opencode", program);
    const words = JSON.stringify(hookCommand(program, { vendor: "opencode", event: "before-tool" }), undefined, 2);
    expect(settings.form === "plugin" && settings.text.replace(/\s+/g, "")).toContain(words.replace(/\s+/g, ""));
  });
});
