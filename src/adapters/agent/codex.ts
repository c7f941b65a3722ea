import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentStopKind } from "../../domain/run/event.ts";
import type { AgentStop, AgentTokens } from "../../ports/agent.ts";
import type { AgentProgram, ProgramEnd, ProgramReader } from "./agent-program.ts";
import { type JsonObject, numberOf, objectOf, readEvent, shown, textOf } from "./json-events.ts";

/** Tries of a request, and of a stream that breaks, after the first. */
const RETRIES = 4;
/** Milliseconds without a byte in a stream. */
const IDLE_MS = 300_000;

/** The gateway's address is known only inside: the script reads it from the environment, and nothing else. */
const SCRIPT = 'exec "$@" -c "model_providers.loopdash.base_url=\\"$LOOPDASH_MODEL_URL\\"" - < "$LOOPDASH_PROMPT"';

/**
 * Codex. Our sandbox is around it, so its own is off: inside, a linked worktree could not be committed to. Its home is the
 * session folder, with a configuration of ours; a repository's own configuration and hooks are not trusted and do not run. It
 * knows no dollars and no bound of turns: the gateway counts, and the attempt's time bounds.
 */
export const codex: AgentProgram = {
  kind: "codex",
  api: "openai",
  async prepare({ session }, { program, model, effort, retries = RETRIES }) {
    await writeFile(join(session, "config.toml"), configOf(retries), { mode: 0o600 });
    return {
      argv: [
        ...["/bin/sh", "-c", SCRIPT, "sh", program, "exec", "--json", "--color", "never", "--ephemeral", "--ignore-rules"],
        ...["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
        ...(model === undefined ? [] : ["--model", model]),
        ...(effort === undefined ? [] : ["-c", `model_reasoning_effort="${effort}"`]),
      ],
      env: { CODEX_HOME: session, LOOPDASH_MODEL_KEY: "held-by-the-gateway" },
      baseUrls: [{ name: "LOOPDASH_MODEL_URL", path: "/v1" }],
    };
  },
  reader: () => new CodexReader(),
};

function configOf(retries: number): string {
  return `model_provider = "loopdash"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
web_search = "disabled"

[analytics]
enabled = false

[model_providers.loopdash]
name = "loopdash"
env_key = "LOOPDASH_MODEL_KEY"
wire_api = "responses"
request_max_retries = ${retries}
stream_max_retries = ${retries}
stream_idle_timeout_ms = ${IDLE_MS}
`;
}

class CodexReader implements ProgramReader {
  #fatal: AgentStop | undefined;
  #failed: string | undefined;
  #tokens: AgentTokens | undefined;
  #answer = "";

  line(text: string): readonly string[] {
    const event = readEvent(text);
    switch (event?.["type"]) {
      case "item.started":
        return commandLine(objectOf(event["item"]));
      case "item.completed":
        return this.#message(objectOf(event["item"]));
      case "error":
        return this.#error(textOf(event["message"]) ?? "");
      case "turn.failed":
        this.#failed = textOf(objectOf(event["error"])?.["message"]) ?? "an error without words";
        return [];
      case "turn.completed":
        this.#failed = undefined;
        this.#tokens = tokensOf(objectOf(event["usage"]));
        return [];
      default:
        return [];
    }
  }

  fatal(): AgentStop | undefined {
    return this.#fatal;
  }

  /** Finished is one whose turn is completed and whose exit code is 0. */
  end(exitCode: number | null): ProgramEnd {
    const tokens = this.#tokens;
    const known = { costUsd: null, ...(tokens === undefined ? {} : { tokens }) };
    if (this.#fatal !== undefined) return { ...known, stop: this.#fatal };
    if (this.#failed !== undefined) return { ...known, stop: { kind: kindOf(this.#failed), says: shown(this.#failed) } };
    if (tokens === undefined || exitCode !== 0)
      return { ...known, stop: { kind: "unfinished", says: "it ended without a result" } };
    return known;
  }

  answer(): string {
    return this.#answer;
  }

  #message(item: JsonObject | undefined): readonly string[] {
    if (item?.["type"] === "agent_message") this.#answer = textOf(item["text"]) ?? "";
    return messageLine(item);
  }

  /** It tells of every try that fails, and would try a wrong key again and again. */
  #error(message: string): readonly string[] {
    const kind = kindOf(message);
    if (kind === "authentication") this.#fatal = { kind, says: shown(message) };
    return message === "" ? [] : [shown(message)];
  }
}

function commandLine(item: JsonObject | undefined): readonly string[] {
  const command = textOf(item?.["command"]);
  if (item?.["type"] !== "command_execution" || command === undefined) return [];
  return [shown(`exec: ${/^\/bin\/(?:ba|z)?sh -lc '(.*)'$/s.exec(command)?.[1] ?? command}`)];
}

function messageLine(item: JsonObject | undefined): readonly string[] {
  const text = textOf(item?.["text"]);
  if (item?.["type"] === "agent_message" && text !== undefined && text.trim() !== "") return [shown(text)];
  return item?.["type"] === "file_change" ? ["edit of files"] : [];
}

/** Input counts what came from the cache as well. */
function tokensOf(usage: JsonObject | undefined): AgentTokens {
  const count = (name: string): number => numberOf(usage?.[name]) ?? 0;
  const cacheRead = count("cached_input_tokens");
  return { input: Math.max(0, count("input_tokens") - cacheRead), output: count("output_tokens"), cacheRead, cacheWrite: 0 };
}

/** It gives errors in words only; in order, for "429 … quota" is no matter of waiting. */
const KINDS: readonly (readonly [RegExp, AgentStopKind])[] = [
  [/\b401\b|unauthorized/i, "authentication"],
  [/\b403\b|forbidden|quota|billing/i, "permission"],
  [/context window|context_length|\b413\b/i, "context"],
  [/\b404\b|model.*(?:not found|does not exist)/i, "model"],
  [/\b429\b|rate.?limit|usage limit/i, "rate-limited"],
  [/\b402\b/, "budget"],
  [/\b5\d\d\b|overloaded|at capacity|high demand/i, "overloaded"],
  [/\b400\b|refus|invalid_request/i, "refused"],
];

function kindOf(message: string): AgentStopKind {
  return KINDS.find(([pattern]) => pattern.test(message))?.[1] ?? "unfinished";
}
