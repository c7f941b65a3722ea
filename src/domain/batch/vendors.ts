import { z } from "zod";
import type { PlatformSpec } from "./platform-spec.ts";

/** The facts about a vendor's program that the checks of a batch need before any of it is loaded. Absent switches are false. */
interface VendorFacts {
  readonly title: string;
  /** Whose models it runs, unless the model's name tells otherwise. */
  readonly maker: string;
  /** A pattern for the names of that maker's models, in lower case. */
  readonly models?: RegExp;
  /** It has no model of its own. */
  readonly needsModel?: true;
  /** It can be billed to a subscription: by the login that it keeps on this machine. */
  readonly takesSubscription?: true;
  /** What a person runs to log in. */
  readonly login?: string;
  /** Clouds whose own APIs it supports. */
  readonly platforms?: readonly PlatformSpec["kind"][];
  /** Its subscription can also be used by a long-lived token, from a variable or a secret. */
  readonly takesToken?: true;
  /** It logs people's sessions on this machine, with what each answer used. */
  readonly logsSessions?: true;
  /** Names that it resolves itself: to the newest model of a line, or to whatever an account has. */
  readonly aliases?: { readonly lines: readonly string[]; readonly any: readonly string[] };
  /** Prefixes of its variables and of its maker's: see api-key-guard.ts. */
  readonly variables: readonly string[];
  /** Files that it loads by itself and that can hold such variables, below a folder that is worked in, and below a home. */
  readonly loads?: { readonly inFolder: LoadedFiles; readonly inHome: LoadedFiles };
}

interface LoadedFiles {
  readonly dotenv: readonly string[];
  /** JSON, with variables at its top or under `env`. */
  readonly settings: readonly string[];
}

const CLAUDE_SETTINGS: LoadedFiles = { dotenv: [], settings: [".claude/settings.json", ".claude/settings.local.json"] };
const GEMINI_DOTENV: LoadedFiles = { dotenv: [".gemini/.env"], settings: [] };

const FACTS = {
  claude: {
    title: "Claude Code",
    maker: "Anthropic",
    models: /claude/,
    takesSubscription: true,
    login: "claude, then /login",
    platforms: ["bedrock", "vertex"],
    takesToken: true,
    logsSessions: true,
    aliases: { lines: ["opus", "sonnet", "haiku"], any: ["default", "best", "opusplan"] },
    variables: ["ANTHROPIC", "CLAUDE", "CLAUDE_CODE"],
    // code.claude.com/docs/en/settings
    loads: { inFolder: CLAUDE_SETTINGS, inHome: CLAUDE_SETTINGS },
  },
  codex: {
    title: "Codex",
    maker: "OpenAI",
    models: /gpt|codex|^o\d/,
    takesSubscription: true,
    login: "codex login",
    logsSessions: true,
    variables: ["CODEX", "OPENAI"],
    loads: { inFolder: { dotenv: [], settings: [] }, inHome: { dotenv: [".codex/.env"], settings: [".codex/auth.json"] } },
  },
  gemini: {
    title: "Gemini CLI",
    maker: "Google",
    models: /gemini|gemma/,
    platforms: ["vertex"],
    takesSubscription: true,
    login: "gemini, then /auth",
    variables: ["GEMINI", "GOOGLE", "GOOGLE_GEMINI", "GOOGLE_GENERATIVE_AI", "GOOGLE_VERTEX"],
    // geminicli.com/docs/reference/configuration
    loads: { inFolder: GEMINI_DOTENV, inHome: GEMINI_DOTENV },
  },
  opencode: { title: "opencode", maker: "opencode", needsModel: true, variables: ["OPENCODE"] },
} satisfies Readonly<Record<string, VendorFacts>>;

/** A vendor's program that can be an agent, or a reviewer. */
export type VendorKind = keyof typeof FACTS;

export const VENDORS: Readonly<Record<VendorKind, VendorFacts>> = FACTS;

/** The programs of which this holds, in order. */
export function vendorsWith(holds: (facts: VendorFacts) => boolean): readonly VendorKind[] {
  return (Object.keys(FACTS) as VendorKind[]).filter((kind) => holds(VENDORS[kind]));
}

/** The form in which a batch names each program: its kind, with these fields. */
export function vendorSpecs<Fields extends z.ZodRawShape>(fields: Fields) {
  const vendorSchema = <Kind extends VendorKind>(kind: Kind) =>
    z.strictObject({ kind: z.literal(kind).describe(VENDORS[kind].title), ...fields });
  return [vendorSchema("claude"), vendorSchema("codex"), vendorSchema("gemini"), vendorSchema("opencode")] as const;
}
