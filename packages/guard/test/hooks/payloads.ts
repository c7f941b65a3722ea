import type { VendorKind } from "../../../../src/domain/batch/vendors.ts";

/** What the programs wrote to a hook's stdin (Claude Code 2.1.330, Codex 0.169.0, Gemini CLI 0.61.0); only folders are changed. */
const RECORDED = {
  claude: {
    session_id: "ecc14f8b-6c03-469c-a39f-6c3147283e14",
    transcript_path: "/home/ada/.claude/projects/-home-ada-app/ecc14f8b-6c03-469c-a39f-6c3147283e14.jsonl",
    cwd: "/home/ada/app",
    prompt_id: "ae1e5fa6-17fe-4ebc-a6a4-604cebf4e523",
    permission_mode: "bypassPermissions",
    effort: { level: "medium" },
    hook_event_name: "PreToolUse",
    tool_use_id: "toolu_g0a4pcbus8r",
  },
  codex: {
    session_id: "01a21bc0-dc05-7c91-a989-0e20b8404ccb",
    turn_id: "01a21bc0-dc3b-77d1-91bb-9e1238b36f80",
    transcript_path: "/home/ada/.codex/sessions/2026/11/27/rollout-2026-11-27T06-45-53-01a21bc0.jsonl",
    cwd: "/home/ada/app",
    hook_event_name: "PreToolUse",
    model: "gpt-6.1-sol",
    permission_mode: "bypassPermissions",
    tool_use_id: "call_mhbm683i67",
  },
  gemini: {
    session_id: "716b552d-d6b2-4f8e-8fb5-2c9669962391",
    transcript_path: "/home/ada/.gemini/tmp/app/chats/session-2026-11-27T06-46-716b552d.jsonl",
    cwd: "/home/ada/app",
    hook_event_name: "BeforeTool",
    timestamp: "2026-11-27T06:46:10.258Z",
  },
  // Our plugin writes this one.
  opencode: {
    hook_event_name: "before-tool",
    cwd: "/home/ada/app",
    session_id: "ses_de43ea02bffe1QTKuGxcQK6a2K",
    tool_use_id: "call_m0sqpz3hhi",
  },
} as const satisfies Record<VendorKind, object>;

/** A payload before the use of a tool. */
export function payloadOf(vendor: VendorKind, tool: string, input: unknown, over: object = {}): string {
  return JSON.stringify({ ...RECORDED[vendor], tool_name: tool, tool_input: input, ...over });
}
