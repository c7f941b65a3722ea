import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type AgentProgram, type ProgramOptions, promptOnStdin } from "../../agent-program.ts";
import type { InstalledGuard } from "../../guard-files.ts";
import { openaiPrices } from "../codex/prices.ts";
import { opencodeEvents } from "./events.ts";

/** Retries of a failed request. opencode would retry for ever, waiting up to half a minute each time (1.18.33). */
const RETRIES = 4;
/**
 * Limits, in tokens, that any present model supports: near the first opencode summarises the conversation, and the second bounds
 * one answer. Without them it does neither.
 */
const LIMIT = { context: 128_000, output: 16_000 };
/** The host at which it uses the Responses API: the other API refuses the bound of an answer there. */
const OPENAI = "api.openai.com";

/**
 * opencode, with any model behind an API like OpenAI's. Our sandbox is around it, so everything is permitted. The repository's
 * `opencode.json` and `.opencode/` (plugins are programs) stay out, and so do plugins, skills and downloads of any kind. All its
 * files are in the session folder. The key is a placeholder: the gateway inserts the real one.
 */
export const opencode: AgentProgram = {
  kind: "opencode",
  tested: "1.18.33",
  api: "openai",
  baseUrl: "https://api.openai.com/v1",
  keyHeader: "bearer",
  prices: openaiPrices,
  homeEnv: () => ({}),
  events: opencodeEvents,
  handsOn: () => true,
  async prepare({ session, guard }, options) {
    const { program, model } = options;
    if (model === undefined) throw new TypeError("opencode needs a model");
    // The guard's folder is read-only in the sandbox.
    const settings = join(guard?.folder ?? session, "opencode.json");
    const folders = await foldersIn(session);
    const plugins = guard === undefined ? {} : { plugin: [await writePlugin(guard)] };
    await writeFile(settings, `${JSON.stringify({ ...opencodeSettings(options, model), ...plugins }, undefined, 2)}\n`, {
      mode: 0o600,
    });
    // Our title saves a request for one.
    const argv = [program, "run", "--format", "json", "--auto", "--title", "loopdash", "--model", `loopdash/${model}`];
    return {
      argv: untilMet(guard?.stopScript, argv),
      env: {
        ...folders,
        ...SWITCHES,
        ...(guard === undefined ? { OPENCODE_PURE: "1" } : {}),
        OPENCODE_CONFIG: settings,
        LOOPDASH_MODEL_KEY: "held-by-the-gateway",
      },
      baseUrls: [{ name: "LOOPDASH_MODEL_URL", path: "/v1" }],
    };
  },
  failures: ({ retries = RETRIES }) => retries + 1,
};

/**
 * The command line of a session that goes on as long as the stop guard tells something: what is unmet is the next message of the same session. The
 * shell's script is constant; texts reach the program by its stdin alone.
 */
function untilMet(stopScript: string | undefined, argv: readonly string[]): readonly string[] {
  return stopScript === undefined ? promptOnStdin(argv) : ["/bin/sh", "-c", UNTIL_MET, "sh", stopScript, ...argv];
}

const UNTIL_MET = [
  'stop=$1; shift; "$@" < "$LOOPDASH_PROMPT" || exit',
  'while unmet=$("$stop" 2>&1 > /dev/null); [ $? -eq 2 ]; do printf "%s\\n" "$unmet" | "$@" --continue || exit; done',
].join("; ");

const SWITCHES = Object.fromEntries(
  [
    ...["DISABLE_PROJECT_CONFIG", "DISABLE_DEFAULT_PLUGINS", "DISABLE_EXTERNAL_SKILLS", "DISABLE_CLAUDE_CODE_SKILLS"],
    ...["DISABLE_MODELS_FETCH", "DISABLE_AUTOUPDATE", "DISABLE_LSP_DOWNLOAD", "DISABLE_SHARE"],
  ].map((name) => [`OPENCODE_${name}`, "1"]),
);

/** Writes the guard's plugin; gives its address. */
async function writePlugin({ folder, plugin }: InstalledGuard): Promise<string> {
  const file = join(folder, "loopdash-guard.js");
  await writeFile(file, plugin, { mode: 0o600 });
  return pathToFileURL(file).href;
}

/** The folders of its files and of its settings. */
async function foldersIn(session: string): Promise<Readonly<Record<string, string>>> {
  const names = ["config", "data", "state", "cache"];
  await Promise.all(names.map((name) => mkdir(join(session, name), { mode: 0o700 })));
  return Object.fromEntries(names.map((name) => [`XDG_${name.toUpperCase()}_HOME`, join(session, name)]));
}

function opencodeSettings({ effort, baseUrl }: ProgramOptions, model: string): object {
  const openai = baseUrl === undefined || new URL(baseUrl).hostname === OPENAI;
  const thinks = effort === undefined ? {} : { reasoning: true, options: { reasoningEffort: effort } };
  return {
    autoupdate: false,
    share: "disabled",
    // Copies of the worktree after each step, for undo.
    snapshot: false,
    permission: "allow",
    // Requests beside the work go to the same model.
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
