import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type AgentProgram, type ProgramOptions, promptOnStdin } from "../../agent-program.ts";
import { geminiEvents } from "./events.ts";
import { geminiPrices } from "./prices.ts";

/** Tries of a failed request after the first; its own default is nine, about two minutes. */
const RETRIES = 4;
/** The best of its models, as the program itself understands this name; without one it asks a model which to take. */
const BEST = "pro";
/** Its exit code where its turns are over (docs/cli/headless.md of 0.61.0). */
const TURNS_OVER = 53;

/**
 * Gemini CLI. Our sandbox is around it, so its own permissions are off (`--yolo`). That needs a folder that it trusts, and of a
 * trusted folder it loads `.gemini/settings.json` with hooks and servers, and `.env`. It reads settings before it looks at
 * `--skip-trust`, which trusts the folder for the session only; where trust is asked for (`folderTrust`), they are read as those
 * of a stranger's folder, and so not at all. `useExternal` keeps it from a second look at `.env`, which comes after trust
 * (measured with 0.61.0). Its home is the session folder. The key is a placeholder: the gateway puts the real one in.
 */
export const gemini: AgentProgram = {
  kind: "gemini",
  tested: "0.61.0",
  api: "gemini",
  baseUrl: "https://generativelanguage.googleapis.com",
  keyHeader: "x-goog-api-key",
  prices: geminiPrices,
  // Without the second it starts itself once more, to have more memory.
  homeEnv: (folder) => ({ GEMINI_CLI_HOME: folder, GEMINI_CLI_NO_RELAUNCH: "1" }),
  events: geminiEvents,
  exitStops: { [TURNS_OVER]: { kind: "turns", says: "its turns are over" } },
  handsOn: (model) => model.startsWith("gemini-"),
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
        ...gemini.homeEnv(session),
        GEMINI_API_KEY: "held-by-the-gateway",
      },
      baseUrls: [{ name: "GOOGLE_GEMINI_BASE_URL", path: "" }],
    };
  },
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
