import { asList, asObject, isObject, type JsonObject } from "@loopdash/values";
import { geminiClientTools, geminiOutside } from "./gemini-request.ts";
import type { AnswerKind } from "./route.ts";

/** The formats whose tools have a type that determines who runs them; Google's are in gemini-request.ts. */
type Typed = Exclude<AnswerKind, "generate">;

/**
 * Tools that the program inside runs itself. The vendor runs any other kind: search, fetch, remote MCP servers, code with a
 * network, each a way out of the sandbox. Anthropic's client tools have a date in their name.
 */
const CLIENT_TOOLS: Readonly<Record<Typed, RegExp>> = {
  messages: /^(?:custom|(?:bash|text_editor|computer|memory|tool_search_tool(?:_\w+)?)_\d{8})$/,
  chat: /^(?:function|custom)$/,
  responses: /^(?:function|custom|local_shell|shell|apply_patch|tool_search|computer(?:_use_preview)?)$/,
};

/** Members of a request that make the vendor fetch from elsewhere. */
const OUTSIDE_MEMBERS: Readonly<Record<Typed, readonly string[]>> = {
  messages: ["mcp_servers", "container"],
  chat: ["web_search_options"],
  responses: ["previous_response_id", "conversation", "prompt"],
};

/**
 * An item of a Responses request, without the tools in it that the vendor runs: Codex sends its tools as an item of the
 * conversation. The same object if it has none.
 */
export function clientToolsInItem(item: unknown): unknown {
  if (!isObject(item) || item["tools"] === undefined) return item;
  return keptNamespace("responses", item);
}

/** The tools of a request that only the program inside runs, and the number of others. */
export function clientToolsOnly(
  kind: AnswerKind,
  tools: unknown,
): { readonly tools: readonly unknown[]; readonly dropped: number } {
  if (kind === "generate") return geminiClientTools(tools);
  const all = asList(tools);
  const kept = all.flatMap((tool) => keptTool(kind, tool));
  return { tools: kept, dropped: all.length - kept.length };
}

function keptTool(kind: Typed, tool: unknown): readonly unknown[] {
  if (!isObject(tool)) return [];
  const { type } = tool;
  if (kind === "responses" && type === "namespace") return [keptNamespace(kind, tool)];
  // A search of OpenAI's own index reaches nobody else; Codex asks for it by default.
  if (kind === "responses" && type === "web_search" && tool["external_web_access"] === false) return [tool];
  // Anthropic's custom tools need no type; a shell may be one that the vendor keeps.
  if (type === undefined || type === null) return kind === "messages" ? [tool] : [];
  if (type === "shell" && isVendorShell(tool)) return [];
  return typeof type === "string" && CLIENT_TOOLS[kind].test(type) ? [tool] : [];
}

/** The same object if all its tools are kept. */
function keptNamespace(kind: Typed, namespace: JsonObject): JsonObject {
  const given = namespace["tools"];
  const { tools } = clientToolsOnly(kind, given);
  const same = Array.isArray(given) && tools.length === given.length && tools.every((tool, i) => tool === given[i]);
  return same ? namespace : { ...namespace, tools };
}

function isVendorShell(tool: JsonObject): boolean {
  const environment = tool["environment"];
  return environment !== undefined && asObject(environment)?.["type"] !== "local";
}

/** The part of a request that makes the vendor fetch from elsewhere, or undefined: "mcp_servers", "a file by URL". */
export function outsideMember(kind: AnswerKind, body: JsonObject): string | undefined {
  if (kind === "generate") return geminiOutside(body);
  const member = OUTSIDE_MEMBERS[kind].find((name) => !isNothing(body[name]));
  if (member !== undefined) return member;
  if (body["background"] === true) return "background";
  const turns = kind === "responses" ? asList(body["input"]) : asList(body["messages"]);
  const inTurns = turns.some((turn) => isOutsideBlock(turn) || hasOutside(turn));
  return inTurns || asList(body["system"]).some((block) => isOutside(block)) ? "something by URL or id" : undefined;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** True if a content block of a message, a tool's result or an item of Responses is outside. */
function hasOutside(turn: unknown): boolean {
  if (!isObject(turn)) return false;
  const { content, output } = turn;
  // A computer's screenshot is one block instead of a list.
  return asList(content).some(isOutside) || asList(output).some(isOutside) || isOutside(output);
}

function isOutside(block: unknown): boolean {
  if (!isObject(block)) return false;
  // The APIs have only one level: the blocks of a tool's result, and those of a document.
  const { content, source } = block;
  return (
    isOutsideBlock(block) ||
    asList(content).some(isOutsideBlock) ||
    (isObject(source) && asList(source["content"]).some(isOutsideBlock))
  );
}

/** Called for each block of a long conversation: it allocates no list and no function. */
function isOutsideBlock(block: unknown): boolean {
  if (!isObject(block)) return false;
  const { type, source, file, image_url: given } = block;
  const image = isObject(given) ? given["url"] : given;
  return (
    type === "item_reference" ||
    (isObject(source) && (source["type"] === "url" || source["type"] === "file")) ||
    (typeof image === "string" && !image.startsWith("data:")) ||
    namesFile(block) ||
    (isObject(file) && namesFile(file))
  );
}

function namesFile(jsonObject: JsonObject): boolean {
  return !isNothing(jsonObject["file_id"]) || !isNothing(jsonObject["file_url"]);
}
