import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentStopKind } from "../../domain/run/event.ts";
import type { AgentStop, AgentTokens } from "../../ports/agent.ts";
import { type AgentProgram, type ProgramEnd, type ProgramOptions, type ProgramReader, promptOnStdin } from "./agent-program.ts";
import { type JsonObject, numberOf, objectOf, readEvent, shown, textOf } from "./json-events.ts";

/** Tries of a failed request after the first; its own default is nine, about two minutes. */
const RETRIES = 4;
/** The best of its models, as the program itself understands this name; without one it asks a model which to take. */
const BEST = "pro";
/** Its exit code where its turns are over (docs/cli/headless.md of 0.61.0). */
const TURNS_OVER = 53;
/** Characters of one message that are kept; longer than any model answers. */
const MOST_CHARS = 1_000_000;

/**
 * Gemini CLI. Our sandbox is around it, so its own permissions are off (`--yolo`). That needs a folder that it trusts, and of a
 * trusted folder it loads `.gemini/settings.json` with hooks and servers, and `.env`. It reads settings before it looks at
 * `--skip-trust`, which trusts the folder for the session only; where trust is asked for (`folderTrust`), they are read as those
 * of a stranger's folder, and so not at all. `useExternal` keeps it from a second look at `.env`, which comes after trust
 * (measured with 0.61.0). Its home is the session folder. The key is a placeholder: the gateway puts the real one in.
 */
export const gemini: AgentProgram = {
  kind: "gemini",
  api: "gemini",
  async prepare({ session }, input) {
    const home = join(session, ".gemini");
    await mkdir(join(home, "policies"), { recursive: true, mode: 0o700 });
    await writeFile(join(home, "settings.json"), `${JSON.stringify(settingsOf(input), undefined, 2)}\n`, { mode: 0o600 });
    await writeFile(join(home, "policies", "loopdash.toml"), POLICY, { mode: 0o600 });
    const whole = join(session, "whole-output.cjs");
    await writeFile(whole, WHOLE_OUTPUT, { mode: 0o600 });
    const { program, model = BEST } = input;
    // Not in the environment: what starts the program here is Node too.
    const options = `NODE_OPTIONS=--require=${JSON.stringify(whole)}`;
    const flags = ["--output-format", "stream-json", "--yolo", "--skip-trust", "--model", model];
    return {
      argv: promptOnStdin(["/usr/bin/env", options, program, ...flags]),
      env: {
        GEMINI_CLI_HOME: session,
        GEMINI_API_KEY: "held-by-the-gateway",
        // Otherwise it starts itself once more, to have more memory.
        GEMINI_CLI_NO_RELAUNCH: "1",
      },
      baseUrls: [{ name: "GOOGLE_GEMINI_BASE_URL", path: "" }],
    };
  },
  reader: () => new GeminiReader(),
};

/**
 * It ends by `process.exit`, and Node drops what of its output nobody has read by then: the result, behind a long line. So
 * it waits for the reader. What it starts itself is left alone.
 */
const WHOLE_OUTPUT = `delete process.env.NODE_OPTIONS;
process.stdout._handle?.setBlocking?.(true);
`;

/** These two are run by the vendor, which the gateway does not let pass: so they are not offered. */
const POLICY = `[[rule]]
toolName = ["web_fetch", "google_web_search"]
decision = "deny"
priority = 999
`;

function settingsOf({ model = BEST, effort, turns, retries = RETRIES }: ProgramOptions): object {
  const thinking = effort === undefined ? {} : { generateContentConfig: { thinkingConfig: thinkingOf(model, effort) } };
  return {
    security: { auth: { selectedType: "gemini-api-key", useExternal: true }, folderTrust: { enabled: true } },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: retries + 1, plan: { enabled: false } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    hooksConfig: { enabled: false },
    skills: { enabled: false },
    experimental: { enableAgents: false },
    ...(turns === undefined ? {} : { model: { maxSessionTurns: turns } }),
    modelConfigs: {
      customAliases: Object.fromEntries(BESIDE.map((alias) => [alias, { modelConfig: { model } }])),
      ...(effort === undefined ? {} : { customOverrides: [{ match: { model }, modelConfig: thinking }] }),
    },
  };
}

/**
 * What it asks beside the work, by its names for it. By default that goes to other models, whose price nobody may know: an
 * answer of one would count as all the money that is left.
 */
const BESIDE = [
  "classifier",
  "edit-corrector",
  "llm-edit-fixer",
  "summarizer-default",
  "summarizer-shell",
  "loop-detection",
  "loop-detection-double-check",
  "next-speaker-checker",
  "context-snapshotter",
  "agent-history-provider-summarizer",
  ...["3-pro", "3-flash", "3.1-flash-lite", "2.5-pro", "2.5-flash", "2.5-flash-lite", "default"].map(
    (options) => `chat-compression-${options}`,
  ),
];

