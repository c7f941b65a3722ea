import { asCount, asList, asObject, isObject, type JsonObject } from "@loopdash/values";
import type { BilledTokens } from "../../gateway.ts";
import type { AnswerKind } from "../models/route.ts";

/** The cost information of an answer so far. */
export interface UsageReading {
  readonly model?: string;
  readonly tokens?: BilledTokens;
  /** True if it used something that is not billed by tokens alone, or at another rate. */
  readonly surcharge: boolean;
}

export const NOTHING_READ: UsageReading = { surcharge: false };

/** The reading of the `usage` and `model` of one answer, or of one event of it. Undefined if they are malformed. */
export function readUsage(kind: AnswerKind, jsonObject: JsonObject): UsageReading | undefined {
  if (kind === "generate") return geminiUsage(jsonObject);
  const { usage, model } = jsonObject;
  if (!isObject(usage)) return undefined;
  const tokens = kind === "messages" ? anthropicTokens(usage) : openaiTokens(kind, usage);
  if (tokens === undefined) return undefined;
  const surcharge = kind === "messages" ? anthropicSurcharge(usage) : isDearTier(jsonObject["service_tier"]);
  return { model: typeof model === "string" ? model : undefined, tokens, surcharge };
}

/** Two readings of one answer: counts only grow, so the greater of each holds. */
export function mergeReadings(a: UsageReading, b: UsageReading): UsageReading {
  const model = a.model ?? b.model;
  const tokens = a.tokens === undefined ? b.tokens : b.tokens === undefined ? a.tokens : greater(a.tokens, b.tokens);
  return { model, tokens, surcharge: a.surcharge || b.surcharge };
}

function greater(a: BilledTokens, b: BilledTokens): BilledTokens {
  return {
    input: Math.max(a.input, b.input),
    output: Math.max(a.output, b.output),
    cacheRead: Math.max(a.cacheRead, b.cacheRead),
    cacheWrite: Math.max(a.cacheWrite, b.cacheWrite),
    cacheWriteHour: Math.max(a.cacheWriteHour, b.cacheWriteHour),
  };
}

/** A number that may be absent or null; undefined if it is neither that nor a count. */
function optional(value: unknown): number | undefined {
  return value === undefined || value === null ? 0 : asCount(value);
}

/** `input_tokens` is the input that was neither read from nor written to the cache; `cache_creation` splits the written one. */
function anthropicTokens(usage: JsonObject): BilledTokens | undefined {
  const input = optional(usage["input_tokens"]);
  const output = asCount(usage["output_tokens"]);
  const cacheRead = optional(usage["cache_read_input_tokens"]);
  const written = optional(usage["cache_creation_input_tokens"]);
  const cacheWriteHour = optional(asObject(usage["cache_creation"])?.["ephemeral_1h_input_tokens"]);
  if (input === undefined || output === undefined || cacheRead === undefined) return undefined;
  if (written === undefined || cacheWriteHour === undefined) return undefined;
  return { input, output, cacheRead, cacheWrite: Math.max(0, written - cacheWriteHour), cacheWriteHour };
}

function anthropicSurcharge(usage: JsonObject): boolean {
  const tools = Object.values(asObject(usage["server_tool_use"]) ?? {});
  return tools.some((uses) => uses !== 0 && uses !== null) || usage["speed"] === "fast" || usage["service_tier"] === "priority";
}

/** OpenAI's input count includes the cached tokens. */
function openaiTokens(kind: AnswerKind, usage: JsonObject): BilledTokens | undefined {
  const [read, written, details] =
    kind === "chat"
      ? [usage["prompt_tokens"], usage["completion_tokens"], usage["prompt_tokens_details"]]
      : [usage["input_tokens"], usage["output_tokens"], usage["input_tokens_details"]];
  const all = asCount(read);
  const output = asCount(written);
  const cacheRead = optional(asObject(details)?.["cached_tokens"]);
  if (all === undefined || output === undefined || cacheRead === undefined || cacheRead > all) return undefined;
  return { input: all - cacheRead, output, cacheRead, cacheWrite: 0, cacheWriteHour: 0 };
}

/** Google's `usageMetadata`: the prompt count includes cached tokens, and thoughts are billed as output. */
function geminiUsage({ usageMetadata: usage, modelVersion: model }: JsonObject): UsageReading | undefined {
  if (!isObject(usage)) return undefined;
  const prompt = optional(usage["promptTokenCount"]);
  const ofTools = optional(usage["toolUsePromptTokenCount"]);
  const cacheRead = optional(usage["cachedContentTokenCount"]);
  const said = optional(usage["candidatesTokenCount"]);
  const thought = optional(usage["thoughtsTokenCount"]);
  if (prompt === undefined || ofTools === undefined || cacheRead === undefined || cacheRead > prompt) return undefined;
  if (said === undefined || thought === undefined) return undefined;
  const tokens = { input: prompt - cacheRead + ofTools, output: said + thought, cacheRead, cacheWrite: 0, cacheWriteHour: 0 };
  return { model: typeof model === "string" ? model : undefined, tokens, surcharge: ofTools > 0 || !isText(usage) };
}

/** Sound has another price than text, and so has a returned picture. */
function isText(usage: JsonObject): boolean {
  const kinds = (value: unknown) => asList(value).map((each) => asObject(each)?.["modality"]);
  const given = kinds(usage["promptTokensDetails"]);
  const made = kinds(usage["candidatesTokensDetails"]);
  return !given.includes("AUDIO") && made.every((modality) => modality === "TEXT");
}

function isDearTier(tier: unknown): boolean {
  return tier === "priority" || tier === "fast";
}
