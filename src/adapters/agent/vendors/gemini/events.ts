import { asObject, asString, type JsonObject } from "@loopdash/values";
import type { AgentEnd, AgentEvent } from "../../../../domain/run/agent-event.ts";
import type { AgentStopKind } from "../../../../domain/run/attempt-fact.ts";
import { type EventFormat, errorText, NO_WORDS, spoken, tokensWithCache } from "../../event-format.ts";
import { edits, reads, runs, searches, type ToolTable, toolEvent } from "../../tool-table.ts";

/** Its tools by the names of 0.61.0, and search_file_content of earlier versions. */
const TOOLS: ToolTable = {
  read_file: reads("file_path", "absolute_path"),
  read_many_files: reads("paths", "include"),
  write_file: edits("file_path"),
  replace: edits("file_path"),
  run_shell_command: runs("command", "dir_path", "directory"),
  grep_search: searches,
  search_file_content: searches,
  glob: searches,
  list_directory: searches,
};

/** The output of Gemini CLI with `--output-format stream-json`. */
export const geminiEvents: EventFormat = {
  types: {
    init: ["model"],
    message: ["role"],
    tool_use: ["tool_name"],
    tool_result: ["status"],
    error: ["message"],
    result: ["stats", "status"],
  },
  parser: () => {
    /** The reason that it gave up, which its result does not contain. */
    let gaveUp: string | undefined;
    let result: JsonObject | undefined;
    return (event) => {
      switch (event["type"]) {
        case "init":
          return [{ what: "note", text: `gemini begins: ${asString(event["model"]) ?? "model unknown"}` }];
        case "message":
          return messageEvents(event);
        case "tool_use":
          return [geminiToolEvent(event), { what: "message" }];
        case "tool_result":
          return [toolResultEvent(event)];
        case "error":
          if (isToldToGoOn(event)) return [{ what: "note", text: errorText(event) ?? NO_WORDS }];
          gaveUp = errorText(event) ?? NO_WORDS;
          return [
            { what: "error", text: gaveUp },
            ...(result === undefined ? [] : [{ what: "end", end: geminiEnd(result, gaveUp) } as const]),
          ];
        case "result":
          result = event;
          return ended(event, geminiEnd(event, gaveUp));
        default:
          return [];
      }
    };
  },
};

/** The warning by which it tells that a hook has sent its agent on, instead of letting it stop (0.61.0). */
function isToldToGoOn(event: JsonObject): boolean {
  return event["severity"] === "warning" && errorText(event)?.startsWith("Agent execution blocked: ") === true;
}

function messageEvents(event: JsonObject): readonly AgentEvent[] {
  if (event["role"] !== "assistant") return [];
  const text = asString(event["content"]) ?? "";
  return event["delta"] === true ? [{ what: "text", text, piece: true }] : spoken(text);
}

function geminiToolEvent(event: JsonObject): AgentEvent {
  const [name, input, call] = [asString(event["tool_name"]), asObject(event["parameters"]), asString(event["tool_id"])];
  return toolEvent(TOOLS, { name, input, call });
}

/**
 * A command that printed something and failed has the status of one that succeeded, and no exit code. One that printed nothing has its code as
 * output, unless it is 0.
 */
function toolResultEvent(event: JsonObject): AgentEvent {
  const failed = event["status"] === "error";
  const call = asString(event["tool_id"]);
  const text = asString(event["output"]) ?? (failed ? (errorText(event) ?? NO_WORDS) : "");
  const code = /^Command exited with code: ([1-9]\d{0,4})$/.exec(text)?.[1];
  const told = code === undefined ? (failed || text !== "" ? {} : { exit: 0 }) : { exit: Number(code) };
  const named = call === undefined ? {} : { call };
  return { what: "result", text, failed, ...named, ...told, isExitUntold: failed ? undefined : true };
}

/** It finished if its result is a success and it did not stop in a loop: a loop is reported as a success too. */
function geminiEnd(event: JsonObject, gaveUp: string | undefined): AgentEnd {
  const failed = asString(asObject(event["error"])?.["message"]);
  const succeeded = event["status"] === "success" && failed === undefined;
  const says = failed ?? gaveUp ?? NO_WORDS;
  return { finished: succeeded && gaveUp === undefined, stop: { kind: geminiStopKind(says), says, ...parseQuotaWait(says) } };
}

function ended(event: JsonObject, end: AgentEnd): readonly AgentEvent[] {
  const failure = event["status"] === "error" ? { failure: errorText(event) ?? NO_WORDS } : {};
  const stats = asObject(event["stats"]);
  const used: readonly AgentEvent[] =
    stats === undefined ? [] : [{ what: "usage", tokens: tokensWithCache(stats, "cached"), addsUp: false }];
  return [{ what: "end", end, ...failure }, ...used];
}

/** Errors that the status alone would misclassify: a wrong key is 400 there, and so is a conversation that is too long. */
const KINDS: readonly (readonly [RegExp, AgentStopKind])[] = [
  [/api.?key not valid|API_KEY_INVALID|"code":401/i, "authentication"],
  [/exceeds the maximum number of tokens|context window/i, "context"],
];

/** "unfinished" if its message has no kind: the API's last answer does. */
function geminiStopKind(message: string): AgentStopKind {
  return KINDS.find(([pattern]) => pattern.test(message))?.[1] ?? "unfinished";
}

/** The wait in Google's message about a used-up quota. */
function parseQuotaWait(message: string): { retryAfterMs?: number } {
  const seconds = Number(/retry in ([\d.]{1,12})s\b/i.exec(message)?.[1]);
  return Number.isFinite(seconds) && seconds > 0 ? { retryAfterMs: Math.ceil(seconds * 1_000) } : {};
}
