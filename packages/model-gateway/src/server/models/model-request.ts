import { isAscii, isUtf8 } from "node:buffer";
import { asCount, asObject, isEscaped, isObject, isSpace, type JsonObject, quoteBefore, readJson } from "@loopdash/values";
import { Refusal } from "../refusals.ts";
import { geminiBounds } from "./gemini-request.ts";
import type { AnswerKind, ApiRoute } from "./route.ts";
import { clientToolsInItem, clientToolsOnly, outsideMember } from "./vendor-reach.ts";

/** A request to a model, as it is sent on. */
export interface ModelRequest {
  readonly model: string;
  /** The checked body is the one that the vendor gets: written again if something was removed, or if a name occurs twice. */
  readonly body: Buffer;
  /** Tokens that one answer may have at most, if the request has a limit. */
  readonly maxOutput: number | undefined;
  /** The number of requested answers. */
  readonly answers: number;
  /** True if its input is not all in the body, so that its size is unknown. */
  readonly outside: boolean;
  /** True if it asks for a service above the price list: a faster or preferred one. */
  readonly surcharge: boolean;
}

const LONGEST_MODEL = 200;

/**
 * Reads and checks a request body. With `vendorReach` false, it removes tools that the vendor would run, and refuses content that
 * the vendor would fetch. Throws a Refusal (400 or 403).
 */
export function readModelRequest(bytes: Buffer, options: { route: ApiRoute; vendorReach: boolean }): ModelRequest {
  const { isWrapped, ...inner } = options.route;
  if (isWrapped === true) {
    return rewrapped(bytes, (request) => readModelRequest(request, { ...options, route: inner }));
  }
  const kind = options.route.meter ?? options.route.shape ?? "messages";
  const text = decodeBody(bytes);
  const body = parse(text);
  const model = requestedModel(options.route, body);
  const outside = outsideMember(kind, body);
  if (outside !== undefined && !options.vendorReach) {
    throw new Refusal(403, `${outside}: the model's vendor would reach the network for it, and that is not open to agents`);
  }
  const adjusted = adjust(kind, body, options.vendorReach);
  return {
    model,
    // Writing a long conversation again takes longer than all the rest here.
    body: adjusted === body && hasNoDuplicateKeys(text, body) ? bytes : written(adjusted),
    maxOutput: readMaxOutput(kind, body),
    answers: kind === "generate" ? geminiBounds(body).answers : (asCount(body["n"]) ?? 1),
    outside: outside !== undefined || (options.vendorReach && clientToolsOnly(kind, body["tools"]).dropped > 0),
    surcharge: hasSurcharge(body),
  };
}

/** The model that a request asks for. Throws a Refusal (400 or 403) if it names none, two, or one that is not open. */
function requestedModel({ model: inPath, bodyModel }: ApiRoute, body: JsonObject): string {
  if (inPath !== undefined && body["model"] !== undefined) throw new Refusal(400, "model: the path names it");
  const model = inPath ?? body["model"];
  if (typeof model !== "string" || model === "" || model.length > LONGEST_MODEL)
    throw new Refusal(400, "model: a name is needed");
  if (bodyModel !== undefined && model !== bodyModel) throw new Refusal(403, "model: only that of the batch is open");
  return model;
}

/**
 * Reads the request that Bedrock's CountTokens has in base64, and wraps what of it may be sent on. Throws a Refusal (400) if the
 * body has anything else.
 */
function rewrapped(bytes: Buffer, read: (request: Buffer) => ModelRequest): ModelRequest {
  const body = parse(decodeBody(bytes));
  const input = asObject(body["input"]);
  const invoked = asObject(input?.["invokeModel"]);
  const text = invoked?.["body"];
  const isAlone = [body, input ?? {}, invoked ?? {}].every((each) => Object.keys(each).length === 1);
  if (!isAlone || typeof text !== "string" || !/^[A-Za-z0-9+/]+={0,2}$/.test(text))
    throw new Refusal(400, "the request has no body of a model in it, or more than that");
  const ask = read(Buffer.from(text, "base64"));
  return { ...ask, body: Buffer.from(JSON.stringify({ input: { invokeModel: { body: ask.body.toString("base64") } } })) };
}

/** The text of a request body. Throws a Refusal (400) if it is none. */
export function decodeBody(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString("latin1");
  if (!isUtf8(bytes)) throw new Refusal(400, "the request is not JSON");
  return bytes.toString("utf8");
}

function parse(text: string): JsonObject {
  let body: unknown;
  try {
    body = readJson(text);
  } catch {
    throw new Refusal(400, "the request is not JSON");
  }
  if (!isObject(body)) throw new Refusal(400, "the request is not a JSON object");
  return body;
}