/** Tokens of thought for models of 2.5, which know no levels; the middle one is the program's own. */
const BUDGETS = { low: 1024, medium: 8192, high: 24_576 };

/** By the model's generation (ai.google.dev/gemini-api/docs/thinking). */
function thinkingOf(model: string, effort: "low" | "medium" | "high"): object {
  return model.includes("2.5") ? { thinkingBudget: BUDGETS[effort] } : { thinkingLevel: effort.toUpperCase() };
}

class GeminiReader implements ProgramReader {
  #result: JsonObject | undefined;
  /** Its last message, which comes in pieces. */
  #message = "";
  #shown = true;
  /** Why it stopped of which its result tells nothing. */
  #gaveUp: string | undefined;

  line(text: string): readonly string[] {
    const event = readEvent(text);
    switch (event?.["type"]) {
      case "message":
        return this.#piece(event);
      case "tool_use": {
        const said = this.#said();
        this.#message = "";
        return [...said, toolLine(event)];
      }
      case "error":
        return this.#error(textOf(event["message"]) ?? "an error without words");
      case "result":
        this.#result = event;
        return this.#said();
      default:
        return [];
    }
  }

  /** It gives up by itself where nothing helps. */
  fatal(): AgentStop | undefined {
    return undefined;
  }

  /** Finished is one whose result is a success, whose exit code is 0, and that did not stop in a loop: that is told as one too. */
  end(exitCode: number | null): ProgramEnd {
    const tokens = tokensOf(objectOf(this.#result?.["stats"]));
    const known = { costUsd: null, ...(tokens === undefined ? {} : { tokens }) };
    if (exitCode === TURNS_OVER) return { ...known, stop: { kind: "turns", says: "its turns are over" } };
    if (this.#result === undefined) return { ...known, stop: { kind: "unfinished", says: "it ended without a result" } };
    const failed = textOf(objectOf(this.#result["error"])?.["message"]);
    if (this.#result["status"] === "success" && exitCode === 0 && failed === undefined) {
      return this.#gaveUp === undefined ? known : { ...known, stop: { kind: "unfinished", says: this.#gaveUp } };
    }
    const says = failed ?? this.#gaveUp ?? "an error without words";
    return { ...known, stop: { kind: kindOf(says), says: shown(says), ...waitOf(says) } };
  }

  answer(): string {
    return this.#message;
  }

  #piece(event: JsonObject): readonly string[] {
    if (event["role"] !== "assistant") return [];
    this.#message = (this.#message + (textOf(event["content"]) ?? "")).slice(0, MOST_CHARS);
    this.#shown = false;
    return [];
  }

  /** What it has said since, as one line. */
  #said(): readonly string[] {
    if (this.#shown || this.#message.trim() === "") return [];
    this.#shown = true;
    return [shown(this.#message)];
  }

  #error(message: string): readonly string[] {
    this.#gaveUp = shown(message);
    return [...this.#said(), shown(message)];
  }
}

/** What a tool is used on. */
function toolLine(event: JsonObject): string {
  const input = objectOf(event["parameters"]);
  const about = ["command", "file_path", "path", "dir_path", "pattern", "query", "description"]
    .map((key) => textOf(input?.[key]))
    .find(Boolean);
  return shown(`${textOf(event["tool_name"]) ?? "a tool"}: ${about ?? ""}`);
}

/** Its count of input has what came from the cache in it. */
function tokensOf(stats: JsonObject | undefined): AgentTokens | undefined {
  if (stats === undefined) return undefined;
  const count = (name: string): number => numberOf(stats[name]) ?? 0;
  const cacheRead = count("cached");
  return { input: Math.max(0, count("input_tokens") - cacheRead), output: count("output_tokens"), cacheRead, cacheWrite: 0 };
}

/** What the status alone would call something else: a wrong key is 400 there, and so is a talk that is too long. */
const KINDS: readonly (readonly [RegExp, AgentStopKind])[] = [
  [/api.?key not valid|API_KEY_INVALID|"code":401/i, "authentication"],
  [/exceeds the maximum number of tokens|context window/i, "context"],
];

/** "unfinished" where its words do not tell: the API's last answer does. */
function kindOf(message: string): AgentStopKind {
  return KINDS.find(([pattern]) => pattern.test(message))?.[1] ?? "unfinished";
}

/** Google's words where a quota is used up. */
function waitOf(message: string): { retryAfterMs?: number } {
  const seconds = Number(/retry in ([\d.]{1,12})s\b/i.exec(message)?.[1]);
  return Number.isFinite(seconds) && seconds > 0 ? { retryAfterMs: Math.ceil(seconds * 1_000) } : {};
}
