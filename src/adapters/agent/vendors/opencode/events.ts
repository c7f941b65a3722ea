import { asNumber, asObject, asString, type JsonObject } from "@loopdash/values";
import type { AgentEnd, AgentEvent, AgentStop } from "../../../../domain/run/agent-event.ts";
import { stopOfStatus } from "../../by-status.ts";
import { countIn, type EventFormat, type EventParser, errorText, NO_WORDS, spoken } from "../../event-format.ts";
import { edits, reads, runs, searches, type ToolTable, toolEvent } from "../../tool-table.ts";

/** Its tools by the names of 1.18.33. A patch names its files in its text, which `patchedPaths` reads. */
const TOOLS: ToolTable = {
  read: reads("filePath"),
  write: edits("filePath"),
  edit: edits("filePath"),
  multiedit: edits("filePath"),
  patch: (input) => ({ does: "edit", paths: patchedPaths(input) }),
  apply_patch: (input) => ({ does: "edit", paths: patchedPaths(input) }),
  bash: runs("command", "workdir"),
  grep: searches,
  glob: searches,
  list: searches,
};

const PATCHED = /^\*\*\* (?:Update|Add|Delete) File: (.+)$/gm;

function patchedPaths(input: JsonObject): readonly string[] {
  return [...(asString(input["patchText"]) ?? "").matchAll(PATCHED)].map(([, path = ""]) => path.trim()).slice(0, 50);
}

/**
 * The share of the context of a step below which the next one can only have been shortened, and the tokens from which on that is looked at.
 * opencode reports no compaction, but the tokens of each step.
 */
const SHORTENED = { share: 0.5, from: 10_000 };

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
  /** Tokens of the context of the last step; undefined before the first. */
  let context: number | undefined;
  const end = (): AgentEvent => ({ what: "end", end: opencodeEnd(error, reason, isInterrupted) });
  return (event) => {
    const part = asObject(event["part"]);
    switch (event["type"]) {
      case "step_start":
        reason = undefined;
        isInterrupted = false;
        return [{ what: "message" }, ...(context === undefined ? [{ what: "compactions-told" } as const] : []), end()];
      case "text":
        return spoken(asString(part?.["text"]));
      case "tool_use":
        isInterrupted = asObject(asObject(part?.["state"])?.["metadata"])?.["interrupted"] === true;
        return [...toolEvents(part), end()];
      case "step_finish": {
        reason = asString(part?.["reason"]);
        const usage = usageEvent(part);
        const before = context ?? 0;
        context = usage.tokens.input + usage.tokens.cacheRead + usage.tokens.cacheWrite;
        const isShortened = before >= SHORTENED.from && context < before * SHORTENED.share;
        return [usage, ...(isShortened ? [{ what: "compacted" } as const] : []), end()];
      }
      case "error":
        error = errorStop(event);
        return [{ what: "error", text: error.says }, end()];
      default:
        return [];
    }
  };
}

/** It finished if it has no error and its last step ended with a stop. */
function opencodeEnd(error: AgentStop | undefined, reason: string | undefined, isInterrupted: boolean): AgentEnd {
  const finished = error === undefined && reason === "stop" && !isInterrupted;
  const says = isInterrupted
    ? "it never used the last tool that it was asked to"
    : reason === undefined
      ? "it ended without a result"
      : `its last step ended by "${reason}"`;
  return { finished, stop: error ?? { kind: "unfinished", says } };
}

/** Tools are reported when they have ended. */
function toolEvents(part: JsonObject | undefined): readonly AgentEvent[] {
  const state = asObject(part?.["state"]);
  const error = asString(state?.["error"]);
  const exit = asNumber(asObject(state?.["metadata"])?.["exit"]);
  const failed = error !== undefined || (exit ?? 0) !== 0;
  const call = asString(part?.["callID"]);
  return [
    toolEvent(TOOLS, { name: asString(part?.["tool"]), input: asObject(state?.["input"]), call }),
    { what: "result", text: error ?? asString(state?.["output"]) ?? "", failed, call, exit },
  ];
}

function usageEvent(part: JsonObject | undefined): Extract<AgentEvent, { what: "usage" }> {
  const tokens = asObject(part?.["tokens"]);
  const cache = asObject(tokens?.["cache"]);
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

function errorStop(event: JsonObject): AgentStop {
  const error = asObject(event["error"]);
  const status = asNumber(asObject(error?.["data"])?.["statusCode"]);
  const byStatus = status === undefined ? undefined : stopOfStatus(status);
  return { kind: byStatus ?? BY_NAME[asString(error?.["name"]) ?? ""] ?? "unfinished", says: errorText(event) ?? NO_WORDS };
}
