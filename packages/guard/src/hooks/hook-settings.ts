import { shellWord } from "@loopdash/values";
import type { HookVendor } from "./hook-event.ts";
import { AUDIT_EVENTS, EVENT_NAMES, GUARD_EVENTS, type HookEvent } from "./hook-event.ts";
import { SHELL_TOOLS } from "./hook-tools.ts";
import { opencodePlugin } from "./opencode-plugin.ts";

/** One command of a hook, in the form of Claude Code, Codex and Gemini CLI. */
interface HookCommand {
  readonly type: "command";
  readonly name?: string;
  readonly command: string;
}

export interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly HookCommand[];
}

/** What a vendor's program must be given: a part of its JSON settings by event, or the text of a plugin. */
export type HookSettings =
  | { readonly form: "json"; readonly hooks: Readonly<Record<string, readonly HookGroup[]>> }
  | { readonly form: "plugin"; readonly text: string };

interface HookSettingsOptions {
  /** Those that the vendor's program does not have are left out. Those of a guard by default. */
  readonly events?: readonly HookEvent[];
  /** More options for `loopdash hook`: `--settings <file>`, `--report <file>`. */
  readonly options?: readonly string[];
}

/**
 * Runs the words after it, and turns every end that is none of a hook into a block: Claude Code, Codex and Gemini CLI let a
 * tool pass if its hook is gone, crashes or is killed. It names no variable, because Gemini CLI replaces those in its settings.
 */
const FAIL_CLOSED =
  '"$@"; case $? in 0) exit 0;; 2) exit 2;; esac; echo "loopdash: the guard did not run, so this is blocked. Install loopdash again, or take its hooks out: see loopdash guard status." >&2; exit 2';

/** Runs the words after it in this very process, so that a signal reaches them. The name tells the installed hook from others. */
const PLAIN = 'exec "$@"';

/**
 * The settings with which a vendor's program calls `loopdash hook`. `program`: the words that start loopdash, by absolute paths,
 * because an agent may be in any folder.
 */
export function hookSettings(
  vendor: HookVendor,
  program: readonly string[],
  { events = GUARD_EVENTS, options = [] }: HookSettingsOptions = {},
): HookSettings {
  const known = events.filter((event) => EVENT_NAMES[vendor][event] !== undefined);
  const words = (event: HookEvent): readonly string[] => hookCommand(program, { vendor, event, options });
  if (vendor === "opencode") return { form: "plugin", text: opencodePlugin(known.map((event) => [event, words(event)])) };
  const hooks = known.map((event) => [EVENT_NAMES[vendor][event] ?? "", [buildHookGroup(vendor, event, words(event))]] as const);
  return { form: "json", hooks: Object.fromEntries(hooks) };
}

/** The words of one hook's command, without a shell around them. */
export function hookCommand(
  program: readonly string[],
  { vendor, event, options = [] }: { vendor: HookVendor; event: HookEvent; options?: readonly string[] },
): readonly string[] {
  return [...program, "hook", event, "--agent", vendor, ...options];
}

function buildHookGroup(vendor: HookVendor, event: HookEvent, words: readonly string[]): HookGroup {
  const script = event === "before-tool" ? FAIL_CLOSED : PLAIN;
  const guarded = event === "session-start" ? words : ["/bin/sh", "-c", script, "loopdash-guard", ...words];
  const command = guarded.map(shellWord).join(" ");
  const named = vendor === "gemini" ? { name: "loopdash-guard" } : {};
  const tools = event === "before-tool" ? "*" : AUDIT_EVENTS.includes(event) ? SHELL_TOOLS.claude : undefined;
  const matcher = vendor === "claude" && tools !== undefined ? { matcher: tools } : {};
  return { ...matcher, hooks: [{ type: "command", ...named, command }] };
}

/** The hooks of Codex as values for its option `-c`, which are TOML. */
export function codexOverrides(settings: HookSettings): readonly string[] {
  if (settings.form !== "json") return [];
  return Object.entries(settings.hooks).map(([event, groups]) => {
    const commands = groups.flatMap(({ hooks }) => hooks.map(({ command }) => `{type="command",command=${tomlString(command)}}`));
    return `hooks.${event}=[{hooks=[${commands.join(",")}]}]`;
  });
}

/** A basic string of TOML 1.0; JSON's escapes are among its own. */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}
