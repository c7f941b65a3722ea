import { generateKeyPair } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { PlatformSpec } from "../../../../domain/batch/platform-spec.ts";
import { type AgentProgram, type ProgramOptions, promptOnStdin } from "../../agent-program.ts";
import { geminiEvents } from "./events.ts";
import { geminiPrices } from "./prices.ts";

/** Retries of a failed request; Gemini CLI's own default is nine, about two minutes. */
const RETRIES = 4;
/** The best of its models; the program itself resolves this name. Without a name it asks a model which one to use. */
const BEST = "pro";
/** Its exit code at the turn limit (docs/cli/headless.md of 0.61.0). */
const TURNS_OVER = 53;

/**
 * Gemini CLI. Our sandbox is around it, so its own permissions are off (`--yolo`). That needs a folder that it trusts, and from a
 * trusted folder it loads `.gemini/settings.json` with hooks and servers, and `.env`. It reads settings before `--skip-trust`,
 * which trusts the folder for the session only. If trust is required (`folderTrust`), it treats the settings as an untrusted
 * folder's, and does not load them. `useExternal` prevents a second reading of `.env`, which comes after trust (measured with
 * 0.61.0). Its home is the session folder. The key is a placeholder: the gateway inserts the real one.
 */
export const gemini: AgentProgram = {
  kind: "gemini",
  tested: "0.61.0",
  api: "gemini",
  baseUrl: "https://generativelanguage.googleapis.com",
  keyHeader: "x-goog-api-key",
  subscription: { api: "code-assist", baseUrl: "https://cloudcode-pa.googleapis.com" },
  prices: geminiPrices,
  // Without the second it starts itself again, to have more memory.
  homeEnv: (folder) => ({ GEMINI_CLI_HOME: folder, GEMINI_CLI_NO_RELAUNCH: "1" }),
  events: geminiEvents,
  exitStops: { [TURNS_OVER]: { kind: "turns", says: "it reached its turn limit" } },
  handsOn: (model) => model.startsWith("gemini-"),
  async prepare({ session, guard }, input) {
    const home = join(session, ".gemini");
    await mkdir(join(home, "policies"), { recursive: true, mode: 0o700 });
    const settings = join(home, "settings.json");
    const hooks =
      guard === undefined ? { hooksConfig: { enabled: false } } : { hooksConfig: { enabled: true }, hooks: guard.hooks };
    await writeFile(settings, `${JSON.stringify({ ...geminiSettings(input), ...hooks }, undefined, 2)}\n`, { mode: 0o600 });
    await writeFile(join(home, "policies", "loopdash.toml"), POLICY, { mode: 0o600 });
    const whole = join(session, "whole-output.cjs");
    await writeFile(whole, WHOLE_OUTPUT, { mode: 0o600 });
    const { program, model = BEST, platform } = input;
    // Not in the environment: the program that starts it here is Node too.
    const options = `NODE_OPTIONS=--require=${JSON.stringify(whole)}`;
    const flags = ["--output-format", "stream-json", "--yolo", "--skip-trust", "--model", model];
    return {
      argv: promptOnStdin(["/usr/bin/env", options, program, ...flags]),
      env: {
        ...gemini.homeEnv(session),
        ...(platform === undefined ? placeholderVariables(input) : await onVertex(platform, session)),
      },
      baseUrls: [{ name: addressVariable(input), path: "" }],
      // System settings would do as well, and it skips those below a folder such as /tmp (measured with 0.61.0).
      ...(guard === undefined ? {} : { readOnly: [settings, join(home, "policies")] }),
    };
  },
};

/** True if it is to use Google's Code Assist, the API for logins, instead of the Gemini API. */
function hasLogin({ billing }: { readonly billing?: ProgramOptions["billing"] | undefined }): boolean {
  return billing === "subscription";
}

/** The variable with the address of its API. */
function addressVariable({ billing, platform }: Pick<ProgramOptions, "billing" | "platform">): string {
  if (hasLogin({ billing })) return "CODE_ASSIST_ENDPOINT";
  return platform === undefined ? "GOOGLE_GEMINI_BASE_URL" : "GOOGLE_VERTEX_BASE_URL";
}

/** A placeholder for the key. If it has a token, it neither reads a login nor refreshes one. */
function placeholderVariables(options: Pick<ProgramOptions, "billing">): Readonly<Record<string, string>> {
  const held = "held-by-the-gateway";
  return hasLogin(options) ? { GOOGLE_GENAI_USE_GCA: "true", GOOGLE_CLOUD_ACCESS_TOKEN: held } : { GEMINI_API_KEY: held };
}

/**
 * Its settings for Vertex AI. It addresses a project only if it has the credentials of a service account, so it gets those of an
 * account that does not exist. Because of the account's own `universe_domain`, it signs its tokens itself and requests none
 * (measured with 0.61.0). The gateway replaces them with the real token.
 */
async function onVertex(platform: PlatformSpec, session: string): Promise<Readonly<Record<string, string>>> {
  const file = join(session, "placeholder-account.json");
  const { privateKey } = await promisify(generateKeyPair)("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const account = {
    type: "service_account",
    project_id: "held-by-the-gateway",
    private_key_id: "held-by-the-gateway",
    private_key: privateKey,
    client_email: "held-by-the-gateway@gateway.invalid",
    universe_domain: "gateway.invalid",
  };
  await writeFile(file, JSON.stringify(account), { mode: 0o600 });
  const { kind, region } = platform;
  return {
    GOOGLE_GENAI_USE_VERTEXAI: "true",
    GOOGLE_APPLICATION_CREDENTIALS: file,
    GOOGLE_CLOUD_LOCATION: region,
    ...(kind === "vertex" ? { GOOGLE_CLOUD_PROJECT: platform.project } : {}),
  };
}

/**
 * It ends by `process.exit`, and Node then drops unread output: the result, behind a long line. So it waits for the reader. Its
 * own child processes are not affected.
 */
const WHOLE_OUTPUT = `delete process.env.NODE_OPTIONS;
process.stdout._handle?.setBlocking?.(true);
`;

/** The vendor runs these two, which the gateway does not allow: so they are not offered. */
const POLICY = `[[rule]]
toolName = ["web_fetch", "google_web_search"]
decision = "deny"
priority = 999
`;

function geminiSettings({ model = BEST, effort, turns, platform, retries = RETRIES, billing }: ProgramOptions): object {
  const thinking = effort === undefined ? {} : { generateContentConfig: { thinkingConfig: thinkingConfig(model, effort) } };
  const byKey = platform === undefined ? "gemini-api-key" : "vertex-ai";
  return {
    security: {
      auth: { selectedType: hasLogin({ billing }) ? "oauth-personal" : byKey, useExternal: true },
      folderTrust: { enabled: true },
    },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: retries + 1, plan: { enabled: false } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
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
 * Gemini CLI's names for its requests beside the work. By default they go to other models, whose price may be unknown: an answer
 * of one would count as all the money that is left.
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

/** Tokens of thought for models of 2.5, which have no levels; the middle one is the program's own. */
const BUDGETS = { low: 1024, medium: 8192, high: 24_576 };

/** By the model's generation (ai.google.dev/gemini-api/docs/thinking). */
function thinkingConfig(model: string, effort: "low" | "medium" | "high"): object {
  return model.includes("2.5") ? { thinkingBudget: BUDGETS[effort] } : { thinkingLevel: effort.toUpperCase() };
}
