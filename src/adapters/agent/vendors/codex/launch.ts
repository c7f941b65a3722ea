import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentProgram } from "../../agent-program.ts";
import type { InstalledGuard } from "../../guard-files.ts";
import { codexEvents } from "./events.ts";
import { openaiPrices } from "./prices.ts";
import { codexSessions } from "./session-logs.ts";

/** Retries of a request, and of a stream that breaks. */
const RETRIES = 4;
/** Milliseconds without a byte in a stream. */
const IDLE_MS = 300_000;

/** The gateway's address is known only inside: the script reads it, and nothing else, from the environment. */
const SCRIPT = 'exec "$@" -c "model_providers.loopdash.base_url=\\"$LOOPDASH_MODEL_URL\\"" - < "$LOOPDASH_PROMPT"';

/**
 * Codex. Our sandbox is around it, so its own is off: inside, a linked worktree could not be committed to. Its home is the
 * session folder, with our configuration; a repository's own configuration and hooks are not trusted and do not run. It has no
 * prices and no bound of turns: the gateway counts, and the attempt's time bounds.
 */
export const codex: AgentProgram = {
  kind: "codex",
  tested: "0.169.0",
  api: "openai",
  baseUrl: "https://api.openai.com/v1",
  keyHeader: "bearer",
  // Its requests there are the same as with a key (measured with 0.169.0), so it is started in the same way.
  subscription: { api: "openai", baseUrl: "https://chatgpt.com/backend-api/codex" },
  prices: openaiPrices,
  homeEnv: (folder) => ({ CODEX_HOME: folder }),
  events: codexEvents,
  sessions: codexSessions,
  async prepare({ session, guard }, { program, model, effort, retries = RETRIES }) {
    await writeFile(join(session, "config.toml"), codexConfigToml(retries), { mode: 0o600 });
    return {
      argv: [
        ...["/bin/sh", "-c", SCRIPT, "sh", program, "exec", "--json", "--color", "never", "--ephemeral", "--ignore-rules"],
        ...["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
        ...(guard === undefined ? [] : hookArguments(guard)),
        ...(model === undefined ? [] : ["--model", model]),
        ...(effort === undefined ? [] : ["-c", `model_reasoning_effort="${effort}"`]),
      ],
      env: { CODEX_HOME: session, LOOPDASH_MODEL_KEY: "held-by-the-gateway" },
      baseUrls: [{ name: "LOOPDASH_MODEL_URL", path: "/v1" }],
    };
  },
};

/** Hooks on the command line, which nothing in a file changes. Without the switch it skips hooks that no person has trusted. */
function hookArguments({ codexOverrides }: InstalledGuard): readonly string[] {
  return ["--dangerously-bypass-hook-trust", ...codexOverrides.flatMap((value) => ["-c", value])];
}

function codexConfigToml(retries: number): string {
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
