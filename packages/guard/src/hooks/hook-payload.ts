import { isObject, type JsonObject } from "@loopdash/values";
import type { HookVendor } from "./hook-event.ts";
import { type ToolUse, toolUse } from "./hook-tools.ts";

/** What a vendor's program tells a hook. */
export interface HookPayload extends ToolUse {
  /** The tool's name; undefined for events without one. */
  readonly tool?: string;
  /** The program's name of this use of the tool. Gemini CLI has none. */
  readonly id?: string;
  readonly session?: string;
  /** After a tool: the exit code of its command, if the program tells it. */
  readonly exit?: number;
  /** The absolute folder of the agent, or of the command if the program says so (Codex). */
  readonly cwd: string;
}

/** A payload that cannot be read, in words for people and agents. */
export interface HookProblem {
  readonly problem: string;
}

/**
 * Reads what a vendor's program writes to the stdin of a hook: JSON in the same form for Claude Code, Codex and Gemini CLI;
 * opencode's comes from our plugin. `needsTool`: the event is about the use of a tool.
 */
export function readHookPayload(vendor: HookVendor, text: string, needsTool = true): HookPayload | HookProblem {
  const payload = parsed(text);
  if (payload === undefined) return { problem: "what the agent's program sent is no JSON object" };
  const cwd = payload["cwd"];
  if (typeof cwd !== "string" || !cwd.startsWith("/")) return { problem: "the agent's program did not name its folder" };
  const base = { cwd, ...optional("session", payload["session_id"]), ...optional("id", payload["tool_use_id"]) };
  if (!needsTool) return base;
  const [tool, input] = [payload["tool_name"], payload["tool_input"]];
  if (typeof tool !== "string" || tool === "") return { problem: "the agent's program did not name the tool" };
  const use = toolUse(vendor, tool, isObject(input) ? input : {});
  if (use === undefined) return { problem: `the input of the tool ${JSON.stringify(tool.slice(0, 60))} cannot be read` };
  const exit = exitIn(payload);
  return { ...base, tool, ...use, exit };
}

/**
 * Our plugin tells opencode's exit code. Claude Code has that of a failure in the first line of its error, and tells of a success that is
 * really one by these members; Gemini CLI adds a line if it is not 0; Codex tells nothing.
 */
function exitIn({ tool_response: response, error }: JsonObject): number | undefined {
  const {
    exit_code: code,
    llmContent,
    interrupted,
    returnCodeInterpretation,
    backgroundTaskId,
  } = isObject(response) ? response : {};
  if (Number.isInteger(code)) return code as number;
  const inError = /^(?:Exit code|Command exited with non-zero status code) (\d{1,5})\b/.exec(String(error));
  const [, failed] = inError ?? /(?:^|[\s\S]*\n)Exit Code: (\d{1,5})(?:\n|$)/.exec(String(llmContent).slice(-500)) ?? [];
  if (failed !== undefined) return Number(failed);
  return interrupted === false && !returnCodeInterpretation && !backgroundTaskId ? 0 : undefined;
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Invalid JSON; the caller tells it.
    return undefined;
  }
}

function optional<Name extends string>(name: Name, value: unknown): { readonly [name in Name]?: string } {
  return (typeof value === "string" ? { [name]: value } : {}) as { readonly [name in Name]?: string };
}
