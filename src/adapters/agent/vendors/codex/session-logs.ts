import { homedir } from "node:os";
import { join } from "node:path";
import type { BilledTokens } from "@loopdash/model-gateway";
import { z } from "zod";
import { type LogReader, NotUnderstood, type SessionLogFormat } from "../../../../ports/session-logs.ts";

const count = z.number().int().min(0);
const optional = count.nullish().transform((value) => value ?? 0);

/** `output_tokens` includes thoughts, and `input_tokens` includes cached tokens. */
const Used = z.object({ input_tokens: count, cached_input_tokens: optional, output_tokens: count });
type Used = z.infer<typeof Used>;

/** A line with the session's usage so far; without `info` it is only about the limits of the account. */
const TokenCount = z.object({
  timestamp: z.iso.datetime({ offset: true }),
  payload: z.object({ info: z.object({ total_token_usage: Used, last_token_usage: Used.nullish() }).nullish() }),
});
const TurnContext = z.object({ payload: z.object({ model: z.string() }) });

const NOTHING: Used = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 };

/**
 * Sessions of Codex: `rollout-*.jsonl` below `sessions/` and `archived_sessions/` in its folder (`CODEX_HOME`, else `~/.codex`).
 * A session that continues the next day stays in its first file, so the files' own days mean nothing.
 */
export function codexSessions(env: NodeJS.ProcessEnv): SessionLogFormat {
  const folder = env["CODEX_HOME"] || join(env["HOME"] || homedir(), ".codex");
  return {
    roots: ["sessions", "archived_sessions"].map((name) => join(folder, name)),
    isLog: (name) => name.startsWith("rollout-") && name.endsWith(".jsonl"),
    reader: readCounts,
  };
}

/** The same count is logged again and again, so only the growth of the session's sum counts. */
const readCounts: LogReader = (since) => {
  let model: string | undefined;
  let before = NOTHING;
  return (object) => {
    if (object["type"] === "turn_context") model = TurnContext.safeParse(object).data?.payload.model;
    const told = isTokenCount(object) ? readCount(object) : undefined;
    if (told === undefined) return undefined;
    const grown = grownBy(before, told.total) ?? told.last ?? told.total;
    before = told.total;
    if (told.at < since || isNothing(grown)) return undefined;
    if (model === undefined) throw new NotUnderstood("tokens were used before a model was named");
    return { model, tokens: billedTokens(grown), alsoUsd: 0 };
  };
};

function readCount(
  object: object,
): { readonly at: number; readonly total: Used; readonly last?: Used | null | undefined } | undefined {
  const parsed = TokenCount.safeParse(object);
  if (!parsed.success) throw new NotUnderstood("a count of tokens does not say what was used");
  const { timestamp, payload } = parsed.data;
  if (!payload.info) return undefined;
  return { at: Date.parse(timestamp), total: payload.info.total_token_usage, last: payload.info.last_token_usage };
}

function isTokenCount({ type, payload }: Readonly<Record<string, unknown>>): boolean {
  const inner = typeof payload === "object" && payload !== null ? payload : {};
  return type === "event_msg" && "type" in inner && inner.type === "token_count";
}

/** Undefined if a sum is smaller than before: it began again. */
function grownBy(before: Used, now: Used): Used | undefined {
  const grown: Used = {
    input_tokens: now.input_tokens - before.input_tokens,
    cached_input_tokens: now.cached_input_tokens - before.cached_input_tokens,
    output_tokens: now.output_tokens - before.output_tokens,
  };
  return Object.values(grown).some((by) => by < 0) ? undefined : grown;
}

function isNothing({ input_tokens, output_tokens }: Used): boolean {
  return input_tokens === 0 && output_tokens === 0;
}

function billedTokens({ input_tokens, cached_input_tokens, output_tokens }: Used): BilledTokens {
  const cacheRead = Math.min(cached_input_tokens, input_tokens);
  return { input: input_tokens - cacheRead, output: output_tokens, cacheRead, cacheWrite: 0, cacheWriteHour: 0 };
}
