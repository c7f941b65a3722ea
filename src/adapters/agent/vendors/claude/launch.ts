import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PlatformSpec } from "../../../../domain/batch/platform-spec.ts";
import { type AgentProgram, type ProgramLaunch, type ProgramOptions, promptOnStdin } from "../../agent-program.ts";
import { claudeEvents } from "./events.ts";
import { anthropicPrices } from "./prices.ts";
import { claudeSessions } from "./session-logs.ts";

/**
 * Retries of a request. Claude Code's default of ten takes 180 s, also for a wrong key (measured with 2.1.330); four take about
 * 15 s and outlive a transient.
 */
const RETRIES = 4;
/** Milliseconds that one request may take; its default is ten minutes. The silence limit of the attempt is the other bound. */
const REQUEST_MS = 300_000;

/**
 * Claude Code. In the sandbox it may do what it likes, so its own permissions are off. Settings of the user, the repository and
 * of MCP servers stay out (a planted `.claude/settings.json` runs its hooks without asking), and nothing is kept between
 * attempts. The key is a placeholder: the gateway inserts the real one.
 */
export const claude: AgentProgram = {
  kind: "claude",
  tested: "2.1.330",
  api: "anthropic",
  baseUrl: "https://api.anthropic.com",
  keyHeader: "x-api-key",
  prices: anthropicPrices,
  homeEnv: (folder) => ({ CLAUDE_CONFIG_DIR: folder }),
  events: claudeEvents,
  sessions: claudeSessions,
  async prepare({ session, guard }, { program, model, effort, turns, usdPerAttempt, billing, platform, retries = RETRIES }) {
    // The guard's folder is read-only in the sandbox.
    const settings = join(guard?.folder ?? session, "loopdash.json");
    await writeFile(settings, `${JSON.stringify(guard === undefined ? {} : { hooks: guard.hooks })}\n`, { mode: 0o600 });
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
        ...(platform === undefined ? placeholderKey(billing) : onPlatform(platform, model)),
        // With any value other than 1 it refuses to work as root.
        IS_SANDBOX: "1",
        CLAUDE_CODE_MAX_RETRIES: String(retries),
        API_TIMEOUT_MS: String(REQUEST_MS),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_TELEMETRY: "1",
        DISABLE_ERROR_REPORTING: "1",
        DISABLE_AUTOUPDATER: "1",
      },
      baseUrls: [baseUrlOn(platform)],
    };
  },
};

function placeholderKey(billing: ProgramOptions["billing"]): Readonly<Record<string, string>> {
  return { [billing === "subscription" ? "CLAUDE_CODE_OAUTH_TOKEN" : "ANTHROPIC_API_KEY"]: "held-by-the-gateway" };
}

/** Its variable for the URL of its API. For Vertex, that URL ends with the version. */
function baseUrlOn(platform: ProgramOptions["platform"]): ProgramLaunch["baseUrls"][number] {
  if (platform === undefined) return { name: "ANTHROPIC_BASE_URL", path: "" };
  return platform.kind === "bedrock"
    ? { name: "ANTHROPIC_BEDROCK_BASE_URL", path: "" }
    : { name: "ANTHROPIC_VERTEX_BASE_URL", path: "/v1" };
}

/**
 * Its settings for a cloud. It adds no credential, because the gateway does. Without the names of models it probes at its start
 * which ones the account has, by requests that cost money, and uses a small one for requests beside the work (measured with
 * 2.1.330).
 */
function onPlatform(platform: PlatformSpec, model: string | undefined): Readonly<Record<string, string>> {
  const names = ["FABLE", "OPUS", "SONNET", "HAIKU"].map((line) => `ANTHROPIC_DEFAULT_${line}_MODEL`);
  const models = model === undefined ? {} : Object.fromEntries(names.map((name) => [name, model]));
  if (platform.kind === "bedrock")
    return { CLAUDE_CODE_USE_BEDROCK: "1", CLAUDE_CODE_SKIP_BEDROCK_AUTH: "1", AWS_REGION: platform.region, ...models };
  return {
    ...{ CLAUDE_CODE_USE_VERTEX: "1", CLAUDE_CODE_SKIP_VERTEX_AUTH: "1" },
    ...{ ANTHROPIC_VERTEX_PROJECT_ID: platform.project, CLOUD_ML_REGION: platform.region, ...models },
  };
}
