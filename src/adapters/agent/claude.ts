import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentStopKind } from "../../domain/run/event.ts";
import type { AgentStop, AgentTokens } from "../../ports/agent.ts";
import { type AgentProgram, type ProgramEnd, type ProgramReader, promptOnStdin } from "./agent-program.ts";
import { stopOfStatus } from "./by-status.ts";
import { type JsonObject, listOf, numberOf, objectOf, readEvent, shown, textOf } from "./json-events.ts";

/**
 * Tries of a request after the first. Its default of ten takes 180 s, also for a wrong key (measured with 2.1.330); four take
 * about 15 s and outlive a hiccup.
 */
const RETRIES = 4;
/** Milliseconds that one request may take; its default is ten minutes. The silence limit of the attempt is the other bound. */
const REQUEST_MS = 300_000;

/**
 * Claude Code. In the sandbox it may do what it likes, so its own permissions are off; settings of the user, the repository
 * and of MCP servers stay out (a planted `.claude/settings.json` runs its hooks without asking), and nothing is kept between
 * attempts. The key is a placeholder: the gateway puts the real one in.
 */
export const claude: AgentProgram = {
  kind: "claude",
  api: "anthropic",
  async prepare({ session }, { program, model, effort, turns, usdPerAttempt, billing, retries = RETRIES }) {
    const settings = join(session, "loopdash.json");
    await writeFile(settings, "{}\n", { mode: 0o600 });
    return {
      argv: promptOnStdin([
        program,
        ...["-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"],
        ...["--setting-sources=", "--strict-mcp-config", "--settings", settings, "--no-session-persistence"],
        ...["--max-budget-usd", String(usdPerAttempt)],
        ...(model === undefined ? [] : ["--model", model]),
        ...(effort === undefined ? [] : ["--effort", effort]),
        ...(turns === undefined ? [] : ["--max-turns", String(turns)]),
      ]),
      env: {
        CLAUDE_CONFIG_DIR: session,
        [billing === "subscription" ? "CLAUDE_CODE_OAUTH_TOKEN" : "ANTHROPIC_API_KEY"]: "held-by-the-gateway",
        // Any other value than 1 and it refuses to work as root.
        IS_SANDBOX: "1",
        CLAUDE_CODE_MAX_RETRIES: String(retries),
        API_TIMEOUT_MS: String(REQUEST_MS),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_TELEMETRY: "1",
        DISABLE_ERROR_REPORTING: "1",
        DISABLE_AUTOUPDATER: "1",
      },
      baseUrls: [{ name: "ANTHROPIC_BASE_URL", path: "" }],
    };
  },
  reader: () => new ClaudeReader(),
};

class ClaudeReader implements ProgramReader {
  #fatal: AgentStop | undefined;
  #retryAfterMs: number | undefined;
  #result: JsonObject | undefined;

  line(text: string): readonly string[] {
    const event = readEvent(text);
    switch (event?.["type"]) {
      case "assistant":
        return listOf(objectOf(event["message"])?.["content"]).flatMap(blockLine);
      case "system":
        return this.#system(event);
      case "result":
        this.#result = event;
        return [];
      default:
        return [];
    }
  }

  fatal(): AgentStop | undefined {
    return this.#fatal;
  }

  /** Finished is one whose result says no error and whose exit code is 0: `subtype` says "success" also of failures. */
  end(exitCode: number | null): ProgramEnd {
    const result = this.#result;
    const costUsd = numberOf(result?.["total_cost_usd"]) ?? null;
    const tokens = tokensOf(objectOf(result?.["usage"]));
    const known = { costUsd, ...(tokens === undefined ? {} : { tokens }) };
    if (this.#fatal !== undefined) return { ...known, stop: this.#fatal };
    if (result === undefined) return { ...known, stop: { kind: "unfinished", says: "it ended without a result" } };
    if (result["is_error"] === false && exitCode === 0) return known;
    const wait = this.#retryAfterMs === undefined ? {} : { retryAfterMs: this.#retryAfterMs };
    const says = shown(textOf(result["result"]) ?? listOf(result["errors"]).map(String).join("; ")) || "an error without words";
    return { ...known, stop: { kind: kindOf(result), says, ...wait } };
  }

  answer(): string {
    return textOf(this.#result?.["result"]) ?? "";
  }

  #system(event: JsonObject): readonly string[] {
    if (event["subtype"] !== "api_retry") return [];
    const error = textOf(event["error"]) ?? "unknown";
    const wait = numberOf(event["retry_delay_ms"]);
    if (wait !== undefined) this.#retryAfterMs = Math.round(wait);
    // It would try a wrong key again and again.
    if (error === "authentication_failed") this.#fatal = { kind: "authentication", says: "the model's API refused the key" };
    return [
      `model API: ${error}; retry ${numberOf(event["attempt"]) ?? "?"} of ${numberOf(event["max_retries"]) ?? "?"} follows`,
    ];
  }
}

/** A block of a message, as a line: what it says, or the tool that it uses on what. */
function blockLine(value: unknown): readonly string[] {
  const block = objectOf(value);
  const text = textOf(block?.["text"]);
  if (block?.["type"] === "text" && text !== undefined && text.trim() !== "") return [shown(text)];
  if (block?.["type"] !== "tool_use") return [];
  const input = objectOf(block["input"]);
  const about = ["command", "file_path", "path", "pattern", "url", "description"]
    .map((key) => textOf(input?.[key]))
    .find(Boolean);
  return [shown(`${textOf(block["name"]) ?? "a tool"}: ${about ?? ""}`)];
}

function tokensOf(usage: JsonObject | undefined): AgentTokens | undefined {
  if (usage === undefined) return undefined;
  const count = (name: string): number => numberOf(usage[name]) ?? 0;
  return {
    input: count("input_tokens"),
    output: count("output_tokens"),
    cacheRead: count("cache_read_input_tokens"),
    cacheWrite: count("cache_creation_input_tokens"),
  };
}

const BY_REASON: Readonly<Record<string, AgentStopKind>> = {
  max_turns: "turns",
  budget_exhausted: "budget",
  prompt_too_long: "context",
  blocking_limit: "context",
  rapid_refill_breaker: "context",
};

function kindOf(result: JsonObject): AgentStopKind {
  const reason = BY_REASON[textOf(result["terminal_reason"]) ?? ""];
  if (reason !== undefined) return reason;
  const status = numberOf(result["api_error_status"]);
  if (status !== undefined) return stopOfStatus(status) ?? "unfinished";
  return result["stop_reason"] === "refusal" ? "refused" : "unfinished";
}
