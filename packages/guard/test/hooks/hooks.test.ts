import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { VendorKind } from "../../../../src/domain/batch/vendors.ts";
import { hookAnswer } from "../../src/hooks/hook-answer.ts";
import { EVENT_NAMES, HOOK_EVENTS, HOOK_VENDORS } from "../../src/hooks/hook-event.ts";
import { readHookPayload } from "../../src/hooks/hook-payload.ts";
import { judgeHook } from "../../src/hooks/judge-hook.ts";
import type { GuardContext } from "../../src/verdict.ts";
import { payloadOf } from "./payloads.ts";

const CONTEXT: GuardContext = { cwd: "/home/ada/app", worktree: "/home/ada/app", home: "/home/ada" };

function judged(vendor: VendorKind, text: string, context = CONTEXT, realPath = (path: string) => path): string {
  const payload = readHookPayload(vendor, text);
  if ("problem" in payload) return `problem: ${payload.problem}`;
  const verdict = judgeHook(payload, context, realPath);
  return verdict.verdict === "allow" ? "allow" : verdict.rule;
}

const PATCH = (path: string) => `*** Begin Patch\n*** Update File: ${path}\n@@\n-a\n+b\n*** End Patch`;

describe("the use of a tool", () => {
  test.each<[VendorKind, tool: string, input: object, verdict: string]>([
    ["claude", "Bash", { command: "git reset --hard", description: "x" }, "git-reset"],
    ["claude", "Bash", { command: "git status", description: "x" }, "allow"],
    ["claude", "Monitor", { command: "rm -rf ~", description: "x" }, "delete-root"],
    ["claude", "Monitor", { description: "x" }, "allow"],
    ["claude", "Read", { file_path: "/home/ada/.ssh/id_rsa" }, "read-secret"],
    ["claude", "Read", { file_path: "~/.aws/credentials" }, "read-secret"],
    ["claude", "Read", { file_path: "/home/ada/app/.env" }, "read-secret"],
    ["claude", "Read", { file_path: "/home/ada/app/src/../../.ssh/id_ed25519" }, "read-secret"],
    ["claude", "Read", { file_path: "/home/ada/app/a.txt", offset: 10 }, "allow"],
    ["claude", "Edit", { file_path: "/home/ada/app/.git/config", old_string: "x", new_string: "y" }, "write-protected"],
    ["claude", "Edit", { file_path: "/home/ada/.bashrc", old_string: "x", new_string: "y" }, "write-protected"],
    ["claude", "Write", { file_path: "/home/ada/.claude/settings.json", content: "{}" }, "write-protected"],
    ["claude", "Write", { file_path: "/home/ada/.claude/plans/tidy.md", content: "x" }, "allow"],
    ["claude", "Write", { file_path: "/home/ada/app/a.txt", content: "rm -rf /" }, "allow"],
    ["claude", "NotebookEdit", { notebook_path: "/etc/a.ipynb", new_source: "x" }, "write-protected"],
    ["claude", "Grep", { pattern: "KEY", path: "/home/ada/.ssh" }, "read-secret"],
    ["claude", "Grep", { pattern: "KEY" }, "allow"],
    ["claude", "TodoWrite", { todos: [] }, "allow"],
    ["claude", "mcp__shell__run", { command: "git push --force" }, "git-force-push"],
    ["claude", "mcp__db__query", { command: "SELECT 'it''s (fine" }, "allow"],
    ["claude", "mcp__files__read", { path: "/home/ada/.ssh/id_rsa" }, "read-secret"],
    ["claude", "mcp__files__write_file", { path: "/home/ada/app/.git/config", content: "x" }, "write-protected"],
    ["claude", "mcp__files__writeFile", { path: "~/.bashrc", content: "x" }, "write-protected"],
    ["claude", "mcp__files__move_file", { source: "a.txt", destination: "/home/ada/.bashrc" }, "write-protected"],
    ["claude", "mcp__files__frobnicate", { paths: ["a.txt", "/etc/hosts"] }, "write-protected"],
    ["claude", "mcp__read_files__frobnicate", { path: "/etc/hosts" }, "write-protected"],
    ["claude", "mcp__files__find_and_replace", { path: "/etc/hosts" }, "write-protected"],
    ["claude", "mcp__files__get", { path: "/etc/hosts", content: "x" }, "write-protected"],
    ["claude", "mcp__files__list_then_erase", { path: "/etc/hosts" }, "write-protected"],
    ["claude", "mcp__files__getAndReset", { path: "/etc/hosts" }, "write-protected"],
    ["claude", "mcp__web__fetch", { url: "https://x.example/", path: "/home/ada/.bashrc" }, "write-protected"],
    ["claude", "mcp__files__readdress", { path: "/etc/hosts" }, "write-protected"],
    ["claude", "mcp__files__write_file", { path: "src/a.ts", content: "x" }, "allow"],
    ["claude", "mcp__files__read_text_file", { path: "/etc/hosts" }, "allow"],
    ["claude", "mcp__files__getFileInfo", { path: "/etc/hosts" }, "allow"],
    ["claude", "mcp__files__list_directory", { path: "/usr/lib" }, "allow"],
    ["claude", "mcp__docs__fetch", { path: "/usr/share/doc" }, "allow"],
    ["claude", "Glob", { pattern: "*.h", path: "/usr/include" }, "allow"],
    ["claude", "LS", { path: "/etc" }, "allow"],
    ["claude", "LSP", { operation: "hover", filePath: "/usr/include/stdio.h", line: 1, character: 1 }, "allow"],
    ["claude", "LSP", { operation: "hover", filePath: "/home/ada/.ssh/id_rsa", line: 1, character: 1 }, "read-secret"],
    ["codex", "mcp__files__edit", { path: "/home/ada/app/.codex/config.toml" }, "write-protected"],
    ["gemini", "mcp_files_write_file", { path: "/home/ada/.zshrc" }, "write-protected"],
    ["gemini", "mcp_files_search_files", { path: "/usr/include" }, "allow"],
    ["gemini", "list_directory", { dir_path: "/etc", path: "/etc" }, "allow"],
    ["gemini", "glob", { pattern: "*", path: "/etc" }, "allow"],
    ["opencode", "files_write", { filePath: "/home/ada/.bashrc" }, "write-protected"],
    ["opencode", "files_find", { filePath: "/usr/include" }, "allow"],
    ["opencode", "glob", { pattern: "*", path: "/usr/include" }, "allow"],
    ["opencode", "list", { path: "/usr/include" }, "allow"],
    ["codex", "Bash", { command: "git clean -fd" }, "git-clean"],
    ["codex", "Bash", { command: ["bash", "-lc", "git reset --hard"] }, "git-reset"],
    ["codex", "Bash", { command: `apply_patch <<'P'\n${PATCH("/home/ada/app/.git/hooks/pre-commit")}\nP` }, "write-protected"],
    ["codex", "apply_patch", { command: PATCH("../.bashrc") }, "write-protected"],
    ["codex", "apply_patch", { command: PATCH("src/a.ts") }, "allow"],
    ["codex", "view_image", { path: "/home/ada/.ssh/id_rsa" }, "read-secret"],
    ["gemini", "run_shell_command", { command: "rm -rf dist", dir_path: "/home/ada/other" }, "delete-outside"],
    ["gemini", "run_shell_command", { command: "rm -rf dist", dir_path: "packages/a" }, "allow"],
    ["gemini", "run_shell_command", { command: "npm publish" }, "publish-npm"],
    ["gemini", "read_file", { file_path: ".env" }, "read-secret"],
    ["gemini", "read_many_files", { include: ["a.txt", "/home/ada/.netrc"] }, "read-secret"],
    ["gemini", "write_file", { file_path: "/home/ada/.zshrc", content: "x" }, "write-protected"],
    ["gemini", "replace", { file_path: "a.txt", instruction: "i", old_string: "x", new_string: "y" }, "allow"],
    ["opencode", "bash", { command: "git stash drop", description: "x" }, "git-drop-stash"],
    ["opencode", "bash", { command: "rm -rf *", workdir: "/home/ada/other", description: "x" }, "delete-outside"],
    ["opencode", "read", { filePath: "/home/ada/.config/gh/hosts.yml" }, "read-secret"],
    ["opencode", "edit", { filePath: "/home/ada/.config/opencode/plugins/loopdash-guard.js" }, "write-protected"],
    ["opencode", "patch", { patchText: PATCH("src/a.ts") }, "allow"],
  ])("%s %s %j: %s", (vendor, tool, input, verdict) => {
    expect(judged(vendor, payloadOf(vendor, tool, input))).toBe(verdict);
  });

  test("is judged where the command runs, and not in another worktree", () => {
    const elsewhere = payloadOf("codex", "Bash", { command: "rm -rf *" }, { cwd: "/home/ada/other" });
    expect(judged("codex", elsewhere)).toBe("delete-outside");
  });

  test("follows the links of files", () => {
    const realPath = (path: string) => path.replace("/home/ada/app/keys", "/home/ada/.ssh");
    expect(judged("claude", payloadOf("claude", "Read", { file_path: "keys/config.old" }), CONTEXT, realPath)).toBe(
      "read-secret",
    );
  });

  test("judges a path with the characters that command lines use as marks", () => {
    expect(judged("claude", payloadOf("claude", "Write", { file_path: "\uE000/.ssh/x" }))).toBe("unreadable");
    expect(judged("claude", payloadOf("claude", "Read", { file_path: "/home/ada/.ssh/\uE000" }))).toBe("read-secret");
  });

  test("is judged by the settings", () => {
    const off = { ...CONTEXT, settings: { rules: { "read-secret": false }, families: { git: false } } };
    expect(judged("claude", payloadOf("claude", "Read", { file_path: "/home/ada/.ssh/id_rsa" }), off)).toBe("allow");
    expect(judged("claude", payloadOf("claude", "Bash", { command: "git reset --hard; rm -rf ~" }), off)).toBe("delete-root");
  });
});

