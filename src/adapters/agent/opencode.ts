import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentStop, AgentTokens } from "../../ports/agent.ts";
import { type AgentProgram, type ProgramEnd, type ProgramOptions, type ProgramReader, promptOnStdin } from "./agent-program.ts";
import { stopOfStatus } from "./by-status.ts";
import { type JsonObject, numberOf, objectOf, readEvent, shown, textOf } from "./json-events.ts";

/** Tries of a failed request after the first. It would try for ever, waiting up to half a minute each time (1.18.33). */
const RETRIES = 4;
/**
 * What any model of today takes and gives in tokens: near the first it sums its talk up, and the second bounds one answer.
 * Without them it would do neither.
 */
const LIMIT = { context: 128_000, output: 16_000 };
/** Where it asks for its model by the Responses API: the other one refuses there what bounds an answer. */
const OPENAI = "api.openai.com";

/**
 * opencode, with any model behind an API like OpenAI's. Our sandbox is around it, so everything is permitted. The repository's
 * `opencode.json` and `.opencode/` (plugins are programs) stay out, and so do plugins, skills and downloads of any kind. All that
 * it keeps is in the session folder. The key is a placeholder: the gateway puts the real one in.
 */
export const opencode: AgentProgram = {
  kind: "opencode",
  api: "openai",
  async prepare({ session }, options) {
    const { program, model } = options;
    if (model === undefined) throw new TypeError("opencode needs a model");
    const settings = join(session, "opencode.json");
    const folders = await foldersIn(session);
    await writeFile(settings, `${JSON.stringify(settingsOf(options, model), undefined, 2)}\n`, { mode: 0o600 });
    return {
      // A title of ours saves a request for one.
      argv: promptOnStdin([program, "run", "--format", "json", "--auto", "--title", "loopdash", "--model", `loopdash/${model}`]),
      env: { ...folders, ...SWITCHES, OPENCODE_CONFIG: settings, LOOPDASH_MODEL_KEY: "held-by-the-gateway" },
      baseUrls: [{ name: "LOOPDASH_MODEL_URL", path: "/v1" }],
    };
  },
  reader: () => new OpencodeReader(),
  failures: ({ retries = RETRIES }) => retries + 1,
};

const SWITCHES = Object.fromEntries(
  [
    ...["DISABLE_PROJECT_CONFIG", "PURE", "DISABLE_DEFAULT_PLUGINS", "DISABLE_EXTERNAL_SKILLS", "DISABLE_CLAUDE_CODE_SKILLS"],
    ...["DISABLE_MODELS_FETCH", "DISABLE_AUTOUPDATE", "DISABLE_LSP_DOWNLOAD", "DISABLE_SHARE"],
  ].map((name) => [`OPENCODE_${name}`, "1"]),
);

/** What it keeps, and where it looks for settings of its own. */
async function foldersIn(session: string): Promise<Readonly<Record<string, string>>> {
  const names = ["config", "data", "state", "cache"];
  await Promise.all(names.map((name) => mkdir(join(session, name), { mode: 0o700 })));
  return Object.fromEntries(names.map((name) => [`XDG_${name.toUpperCase()}_HOME`, join(session, name)]));
}

function settingsOf({ effort, baseUrl }: ProgramOptions, model: string): object {
  const openai = baseUrl === undefined || new URL(baseUrl).hostname === OPENAI;
  const thinks = effort === undefined ? {} : { reasoning: true, options: { reasoningEffort: effort } };
  return {
    autoupdate: false,
    share: "disabled",
    // Copies of the worktree after each step, to go back to.
    snapshot: false,
    permission: "allow",
    // What it asks beside the work is asked of the same model.
    small_model: `loopdash/${model}`,
    provider: {
      loopdash: {
        npm: openai ? "@ai-sdk/openai" : "@ai-sdk/openai-compatible",
        name: "loopdash",
        options: { baseURL: "{env:LOOPDASH_MODEL_URL}", apiKey: "{env:LOOPDASH_MODEL_KEY}" },
        models: { [model]: { name: model, tool_call: true, limit: LIMIT, ...thinks } },
      },
    },
    enabled_providers: ["loopdash"],
  };
}

