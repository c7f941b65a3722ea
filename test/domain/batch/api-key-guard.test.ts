import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  apiKeyNames,
  apiKeyNamesInDotenv,
  apiKeyNamesInSettings,
  switchesBilling,
} from "../../../src/domain/batch/api-key-guard.ts";

/** Each moves the bill, or the request, of at least one agent's program. */
const SWITCHES = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "ANTHROPIC_BASE_URL",
  "ANTHROPIC_BEDROCK_BASE_URL",
  "ANTHROPIC_CUSTOM_HEADERS",
  "ANTHROPIC_FOUNDRY_API_KEY",
  "ANTHROPIC_FOUNDRY_RESOURCE",
  "ANTHROPIC_VERTEX_PROJECT_ID",
  "AWS_BEARER_TOKEN_BEDROCK",
  "AZURE_API_KEY",
  "AZURE_OPENAI_API_KEY",
  "AZURE_OPENAI_ENDPOINT",
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_FOUNDRY",
  "CLAUDE_CODE_USE_VERTEX",
  "CODEX_API_KEY",
  "CURSOR_API_KEY",
  "DEEPSEEK_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "GOOGLE_GEMINI_BASE_URL",
  "GOOGLE_GENAI_API_KEY",
  "GOOGLE_GENAI_USE_VERTEXAI",
  "GOOGLE_GENERATIVE_AI_API_KEY",
  "GROQ_API_KEY",
  "LITELLM_API_KEY",
  "MISTRAL_API_KEY",
  "MOONSHOT_API_KEY",
  "OPENAI_API_BASE",
  "OPENAI_API_KEY",
  "OPENAI_BASE_URL",
  "OPENAI_ORG_ID",
  "OPENCODE_API_KEY",
  "OPENROUTER_API_KEY",
  "XAI_API_KEY",
  "ZAI_API_KEY",
];

/** Near them, and no business of the bill: a run must not be refused for these. */
const HARMLESS = [
  "ANTHROPIC_LOG",
  "ANTHROPIC_MODEL",
  "API_KEY",
  "AWS_PROFILE",
  "AWS_REGION",
  "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "GITHUB_TOKEN",
  "GOOGLE_CLOUD_PROJECT",
  "GOOGLE_MAPS_API_KEY",
  "LINEAR_API_KEY",
  "MY_OPENAI_API_KEY",
  "OPENAI_API_KEY_FILE_NAME_HINT",
  "OPENAI_MODEL",
  "STRIPE_API_KEY",
  "VITE_OPENAI_API_KEY",
  "anthropic_api_key",
  "",
  "__proto__",
  "constructor",
];

describe("names that switch billing", () => {
  it.each(SWITCHES)("%s", (name) => expect(switchesBilling(name)).toBe(true));
  it.each(HARMLESS)("not %j", (name) => expect(switchesBilling(name)).toBe(false));
});

describe("an environment", () => {
  it("tells of what is set to something, sorted", () => {
    const environment = {
      XAI_API_KEY: "x",
      PATH: "/bin",
      OPENAI_API_KEY: "",
      GEMINI_API_KEY: "  ",
      GROQ_API_KEY: undefined,
      CODEX_API_KEY: "y",
    };
    expect(apiKeyNames(environment)).toEqual(["CODEX_API_KEY", "XAI_API_KEY"]);
    expect(apiKeyNames({})).toEqual([]);
  });

  it("never tells a value", () => {
    const entry = fc.tuple(fc.constantFrom(...SWITCHES, ...HARMLESS), fc.string({ minLength: 8 }));
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const known = new Set(SWITCHES);
        for (const name of apiKeyNames(Object.fromEntries(entries))) expect(known.has(name)).toBe(true);
      }),
    );
  });
});

