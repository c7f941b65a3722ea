import type { VendorKind } from "../../batch/vendors.ts";
import { isObject, type JsonObject } from "../../values/json-object.ts";
import { type ToolUse, toolUse } from "./hook-tools.ts";

/** What a vendor's program tells a hook. */
export interface HookPayload extends ToolUse {
  /** The tool's name; undefined for events without one. */
  readonly tool?: string;
  /** The program's name of this use of the tool. Gemini CLI has none. */
  readonly id?: string;
  readonly session?: string;
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
export function readHookPayload(vendor: VendorKind, text: string, needsTool = true): HookPayload | HookProblem {
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
  return { ...base, tool, ...use };
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
