import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type AgentProgram, promptOnStdin } from "../../agent-program.ts";
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
        // With any value other than 1 it refuses to work as root.
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
};
