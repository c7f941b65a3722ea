import type { AgentEnd, AgentEvent, AgentStop } from "../../../../domain/run/agent-event.ts";
import { type JsonObject, numberOf, objectOf, textOf } from "../../../json.ts";
import { stopOfStatus } from "../../by-status.ts";
import { countIn, type EventFormat, type EventParser, errorText, NO_WORDS, spoken, tool } from "../../event-format.ts";

/** The output of opencode with `run --format json`. */
export const opencodeEvents: EventFormat = {
  types: { step_start: ["part"], text: ["part"], tool_use: ["part"], step_finish: ["part"], error: ["error"] },
  parser: () => createParser(),
};

function createParser(): EventParser {
  let error: AgentStop | undefined;
  /** The reason that its last step ended. */
  let reason: string | undefined;
  /** True if a tool was requested and never used: its last step says "stop" all the same. */
  let isInterrupted = false;
  const end = (): AgentEvent => ({ what: "end", end: endOf(error, reason, isInterrupted) });
  return (event) => {
    const part = objectOf(event["part"]);
    switch (event["type"]) {
      case "step_start":
        reason = undefined;
        isInterrupted = false;
        return [{ what: "message" }, end()];
      case "text":
        return spoken(textOf(part?.["text"]));
      case "tool_use":
        isInterrupted = objectOf(objectOf(part?.["state"])?.["metadata"])?.["interrupted"] === true;
        return [...toolOf(part), end()];
      case "step_finish":
        reason = textOf(part?.["reason"]);
        return [usageOf(part), end()];
      case "error":
        error = errorOf(event);
        return [{ what: "error", text: error.says }, end()];
      default:
        return [];
    }
  };
}

/** It finished if it has no error and its last step ended with a stop. */
function endOf(error: AgentStop | undefined, reason: string | undefined, isInterrupted: boolean): AgentEnd {
  const finished = error === undefined && reason === "stop" && !isInterrupted;
  const says = isInterrupted
    ? "it never used the last tool that it was asked to"
    : reason === undefined
      ? "it ended without a result"
      : `its last step ended by "${reason}"`;
  return { finished, stop: error ?? { kind: "unfinished", says } };
}

/** Tools are reported when they have ended. */
function toolOf(part: JsonObject | undefined): readonly AgentEvent[] {
  const state = objectOf(part?.["state"]);
  const failed = textOf(state?.["error"]);
  return [
    tool(textOf(part?.["tool"]), objectOf(state?.["input"])),
    { what: "result", text: failed ?? textOf(state?.["output"]) ?? "", failed: failed !== undefined },
  ];
}

function usageOf(part: JsonObject | undefined): AgentEvent {
  const tokens = objectOf(part?.["tokens"]);
  const cache = objectOf(tokens?.["cache"]);
  const used = {
    input: countIn(tokens, "input"),
    output: countIn(tokens, "output") + countIn(tokens, "reasoning"),
    cacheRead: countIn(cache, "read"),
    cacheWrite: countIn(cache, "write"),
  };
  return { what: "usage", tokens: used, addsUp: true };
}

/** Its own names of errors, for those that come without a status. */
const BY_NAME: Readonly<Record<string, AgentStop["kind"]>> = {
  ProviderAuthError: "authentication",
  ContextOverflowError: "context",
  MessageOutputLengthError: "context",
};

function errorOf(event: JsonObject): AgentStop {
  const error = objectOf(event["error"]);
  const status = numberOf(objectOf(error?.["data"])?.["statusCode"]);
  const byStatus = status === undefined ? undefined : stopOfStatus(status);
  return { kind: byStatus ?? BY_NAME[textOf(error?.["name"]) ?? ""] ?? "unfinished", says: errorText(event) ?? NO_WORDS };
}
