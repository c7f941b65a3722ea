import { asList, asNumber, asObject, asString, type JsonObject } from "@loopdash/values";
import type { AgentEnd, AgentEvent } from "../../../../domain/run/agent-event.ts";
import type { AgentStopKind } from "../../../../domain/run/attempt-fact.ts";
import { stopOfStatus } from "../../by-status.ts";
import { countIn, type EventFormat, NO_WORDS, spoken, thought } from "../../event-format.ts";
import { edits, reads, runs, searches, type ToolTable, toolEvent } from "../../tool-table.ts";

/** Its tools by the names in its sdk-tools.d.ts (2.1.330), and MultiEdit and LS of earlier versions. */
const TOOLS: ToolTable = {
  Read: reads("file_path"),
  Edit: edits("file_path"),
  MultiEdit: edits("file_path"),
  Write: edits("file_path"),
  NotebookEdit: edits("notebook_path"),
  Bash: runs("command"),
  Grep: searches,
  Glob: searches,
  LS: searches,
};

/** The output of Claude Code with `--output-format stream-json`. */
export const claudeEvents: EventFormat = {
  types: { assistant: ["message"], user: ["message"], system: ["subtype"], result: ["usage", "is_error", "subtype"] },
  parser: () => (event) => {
    switch (event["type"]) {
      case "assistant":
        return contentBlocks(event).flatMap(saidIn);
      case "user":
        return contentBlocks(event).flatMap((block) => resultIn(block, asObject(event["tool_use_result"])));
      case "system":
        return systemEvents(event);
      case "result":
        return endEvents(event);
      default:
        return [];
    }
  },
};

function contentBlocks(event: JsonObject): readonly (JsonObject | undefined)[] {
  return asList(asObject(event["message"])?.["content"]).map(asObject);
}

function saidIn(block: JsonObject | undefined): readonly AgentEvent[] {
  switch (block?.["type"]) {
    case "text":
      return spoken(asString(block["text"]));
    case "thinking":
      return thought(asString(block["thinking"]));
    case "tool_use":
      return [toolEvent(TOOLS, { name: asString(block["name"]), input: asObject(block["input"]), call: asString(block["id"]) })];
    default:
      return [];
  }
}

function resultIn(block: JsonObject | undefined, details: JsonObject | undefined): readonly AgentEvent[] {
  if (block?.["type"] !== "tool_result") return [];
  const { content } = block;
  const parts = asList(content).map((part) => asString(asObject(part)?.["text"]) ?? "");
  const call = asString(block["tool_use_id"]);
  const result = { what: "result", text: asString(content) ?? parts.join("\n"), failed: block["is_error"] === true } as const;
  const exit = commandExitCode(result, block["is_error"], details);
  return [{ ...result, call, exit }];
}

/**
 * The exit code of a command: of a failed one in the first line, and 0 for one that is no error. Only Bash says that it is none. A code that
 * Claude Code explains (grep, diff) is not 0, and a command that goes on in the background has none yet.
 */
function commandExitCode(
  { text, failed }: { readonly text: string; readonly failed: boolean },
  isError: unknown,
  details: JsonObject | undefined,
): number | undefined {
  const told = failed ? /^Exit code (\d{1,5})\b/.exec(text)?.[1] : undefined;
  if (told !== undefined) return Number(told);
  const isOpen = asString(details?.["returnCodeInterpretation"]) !== undefined || details?.["interrupted"] === true;
  const isBackground = asString(details?.["backgroundTaskId"]) !== undefined || /^Command [^\n]*\bbackground\b/.test(text);
  return isError === false && !isOpen && !isBackground ? 0 : undefined;
}

function systemEvents(event: JsonObject): readonly AgentEvent[] {
  const subtype = asString(event["subtype"]) ?? "system";
  switch (subtype) {
    case "init": {
      const text = `claude begins: ${asString(event["model"]) ?? "model unknown"}`;
      return [{ what: "note", text }, { what: "compactions-told" }];
    }
    case "compact_boundary":
      return [{ what: "compacted" }];
    case "api_retry":
      return [retryEvent(event)];
    default:
      return [{ what: "note", text: subtype }];
  }
}

function retryEvent(event: JsonObject): AgentEvent {
  const error = asString(event["error"]) ?? "unknown";
  const wait = asNumber(event["retry_delay_ms"]);
  const [n, most] = [asNumber(event["attempt"]) ?? "?", asNumber(event["max_retries"]) ?? "?"];
  return {
    what: "retry",
    text: `model API: ${error}; retry ${n} of ${most} follows`,
    waitMs: wait === undefined ? undefined : Math.round(wait),
    // Claude Code would retry a wrong key again and again.
    ...(error === "authentication_failed"
      ? { stop: { kind: "authentication", says: "the model's API answered that the authentication failed" } as const }
      : {}),
  };
}

/** It finished if its result has no error: `subtype` is "success" also for failures. */
function endEvents(result: JsonObject): readonly AgentEvent[] {
  const says = asString(result["result"]) ?? asList(result["errors"]).map(String).join("; ");
  const costUsd = asNumber(result["total_cost_usd"]);
  const end: AgentEnd = {
    finished: result["is_error"] === false,
    stop: { kind: claudeStopKind(result), says },
    answer: asString(result["result"]) ?? "",
    costUsd,
  };
  const failure = result["is_error"] === true ? { failure: says || NO_WORDS } : {};
  return [{ what: "end", end, ...failure }, ...usageEvents(asObject(result["usage"]))];
}

function usageEvents(usage: JsonObject | undefined): readonly AgentEvent[] {
  if (usage === undefined) return [];
  const tokens = {
    input: countIn(usage, "input_tokens"),
    output: countIn(usage, "output_tokens"),
    cacheRead: countIn(usage, "cache_read_input_tokens"),
    cacheWrite: countIn(usage, "cache_creation_input_tokens"),
  };
  return [{ what: "usage", tokens, addsUp: false }];
}

const BY_REASON: Readonly<Record<string, AgentStopKind>> = {
  max_turns: "turns",
  budget_exhausted: "budget",
  prompt_too_long: "context",
  blocking_limit: "context",
  rapid_refill_breaker: "context",
};

function claudeStopKind(result: JsonObject): AgentStopKind {
  const reason = BY_REASON[asString(result["terminal_reason"]) ?? ""];
  if (reason !== undefined) return reason;
  const status = asNumber(result["api_error_status"]);
  if (status !== undefined) return stopOfStatus(status) ?? "unfinished";
  return result["stop_reason"] === "refusal" ? "refused" : "unfinished";
}