describe("a payload that cannot be read", () => {
  test.each<[VendorKind, string, RegExp]>([
    ["claude", "", /no JSON object/],
    ["claude", "[]", /no JSON object/],
    ["codex", '{"tool_name":"Bash"', /no JSON object/],
    ["claude", payloadOf("claude", "Bash", { command: "ls" }, { cwd: "app" }), /its folder/],
    ["claude", payloadOf("claude", "", {}), /name the tool/],
    ["claude", payloadOf("claude", "Bash", {}), /"Bash" cannot be read/],
    ["claude", payloadOf("claude", "Bash", "ls"), /"Bash" cannot be read/],
    ["claude", payloadOf("claude", "Bash", { command: { text: "ls" } }), /"Bash" cannot be read/],
    ["claude", payloadOf("claude", "Read", { file_path: ["a", 3] }), /"Read" cannot be read/],
    ["claude", payloadOf("claude", "Grep", { path: 3 }), /"Grep" cannot be read/],
    ["codex", payloadOf("codex", "apply_patch", { command: "no patch" }), /"apply_patch" cannot be read/],
  ])("%s %s", (vendor, text, says) => {
    expect(judged(vendor, text)).toMatch(says);
  });

  test("never lets a tool pass, whatever its bytes are", () => {
    const vendor = fc.constantFrom(...HOOK_VENDORS);
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.json(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("latin1")),
      // A payload that was cut or changed in one place.
      fc
        .tuple(fc.nat(700), fc.string({ maxLength: 2 }))
        .map(([at, put]) => {
          const whole = payloadOf("claude", "Bash", { command: "git reset --hard && rm -rf ~ && git clean -fdx" });
          return whole.slice(0, at) + put;
        })
        .filter((cut) => !cut.endsWith("}")),
    );
    fc.assert(
      fc.property(vendor, text, (by, cut) => judged(by, cut) !== "allow"),
      { numRuns: 200 },
    );
  });
});

