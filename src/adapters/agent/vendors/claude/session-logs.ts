import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { type LogReader, NotUnderstood, type SessionLogFormat } from "../../../../ports/session-logs.ts";

const count = z.number().int().min(0);
const optional = count.nullish().transform((value) => value ?? 0);

/** A line with an answer. */
const Answer = z.object({
  timestamp: z.iso.datetime({ offset: true }),
  requestId: z.string().nullish(),
  message: z.object({
    id: z.string().nullish(),
    model: z.string(),
    usage: z.object({
      input_tokens: optional,
      output_tokens: count,
      cache_read_input_tokens: optional,
      cache_creation_input_tokens: optional,
      cache_creation: z.object({ ephemeral_1h_input_tokens: optional }).nullish(),
      server_tool_use: z.record(z.string(), z.unknown()).nullish(),
      service_tier: z.string().nullish(),
      speed: z.string().nullish(),
    }),
  }),
});
type Usage = z.infer<typeof Answer>["message"]["usage"];

/** Dollars of one web search; fetching a page costs its tokens (https://platform.claude.com/docs/en/about-claude/pricing). */
const SEARCH_USD = 0.01;

/**
 * Sessions of Claude Code: files `*.jsonl` below `projects/` in its folder (`CLAUDE_CONFIG_DIR`, else `~/.claude`). An answer is
 * logged once for each of its blocks, while its output still grows, and again in a fork of its session.
 */
export function claudeSessions(env: NodeJS.ProcessEnv): SessionLogFormat {
  const folder = env["CLAUDE_CONFIG_DIR"] || join(env["HOME"] || homedir(), ".claude");
  return { roots: [join(folder, "projects")], isLog: (name) => name.endsWith(".jsonl"), reader: readAnswers };
}

const readAnswers: LogReader = (since) => (object) => {
  if (object["type"] !== "assistant") return undefined;
  const parsed = Answer.safeParse(object);
  if (!parsed.success) throw new NotUnderstood("an answer does not say what it used");
  const { timestamp, requestId, message } = parsed.data;
  if (Date.parse(timestamp) < since) return undefined;
  const { usage, model } = message;
  const written = usage.cache_creation_input_tokens;
  const cacheWriteHour = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  return {
    key: message.id ? `${message.id} ${requestId ?? ""}` : undefined,
    model,
    tokens: {
      input: usage.input_tokens,
      output: usage.output_tokens,
      cacheRead: usage.cache_read_input_tokens,
      cacheWrite: Math.max(0, written - cacheWriteHour),
      cacheWriteHour,
    },
    alsoUsd: toolsUsd(usage),
  };
};

/** Dollars for the vendor's work beside answering. An unknown price makes the line unreadable. */
function toolsUsd({ server_tool_use: tools, service_tier: tier, speed }: Usage): number {
  if (tier === "priority" || speed === "fast") throw new NotUnderstood("no price is known for answers at a faster rate");
  let searches = 0;
  for (const [name, uses] of Object.entries(tools ?? {})) {
    if (uses === 0 || uses === null || name === "web_fetch_requests") continue;
    const known = name === "web_search_requests" ? count.safeParse(uses) : undefined;
    if (!known?.success) throw new NotUnderstood(`no price is known for the tool "${name}"`);
    searches = known.data;
  }
  return searches * SEARCH_USD;
}
