import type { CodeAssistAccount } from "@loopdash/model-gateway";
import { asObject, asString, isObject } from "@loopdash/values";
import { type Login, LoginRequired } from "./login.ts";
import { post } from "./post.ts";

/** Time for an answer about the account. Milliseconds. */
const ANSWER_MS = 20_000;
/** The words in which Gemini CLI names itself (0.61.0). */
const PROGRAM = { ideType: "IDE_UNSPECIFIED", platform: "PLATFORM_UNSPECIFIED", pluginType: "GEMINI" };

export interface CodeAssistOptions {
  readonly login: Pick<Login, "value" | "renew" | "command">;
  readonly baseUrl: string;
  /** The environment of the person who starts loopdash: GOOGLE_CLOUD_PROJECT names the project of a paid account. */
  readonly env: NodeJS.ProcessEnv;
  /** Certificates (PEM) that Google's is checked against; default: Node's own. */
  readonly ca?: string | undefined;
}

/** Asks Google once for the account of a login. Rejects with LoginRequired if only a person can help. */
export function createCodeAssist(options: CodeAssistOptions): () => Promise<CodeAssistAccount> {
  let known: Promise<CodeAssistAccount> | undefined;
  return () => {
    known ??= load(options).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

async function load({ login, baseUrl, env, ca }: CodeAssistOptions): Promise<CodeAssistAccount> {
  const named = env["GOOGLE_CLOUD_PROJECT"] || env["GOOGLE_CLOUD_PROJECT_ID"] || undefined;
  const metadata = { ...PROGRAM, ...(named === undefined ? {} : { duetProject: named }) };
  const body = JSON.stringify({ ...(named === undefined ? {} : { cloudaicompanionProject: named }), metadata });
  const ask = (token: string) =>
    post({
      url: `${baseUrl.replace(/(?<!\/)\/+$/, "")}/v1internal:loadCodeAssist`,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      ...{ body, timeoutMs: ANSWER_MS, proxyEnv: env, ca },
    });
  const token = await login.value();
  let { status, text } = await ask(token);
  if (status === 401) ({ status, text } = await ask(await login.renew(token)));
  if (status === 401 || status === 403)
    throw new LoginRequired(`Google refused the login of gemini (${status}). Run ${login.command}`);
  const answer: unknown = status === 200 ? JSON.parse(text) : undefined;
  if (!isObject(answer)) throw new Error(`Google answers ${status} to a question about the account`);
  const project = asString(answer["cloudaicompanionProject"]) || named;
  const tier = asString(asObject(answer["paidTier"])?.["id"]) ?? asString(asObject(answer["currentTier"])?.["id"]);
  if (project !== undefined && tier !== undefined) return { project, tier };
  throw new LoginRequired(
    "Google names no project for the login of gemini. Start gemini yourself once, or set GOOGLE_CLOUD_PROJECT for a paid account",
  );
}
