import { asList, asNumber, asObject, asString, type JsonObject } from "@loopdash/values";
import type { AgentEvent } from "../../../../domain/run/agent-event.ts";
import type { AgentStopKind } from "../../../../domain/run/attempt-fact.ts";
import { type EventFormat, errorText, NO_WORDS, spoken, thought, tokensWithCache } from "../../event-format.ts";

/** The output of Codex with `exec --json`. */
export const codexEvents: EventFormat = {
  types: {
    "thread.started": ["thread_id"],
    "turn.started": [],
    "item.started": ["item"],
    "item.updated": ["item"],
    "item.completed": ["item"],
    "turn.completed": ["usage"],
    "turn.failed": ["error"],
    error: ["message"],
  },
  parser: () => (event) => {
    switch (event["type"]) {
      case "item.started":
        return commandIn(asObject(event["item"]));
      case "item.completed":
        return completed(asObject(event["item"]));
      case "turn.completed":
        return turnCompleted(asObject(event["usage"]));
      case "turn.failed":
        return turnFailed(errorText(event) ?? NO_WORDS);
      case "error":
        return [errorEvent(errorText(event) ?? NO_WORDS)];
      default:
        return [];
    }
  },
};

function commandIn(item: JsonObject | undefined): readonly AgentEvent[] {
  const command = asString(item?.["command"]);
  if (item?.["type"] !== "command_execution" || command === undefined) return [];
  const text = `exec: ${/^\/bin\/(?:ba|z)?sh -lc '(.*)'$/s.exec(command)?.[1] ?? command}`;
  return [{ what: "tool", text, action: { does: "run", command }, ...itemCall(item) }];
}

function itemCall(item: JsonObject | undefined): { readonly call?: string } {
  const call = asString(item?.["id"]);
  return call === undefined ? {} : { call };
}

function completed(item: JsonObject | undefined): readonly AgentEvent[] {
  switch (item?.["type"]) {
    case "agent_message":
      return [{ what: "message" }, ...spoken(asString(item["text"]))];
    case "reasoning":
      return thought(asString(item["text"]));
    case "command_execution": {
      const exit = asNumber(item["exit_code"]);
      const failed = exit === undefined ? /^(?:failed|declined)$/.test(asString(item["status"]) ?? "") : exit !== 0;
      const told = exit === undefined ? {} : { exit };
      return [{ what: "result", text: asString(item["aggregated_output"]) ?? "", failed, ...itemCall(item), ...told }];
    }
    case "file_change": {
      const paths = asList(item["changes"]).map((change) => asString(asObject(change)?.["path"]) ?? "?");
      const text = `edit: ${paths.length === 0 ? "files" : paths.join(", ")}`;
      return [
        { what: "tool", text, action: { does: "edit", paths }, ...itemCall(item) },
        { what: "result", text: "", failed: item["status"] === "failed", ...itemCall(item) },
      ];
    }
    case "error":
      return [{ what: "result", text: asString(item["message"]) ?? NO_WORDS, failed: true }];
    default:
      return [{ what: "note", text: asString(item?.["type"]) ?? "an item without a type" }];
  }
}

function turnCompleted(usage: JsonObject | undefined): readonly AgentEvent[] {
  const stop = { kind: "unfinished", says: "it ended without a result" } as const;
  const tokens = tokensWithCache(usage, "cached_input_tokens");
  return [
    { what: "end", end: { finished: true, stop } },
    { what: "usage", tokens, addsUp: false },
  ];
}

function turnFailed(says: string): readonly AgentEvent[] {
  return [{ what: "end", end: { finished: false, stop: { kind: codexStopKind(says), says } }, failure: says }];
}

/** Codex reports every failed attempt of a request, and would retry a wrong key again and again. */
function errorEvent(message: string): AgentEvent {
  const kind = codexStopKind(message);
  const stop = kind === "authentication" ? { stop: { kind, says: message } as const } : {};
  return { what: "error", text: message, ...stop };
}

/** Codex gives errors in words only. The order matters: "429 … quota" does not pass by waiting. */
const KINDS: readonly (readonly [RegExp, AgentStopKind])[] = [
  [/\b401\b|unauthorized/i, "authentication"],
  [/\b403\b|forbidden|quota|billing/i, "permission"],
  [/context window|context_length|\b413\b/i, "context"],
  [/\b404\b|model.{0,100}(?:not found|does not exist)/i, "model"],
  [/\b429\b|rate.?limit|usage limit/i, "rate-limited"],
  [/\b402\b/, "budget"],
  [/\b5\d\d\b|overloaded|at capacity|high demand/i, "overloaded"],
  [/\b400\b|refus|invalid_request/i, "refused"],
];

function codexStopKind(message: string): AgentStopKind {
  return KINDS.find(([pattern]) => pattern.test(message))?.[1] ?? "unfinished";
}
