import { describe, expect, test } from "vitest";
import { readHookPayload } from "../../src/hooks/hook-payload.ts";
import { judgeHook } from "../../src/hooks/judge-hook.ts";

const AT = {
  cwd: "/home/me/app",
  worktree: "/home/me/app",
  home: "/home/me",
  kept: ["/home/me/app/guard.json", "/srv/guard.json"],
};

function verdictOn(tool: string, input: object): string {
  const payload = readHookPayload("claude", JSON.stringify({ cwd: "/home/me/app", tool_name: tool, tool_input: input }));
  if ("problem" in payload) throw new Error(payload.problem);
  const verdict = judgeHook(payload, AT, (path) => path);
  return verdict.verdict === "block" ? verdict.rule : "allow";
}

describe("what switches the guard off is not written by an agent", () => {
  test.each([
    "/home/me/app/.claude/settings.json",
    "/home/me/app/packages/web/.claude/settings.local.json",
    "/home/me/app/.codex/hooks.json",
    "/home/me/app/.codex/config.toml",
    "/home/me/app/.gemini/settings.json",
    "/home/me/app/.opencode/plugins/loopdash-guard.js",
    "/home/me/app/guard.json",
    "/srv/guard.json",
  ])("%s", (path) => {
    expect(verdictOn("Write", { file_path: path, content: "{}" })).toBe("write-protected");
    expect(verdictOn("Bash", { command: `echo '{"disableAllHooks": true}' > ${path}` })).toBe("write-protected");
    expect(verdictOn("Read", { file_path: path })).toBe("allow");
  });

  test.each([
    "/home/me/app/.claude/commands/a.md",
    "/home/me/app/.gemini/GEMINI.md",
    "/home/me/app/src/settings.json",
    "/srv/other.json",
  ])("but %s is", (path) => {
    expect(verdictOn("Write", { file_path: path, content: "" })).toBe("allow");
    expect(verdictOn("Bash", { command: `echo x > ${path}` })).toBe("allow");
  });
});
