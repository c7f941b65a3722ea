import { objectMembers, readJson } from "@loopdash/values";
import { listPrograms, type Party } from "./party.ts";
import type { Batch } from "./schema.ts";
import { VENDORS } from "./vendors.ts";

/**
 * Names of environment variables that contain a key for a model, or that send an agent's program to another account or another
 * host. Any of them may silently move the bill from a subscription to a metered key. Only names matter here: a value is only
 * checked for being set.
 */

/** The variable prefixes of everybody who sells or passes on model answers; vendors with a program are in vendors.ts. */
const SELLERS = [
  "AI_GATEWAY",
  "AMP",
  "AZURE_AI",
  "AZURE_COGNITIVE_SERVICES",
  "AZURE_FOUNDRY",
  "BASETEN",
  "BEDROCK",
  "CEREBRAS",
  "CHUTES",
  "COHERE",
  "CO",
  "CURSOR",
  "DASHSCOPE",
  "DEEPINFRA",
  "DEEPSEEK",
  "FACTORY",
  "FIREWORKS",
  "GROK",
  "GROQ",
  "KIMI",
  "LITELLM",
  "MINIMAX",
  "MISTRAL",
  "MOONSHOT",
  "NEBIUS",
  "NVIDIA",
  "NVIDIA_NIM",
  "OLLAMA",
  "OPENROUTER",
  "PERPLEXITY",
  "PERPLEXITYAI",
  "QWEN",
  "REPLICATE",
  "SAMBANOVA",
  "TOGETHER",
  "TOGETHERAI",
  "TOGETHER_AI",
  "VERTEX",
  "XAI",
  "ZAI",
  "Z_AI",
  "ZHIPU",
  "ZHIPUAI",
] as const;

/** Parts of names that mark a credential or the address of requests. */
const PARTS = "API_?KEYS?|AUTH_TOKEN|API_TOKEN|ACCESS_TOKEN|API_BASE|API_URL|API_HOST|BASE_URL|CUSTOM_HEADERS";

const OF_A_VENDOR = new RegExp(
  `^(?:${[...SELLERS, ...Object.values(VENDORS).flatMap(({ variables }) => variables)].join("|")})_(?:${PARTS})$`,
);

/** Whole families in which every member decides who answers and who pays. */
const FAMILIES = /^(?:GOOGLE_GENAI|AZURE_OPENAI|ANTHROPIC_(?:BEDROCK|VERTEX|FOUNDRY|AWS)|CLAUDE_CODE_USE)_[A-Z0-9_]+$/;

/** Names that fit no pattern. */
const OTHERS: ReadonlySet<string> = new Set([
  "ANTHROPIC_UNIX_SOCKET",
  "AWS_BEARER_TOKEN_BEDROCK",
  "AZURE_API_KEY",
  "CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR",
  "OPENAI_ORGANIZATION",
  "OPENAI_ORG_ID",
  "OPENAI_PROJECT_ID",
]);

/** True if a variable of this name can change who pays for an agent, or who answers it. */
export function switchesBilling(name: string): boolean {
  return OF_A_VENDOR.test(name) || FAMILIES.test(name) || OTHERS.has(name);
}

/** The set names of an environment that switch billing. Sorted. */
export function apiKeyNames(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.keys(environment)
    .filter((name) => switchesBilling(name) && (environment[name] ?? "").trim() !== "")
    .sort();
}

/**
 * An assignment as any of the usual loaders understands one: with or without `export`, "=" or ":", quotes around the name. It
 * accepts more than any one loader: a surplus name leads to a question, a missed one to a bill.
 */
const ASSIGNMENT = /^[\s\uFEFF]*(?:(?:export|set|setenv)\s+)?["']?([A-Za-z_][A-Za-z0-9_]*)["']?\s*[=:](.*)$/;

/** Parts of a trimmed value that are nothing to a loader: empty quotes, a comment. */
const NOTHING = /^(?:""|''|``)?\s*(?:#.*)?$/;

/** The names that a `.env` file sets and that switch billing. Sorted, each once. */
export function apiKeyNamesInDotenv(text: string): readonly string[] {
  const names = new Set<string>();
  for (const line of text.split(/\r\n|\n|\r/)) {
    const [, name = "", value = ""] = ASSIGNMENT.exec(line) ?? [];
    if (switchesBilling(name) && !NOTHING.test(value.trim())) names.add(name);
  }
  return [...names].sort();
}

/** Claude Code runs this helper to get a key (code.claude.com/docs/en/settings). */
const HELPER = "apiKeyHelper";

/**
 * The names that a settings file in JSON sets and that switch billing, at its top (Codex's `auth.json`) or under `env` (Claude
 * Code's settings). Invalid JSON is read line by line, because some program may still read it. Sorted, each once.
 */
export function apiKeyNamesInSettings(text: string): readonly string[] {
  let read: unknown;
  try {
    read = readJson(text.replace(/^\uFEFF/, ""));
  } catch {
    return apiKeyNamesInDotenv(text);
  }
  const top = objectMembers(read);
  const all = [...Object.entries(top), ...Object.entries(objectMembers(top["env"]))];
  const found = all.filter(([name, value]) => (switchesBilling(name) || name === HELPER) && isSet(value));
  return [...new Set(found.map(([name]) => name))].sort();
}

/**
 * True if a key of this machine could pay for what the batch starts. It cannot if no vendor's program is started and nothing
 * leaves the sandbox: a confined command has no network unless the batch opens a host, and loopdash's variables are not in its
 * environment. Without a sandbox a command may find a key by itself.
 */
export function canBeBilled({ sandboxPolicy, ...batch }: Pick<Batch, Party | "sandboxPolicy">, isConfined: boolean): boolean {
  if (!isConfined || listPrograms(batch).some(({ spec }) => spec.kind !== "command")) return true;
  return Object.values(sandboxPolicy?.hosts ?? {}).some((hosts) => hosts.length > 0);
}

function isSet(value: unknown): boolean {
  return value !== null && value !== undefined && String(value).trim() !== "";
}
