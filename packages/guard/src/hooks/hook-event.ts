/** A vendor's program whose hooks the guard answers. */
export type HookVendor = (typeof HOOK_VENDORS)[number];

/** What a vendor's program calls a hook for: before and after it uses a tool, when a session starts, when the agent wants to stop. */
export type HookEvent = "before-tool" | "after-tool" | "after-failed-tool" | "session-start" | "stop";

/** The events that a guard needs. */
export const GUARD_EVENTS: readonly HookEvent[] = ["before-tool", "session-start", "stop"];
/** After a tool: Claude Code has an event of its own for one that failed, for example a command with another exit code than 0. */
export const AUDIT_EVENTS: readonly HookEvent[] = ["after-tool", "after-failed-tool"];
export const HOOK_EVENTS: readonly HookEvent[] = [...GUARD_EVENTS, ...AUDIT_EVENTS];

export const HOOK_VENDORS = ["claude", "codex", "gemini", "opencode"] as const;

const LIKE_CLAUDE = {
  "before-tool": "PreToolUse",
  "after-tool": "PostToolUse",
  "session-start": "SessionStart",
  stop: "Stop",
} as const;

/**
 * The vendors' own names of the events: Claude Code 2.1.330, Codex 0.169.0, Gemini CLI 0.61.0 (docs/hooks/reference.md), opencode
 * 1.18.33, whose plugin is loaded when a session starts, and whose session goes on by another start of the program.
 */
export const EVENT_NAMES: Readonly<Record<HookVendor, Readonly<Partial<Record<HookEvent, string>>>>> = {
  claude: { ...LIKE_CLAUDE, "after-failed-tool": "PostToolUseFailure" },
  codex: LIKE_CLAUDE,
  gemini: { "before-tool": "BeforeTool", "after-tool": "AfterTool", "session-start": "SessionStart", stop: "AfterAgent" },
  opencode: { "before-tool": "tool.execute.before", "after-tool": "tool.execute.after", "session-start": "plugin" },
};

export function isHookEvent(word: string | undefined): word is HookEvent {
  return HOOK_EVENTS.some((event) => event === word);
}

export function isHookVendor(word: string | undefined): word is HookVendor {
  return HOOK_VENDORS.some((vendor) => vendor === word);
}
