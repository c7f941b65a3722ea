import { asNumber, asObject, asString, type JsonObject, parseJson } from "@loopdash/values";
import type { AgentEvent, AgentTokens } from "../../domain/run/agent-event.ts";

/** The longest line of a program that is read, in characters: a tool's result of a megabyte is no event for people. */
export const EVENT_CHARS = 1_000_000;

/** The events of a vendor's program: one JSON object a line. */
export interface EventFormat {
  /**
   * The types of its events, each with members of which an event of this program has at least one: programs use the same names
   * for different things. No members: the type alone decides.
   */
  readonly types: Readonly<Record<string, readonly string[]>>;
  /** A parser of one process's output, in order. It never throws; a line that it does not understand gives nothing. */
  readonly parser: () => EventParser;
}

export type EventParser = (event: JsonObject) => readonly AgentEvent[];

/** The object of a line; undefined if there is none: not JSON, cut, a list, a number. */
export function readEvent(line: string): JsonObject | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  return asObject(parseJson(line));
}

/** True if an object is an event of this format. */
export function isKnownEvent({ types }: EventFormat, event: JsonObject): boolean {
  const type = asString(event["type"]);
  const members = type !== undefined && Object.hasOwn(types, type) ? types[type] : undefined;
  if (members === undefined) return false;
  return members.length === 0 || members.some((name) => event[name] !== undefined && event[name] !== null);
}

export const NO_WORDS = "an error without words";

/** The agent's text; nothing if it is blank. */
export function spoken(text: string | undefined): readonly AgentEvent[] {
  return text === undefined || text.trim() === "" ? [] : [{ what: "text", text }];
}

/** The agent's thought; nothing if it is blank. */
export function thought(text: string | undefined): readonly AgentEvent[] {
  return text === undefined || text.trim() === "" ? [] : [{ what: "thought", text }];
}

const ABOUT = ["command", "file_path", "filePath", "path", "dir_path", "pattern", "query", "url", "description"];

/** A tool, and its target. */
export function tool(name: string | undefined, input: JsonObject | undefined): Extract<AgentEvent, { what: "tool" }> {
  const about = ABOUT.map((key) => asString(input?.[key])).find(Boolean);
  return { what: "tool", text: `${name ?? "a tool"}${about === undefined ? "" : `: ${about}`}` };
}

/** The message of an error event; undefined if it has none. */
export function errorText(event: JsonObject): string | undefined {
  const error = asObject(event["error"]);
  const data = asObject(error?.["data"]);
  const words = [event["message"], error?.["message"], data?.["message"], error?.["name"], event["error"]];
  return words.map(asString).find((word) => word !== undefined && word.trim() !== "");
}

/** A member that is a count; 0 if it is none. */
export function countIn(object: JsonObject | undefined, name: string): number {
  return asNumber(object?.[name]) ?? 0;
}

/** Tokens of programs whose count of input includes cached tokens. */
export function tokensWithCache(usage: JsonObject | undefined, cachedName: string): AgentTokens {
  const cacheRead = countIn(usage, cachedName);
  const input = Math.max(0, countIn(usage, "input_tokens") - cacheRead);
  return { input, output: countIn(usage, "output_tokens"), cacheRead, cacheWrite: 0 };
}