describe("the answer", () => {
  test.each(HOOK_VENDORS)("of %s blocks with the rule, the reason and the alternative", (vendor) => {
    const verdict = { verdict: "block", rule: "git-reset", reason: "It discards.", alternative: "git stash push" } as const;
    expect(hookAnswer(vendor, "before-tool", verdict)).toEqual({
      stdout: "",
      stderr: "loopdash: the guard blocks this (git-reset)\n  why: It discards.\n  do:  git stash push\n",
      exitCode: 2,
    });
    expect(hookAnswer(vendor, "before-tool", { verdict: "allow" })).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  });

  test.each(HOOK_VENDORS)("of %s to a problem blocks tools alone", (vendor) => {
    const verdict = { verdict: "problem", problem: "no\nJSON", todo: "Look." } as const;
    for (const event of HOOK_EVENTS) {
      const { exitCode, stderr } = hookAnswer(vendor, event, verdict);
      expect([event, exitCode]).toEqual([event, event === "before-tool" ? 2 : 1]);
      expect(stderr).toContain("why: no JSON");
    }
  });

  test("tells an agent to go on in the words of its program", () => {
    const told = HOOK_VENDORS.map((vendor) => hookAnswer(vendor, "stop", { verdict: "go-on", reason: "tests fail" }).stdout);
    expect(told).toEqual([
      '{"decision":"block","reason":"tests fail"}\n',
      '{"decision":"block","reason":"tests fail"}\n',
      '{"decision":"deny","reason":"tests fail"}\n',
      "",
    ]);
    expect(EVENT_NAMES.opencode.stop).toBeUndefined();
  });
});