/** The request as it may be sent on; the same object if nothing in it must change. */
function adjust(kind: AnswerKind, body: JsonObject, vendorReach: boolean): JsonObject {
  const outer = vendorReach || body["tools"] === undefined ? body : withoutVendorTools(kind, body);
  const withTools = vendorReach || kind !== "responses" ? outer : withoutVendorToolsInItems(outer);
  // Without it a streamed chat never reports its usage.
  const options = asObject(body["stream_options"]);
  if (kind !== "chat" || body["stream"] !== true || options?.["include_usage"] === true) return withTools;
  return { ...withTools, stream_options: { ...options, include_usage: true } };
}

function withoutVendorToolsInItems(body: JsonObject): JsonObject {
  const input = body["input"];
  if (!Array.isArray(input)) return body;
  const items = input.map(clientToolsInItem);
  return items.every((item, i) => item === input[i]) ? body : { ...body, input: items };
}

function written(body: JsonObject): Buffer {
  try {
    return Buffer.from(JSON.stringify(body));
  } catch {
    // Nested so deeply that it can no longer be written.
    throw new Refusal(400, "the request is nested too deeply");
  }
}

/** Removing all tools removes the list too: an empty list would be an error. */
function withoutVendorTools(kind: AnswerKind, body: JsonObject): JsonObject {
  const given = body["tools"];
  const { tools, dropped } = clientToolsOnly(kind, given);
  if (Array.isArray(given) && dropped === 0 && tools.every((tool, i) => tool === given[i])) return body;
  if (dropped === 0 || tools.length > 0) return { ...body, tools };
  const { tools: _tools, tool_choice: _choice, toolConfig: _config, tool_config: _same, ...rest } = body;
  return rest;
}

function readMaxOutput(kind: AnswerKind, body: JsonObject): number | undefined {
  if (kind === "generate") return geminiBounds(body).maxOutput;
  if (kind === "responses") return asCount(body["max_output_tokens"]);
  const newer = kind === "chat" ? asCount(body["max_completion_tokens"]) : undefined;
  return newer ?? asCount(body["max_tokens"]);
}

/** True for Anthropic's fast mode and OpenAI's tiers; a cheaper tier also counts as a surcharge, never the other way round. */
function hasSurcharge(body: JsonObject): boolean {
  // Google reads it by either name.
  const plainTier = isPlainTier(body["service_tier"]) && isPlainTier(body["serviceTier"]);
  const speed = body["speed"];
  return !plainTier || !(speed === undefined || speed === null || speed === "standard") || !isHere(body["inference_geo"]);
}

function isPlainTier(tier: unknown): boolean {
  return tier === undefined || tier === null || tier === "auto" || tier === "default" || tier === "standard_only";
}

/** Keeping a request within one country costs more. */
function isHere(geo: unknown): boolean {
  return geo === undefined || geo === null || geo === "global";
}

const COLON = 0x3a;

/** Levels of lists and objects that an honest request stays well within. */
const MOST_DEPTH = 200;

/**
 * True if no object of a JSON text has two members of the same name; `value` is the parsed text. Of two such members JavaScript
 * takes the last, and another reader of the text may take the first. A text without duplicates has as many names as the value has
 * members. Also false if it is nested deeper than any request.
 */
export function hasNoDuplicateKeys(text: string, value: JsonObject): boolean {
  const members = countMembers(value);
  // The quick count is never too low: if it equals the members, there are no more names.
  return namesAtMost(text) === members || namesIn(text) === members;
}

/**
 * Colons after the end of a string, or after what looks like one: the opening quote of a string that begins with a colon. A long
 * request has far fewer colons than strings.
 */
function namesAtMost(text: string): number {
  let names = 0;
  for (let colon = text.indexOf(":"); colon >= 0; colon = text.indexOf(":", colon + 1)) {
    if (quoteBefore(text, colon) !== undefined) names += 1;
  }
  return names;
}

/** Strings before a colon. The text is well-formed, so quotes come in pairs. */
function namesIn(text: string): number {
  let names = 0;
  for (let at = text.indexOf('"'); at >= 0; ) {
    let next = endOfString(text, at) + 1;
    while (isSpace(text.charCodeAt(next))) next += 1;
    if (text.charCodeAt(next) === COLON) names += 1;
    at = text.indexOf('"', next);
  }
  return names;
}

/** The index of the quote that ends the string which begins at `begin`. */
function endOfString(text: string, begin: number): number {
  let end = text.indexOf('"', begin + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

/** Members of an object and of all objects in it; NaN, which equals nothing, if it is nested too deeply. */
function countMembers(value: object, depth = 0): number {
  if (depth > MOST_DEPTH) return Number.NaN;
  let members = 0;
  if (Array.isArray(value)) {
    for (const each of value) if (isInner(each)) members += countMembers(each, depth + 1);
    return members;
  }
  for (const name in value) {
    const each = (value as JsonObject)[name];
    members += isInner(each) ? 1 + countMembers(each, depth + 1) : 1;
  }
  return members;
}

function isInner(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