class OpencodeReader implements ProgramReader {
  #error: AgentStop | undefined;
  /** Why its last step ended. */
  #reason: string | undefined;
  /** A tool was asked for and never used: its last step says "stop" all the same. */
  #interrupted = false;
  #steps = 0;
  #tokens: AgentTokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  #texts: string[] = [];

  line(text: string): readonly string[] {
    const event = readEvent(text);
    const part = objectOf(event?.["part"]);
    switch (event?.["type"]) {
      case "step_start":
        this.#reason = undefined;
        this.#interrupted = false;
        this.#texts = [];
        return [];
      case "text":
        return this.#text(textOf(part?.["text"]) ?? "");
      case "tool_use":
        this.#interrupted = objectOf(objectOf(part?.["state"])?.["metadata"])?.["interrupted"] === true;
        return [toolLine(part)];
      case "step_finish":
        this.#finish(part);
        return [];
      case "error":
        this.#error = errorOf(objectOf(event["error"]));
        return [this.#error.says];
      default:
        return [];
    }
  }

  /** It ends by itself after an error that it does not try again. */
  fatal(): AgentStop | undefined {
    return undefined;
  }

  /** Finished is one without an error whose last step came to a stop and whose exit code is 0. */
  end(exitCode: number | null): ProgramEnd {
    const known = { costUsd: null, ...(this.#steps === 0 ? {} : { tokens: this.#tokens }) };
    if (this.#error !== undefined) return { ...known, stop: this.#error };
    if (this.#reason === "stop" && exitCode === 0 && !this.#interrupted) return known;
    return { ...known, stop: { kind: "unfinished", says: this.#unfinished() } };
  }

  #unfinished(): string {
    if (this.#interrupted) return "it never used the last tool that it was asked to";
    return this.#reason === undefined ? "it ended without a result" : `its last step ended by "${shown(this.#reason)}"`;
  }

  answer(): string {
    return this.#texts.join("\n");
  }

  #text(text: string): readonly string[] {
    if (text.trim() === "") return [];
    this.#texts.push(text);
    return [shown(text)];
  }

  #finish(part: JsonObject | undefined): void {
    this.#reason = textOf(part?.["reason"]);
    this.#steps += 1;
    const tokens = objectOf(part?.["tokens"]);
    const cache = objectOf(tokens?.["cache"]);
    const { input, output, cacheRead, cacheWrite } = this.#tokens;
    this.#tokens = {
      input: input + (numberOf(tokens?.["input"]) ?? 0),
      output: output + (numberOf(tokens?.["output"]) ?? 0) + (numberOf(tokens?.["reasoning"]) ?? 0),
      cacheRead: cacheRead + (numberOf(cache?.["read"]) ?? 0),
      cacheWrite: cacheWrite + (numberOf(cache?.["write"]) ?? 0),
    };
  }
}

/** Tools are told of when they have ended. */
function toolLine(part: JsonObject | undefined): string {
  const input = objectOf(objectOf(part?.["state"])?.["input"]);
  const about = ["command", "filePath", "path", "pattern", "description"].map((key) => textOf(input?.[key])).find(Boolean);
  return shown(`${textOf(part?.["tool"]) ?? "a tool"}: ${about ?? ""}`);
}

/** Its own names of errors, for those that come without a status. */
const BY_NAME: Readonly<Record<string, AgentStop["kind"]>> = {
  ProviderAuthError: "authentication",
  ContextOverflowError: "context",
  MessageOutputLengthError: "context",
};

function errorOf(error: JsonObject | undefined): AgentStop {
  const data = objectOf(error?.["data"]);
  const name = textOf(error?.["name"]) ?? "";
  const says = shown(textOf(data?.["message"]) ?? name) || "an error without words";
  const status = numberOf(data?.["statusCode"]);
  return { kind: (status === undefined ? undefined : stopOfStatus(status)) ?? BY_NAME[name] ?? "unfinished", says };
}
