import type { AgentEnd, AgentEvent } from "../../../../domain/run/agent-event.ts";
import type { AgentStopKind } from "../../../../domain/run/attempt-fact.ts";
import { type JsonObject, listOf, numberOf, objectOf, textOf } from "../../../json.ts";
import { stopOfStatus } from "../../by-status.ts";
import { countIn, type EventFormat, NO_WORDS, spoken, thought, tool } from "../../event-format.ts";

/** The output of Claude Code with `--output-format stream-json`. */
export const claudeEvents: EventFormat = {
  types: { assistant: ["message"], user: ["message"], system: ["subtype"], result: ["usage"] },
  parser: () => (event) => {
    switch (event["type"]) {
      case "assistant":
        return blocksOf(event).flatMap(saidIn);
      case "user":
        return blocksOf(event).flatMap(resultIn);
      case "system":
        return [systemEvent(event)];
      case "result":
        return endOf(event);
      default:
        return [];
    }
  },
};

function blocksOf(event: JsonObject): readonly (JsonObject | undefined)[] {
  return listOf(objectOf(event["message"])?.["content"]).map(objectOf);
}

function saidIn(block: JsonObject | undefined): readonly AgentEvent[] {
  switch (block?.["type"]) {
    case "text":
      return spoken(textOf(block["text"]));
    case "thinking":
      return thought(textOf(block["thinking"]));
    case "tool_use":
      return [tool(textOf(block["name"]), objectOf(block["input"]))];
    default:
      return [];
  }
}

function resultIn(block: JsonObject | undefined): readonly AgentEvent[] {
  if (block?.["type"] !== "tool_result") return [];
  const { content } = block;
  const parts = listOf(content).map((part) => textOf(objectOf(part)?.["text"]) ?? "");
  return [{ what: "result", text: textOf(content) ?? parts.join("\n"), failed: block["is_error"] === true }];
}

function systemEvent(event: JsonObject): AgentEvent {
  const subtype = textOf(event["subtype"]) ?? "system";
  if (subtype === "init") return { what: "note", text: `claude begins: ${textOf(event["model"]) ?? "model unknown"}` };
  if (subtype !== "api_retry") return { what: "note", text: subtype };
  const error = textOf(event["error"]) ?? "unknown";
  const wait = numberOf(event["retry_delay_ms"]);
  const [n, most] = [numberOf(event["attempt"]) ?? "?", numberOf(event["max_retries"]) ?? "?"];
  return {
    what: "retry",
    text: `model API: ${error}; retry ${n} of ${most} follows`,
    ...(wait === undefined ? {} : { waitMs: Math.round(wait) }),
    // Claude Code would retry a wrong key again and again.
    ...(error === "authentication_failed"
      ? { stop: { kind: "authentication", says: "the model's API refused the key" } as const }
      : {}),
  };
}

/** It finished if its result has no error: `subtype` is "success" also for failures. */
function endOf(result: JsonObject): readonly AgentEvent[] {
  const says = textOf(result["result"]) ?? listOf(result["errors"]).map(String).join("; ");
  const costUsd = numberOf(result["total_cost_usd"]);
  const end: AgentEnd = {
    finished: result["is_error"] === false,
    stop: { kind: stopKindOf(result), says },
    answer: textOf(result["result"]) ?? "",
    ...(costUsd === undefined ? {} : { costUsd }),
  };
  const failure = result["is_error"] === true ? { failure: says || NO_WORDS } : {};
  return [{ what: "end", end, ...failure }, ...usageOf(objectOf(result["usage"]))];
}

function usageOf(usage: JsonObject | undefined): readonly AgentEvent[] {
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

function stopKindOf(result: JsonObject): AgentStopKind {
  const reason = BY_REASON[textOf(result["terminal_reason"]) ?? ""];
  if (reason !== undefined) return reason;
  const status = numberOf(result["api_error_status"]);
  if (status !== undefined) return stopOfStatus(status) ?? "unfinished";
  return result["stop_reason"] === "refusal" ? "refused" : "unfinished";
}