describe("a .env file", () => {
  it.each([
    ["plain", "OPENAI_API_KEY=sk-1"],
    ["exported", "export OPENAI_API_KEY=sk-1"],
    ["exported, two blanks and a tab", "  export \t OPENAI_API_KEY = sk-1"],
    ["with a colon", "OPENAI_API_KEY: sk-1"],
    ["quoted", 'OPENAI_API_KEY="sk-1"'],
    ["with a quoted name", '"OPENAI_API_KEY"="sk-1"'],
    ["over several lines", 'OPENAI_API_KEY="\nsk-1\n"'],
    ["after a byte order mark", "\uFEFFOPENAI_API_KEY=sk-1"],
    ["with the line ends of Windows", "A=1\r\nOPENAI_API_KEY=sk-1\r\nB=2"],
    ["with the line ends of old Macs", "A=1\rOPENAI_API_KEY=sk-1\rB=2"],
    ["by reference", "OPENAI_API_KEY=$OTHER"],
    ["followed by a comment", "OPENAI_API_KEY=sk-1 # mine"],
    ["as the second of the same name", "OPENAI_API_KEY=\nOPENAI_API_KEY=sk-1"],
    ["without an end of line, last", "A=1\nOPENAI_API_KEY=sk-1"],
  ])("sets a key %s", (_, text) => expect(apiKeyNamesInDotenv(text)).toEqual(["OPENAI_API_KEY"]));

  it.each([
    ["commented out", "# OPENAI_API_KEY=sk-1"],
    ["empty", "OPENAI_API_KEY="],
    ["empty quotes", "OPENAI_API_KEY=\"\"\nCODEX_API_KEY=''"],
    ["empty but for a comment", "OPENAI_API_KEY= # put yours here"],
    ["only named", "OPENAI_API_KEY"],
    ["in a value", "NOTE=set OPENAI_API_KEY to your key"],
    ["another name", "VITE_OPENAI_API_KEY=sk-1"],
  ])("sets none where it is %s", (_, text) => expect(apiKeyNamesInDotenv(text)).toEqual([]));

  it("finds each of them once, among anything", () => {
    const noise = fc.array(fc.string().filter((line) => !/[\n\r]/.test(line) && apiKeyNamesInDotenv(line).length === 0));
    fc.assert(
      fc.property(noise, fc.constantFrom(...SWITCHES), noise, (before, name, after) => {
        const text = [...before, `${name}=value`, `export ${name}='other'`, ...after].join("\n");
        expect(apiKeyNamesInDotenv(text)).toEqual([name]);
      }),
      { numRuns: 500 },
    );
  });

  it("is read in time that grows with its length only", () => {
    const hostile = [" ".repeat(400_000), `export${" ".repeat(400_000)}`, `A${'"'.repeat(400_000)}`, `A=${" ".repeat(400_000)}x`];
    const begun = performance.now();
    for (const text of hostile) expect(apiKeyNamesInDotenv(text)).toEqual([]);
    expect(apiKeyNamesInDotenv(`OPENAI_API_KEY=${" ".repeat(400_000)}x`)).toEqual(["OPENAI_API_KEY"]);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});

describe("settings in JSON", () => {
  it.each([
    ['{"OPENAI_API_KEY": "sk"}', ["OPENAI_API_KEY"]],
    ['{"OPENAI_API_KEY": null, "tokens": {"OPENAI_API_KEY": "x"}}', []],
    [
      '{"env": {"ANTHROPIC_API_K\\u0045Y": "sk", "CLAUDE_CODE_USE_BEDROCK": 1, "ANTHROPIC_BASE_URL": " "}, "model": "x"}',
      ["ANTHROPIC_API_KEY", "CLAUDE_CODE_USE_BEDROCK"],
    ],
    ['{"apiKeyHelper": "~/key.sh"}', ["apiKeyHelper"]],
    ['\uFEFF{"env": {"GEMINI_API_KEY": "x"}}', ["GEMINI_API_KEY"]],
    ['{\n  // mine\n  "env": {\n    "ANTHROPIC_API_KEY": "sk",\n  },\n}', ["ANTHROPIC_API_KEY"]],
    ['{"env": "ANTHROPIC_API_KEY"}', []],
    ['{"XAI_API_KEY": "x", "env": {"GEMINI_API_KEY": "x", "XAI_API_KEY": "y"}}', ["GEMINI_API_KEY", "XAI_API_KEY"]],
    ['{"XAI_API\uFEFF_KEY": "x"}', []],
    ["null", []],
    ["", []],
  ])("%s", (text, names) => expect(apiKeyNamesInSettings(text)).toEqual(names));
});
