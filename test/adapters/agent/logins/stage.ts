import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type StandIn, standIn } from "../../../../packages/model-gateway/test/stage.ts";
import { Login, type LoginOptions } from "../../../../src/adapters/agent/logins/login.ts";
import type { LoginFormat } from "../../../../src/adapters/agent/logins/login-format.ts";

export const HOUR = 3_600_000;

/** A JSON Web Token as OpenAI's: nobody verifies it here. */
export function jwt(id: string, expiresAt: number, issuedAt = expiresAt - HOUR): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const auth = { chatgpt_account_id: "acc-1" };
  const claims = { jti: id, iat: issuedAt / 1_000, exp: expiresAt / 1_000, "https://api.openai.com/auth": auth };
  return `${part({ alg: "none" })}.${part(claims)}.c2ln`;
}

/** The n-th tokens of a login, as its vendor gives them, and as its program keeps them. */
interface Vendor {
  readonly access: (n: number, expiresAt: number) => string;
  readonly kept: (n: number, expiresAt: number) => object;
  readonly answer: (n: number, expiresAt: number) => object;
}

export const VENDOR: Readonly<Record<"claude" | "codex" | "gemini", Vendor>> = {
  claude: {
    access: (n) => `sk-ant-access-${n}-0123456789`,
    kept: (n, expiresAt) => ({
      claudeAiOauth: {
        accessToken: VENDOR.claude.access(n, expiresAt),
        refreshToken: `refresh-${n}`,
        expiresAt,
        scopes: ["user:inference", "user:profile"],
        subscriptionType: "max",
      },
      other: { kept: true },
    }),
    answer: (n, expiresAt) => ({
      access_token: VENDOR.claude.access(n, expiresAt),
      refresh_token: `refresh-${n}`,
      expires_in: HOUR / 1_000,
    }),
  },
  codex: {
    access: (n, expiresAt) => jwt(`access-${n}`, expiresAt),
    kept: (n, expiresAt) => ({
      auth_mode: "chatgpt",
      OPENAI_API_KEY: null,
      tokens: { id_token: "id", access_token: jwt(`access-${n}`, expiresAt), refresh_token: `refresh-${n}`, account_id: "acc-1" },
      last_refresh: "2026-01-01T00:00:00.000Z",
    }),
    answer: (n, expiresAt) => ({ access_token: jwt(`access-${n}`, expiresAt), refresh_token: `refresh-${n}` }),
  },
  gemini: {
    access: (n) => `ya29.access-${n}-0123456789`,
    kept: (n, expiresAt) => ({
      access_token: VENDOR.gemini.access(n, expiresAt),
      refresh_token: "refresh-1",
      expiry_date: expiresAt,
      token_type: "Bearer",
    }),
    answer: (n, expiresAt) => ({
      access_token: VENDOR.gemini.access(n, expiresAt),
      expires_in: HOUR / 1_000,
      token_type: "Bearer",
    }),
  },
};

/** Writes a login's file as its program does. */
export function keep(file: string, kept: object, mode = 0o600): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(kept), { mode });
}

export const keptIn = (file: string): Record<string, unknown> => JSON.parse(readFileSync(file, "utf8"));

/** A folder as an installed Gemini CLI has it: its files tell its client. Gives the program's path. */
export function geminiProgram(folder: string): string {
  mkdirSync(`${folder}/bundle`, { recursive: true });
  const [id, word] = ["123-abc.apps.googleusercontent.com", ["client", "word", "of", "a", "test"].join("-")];
  writeFileSync(`${folder}/bundle/chunk.js`, `var OAUTH_CLIENT_ID = "${id}";\nvar OAUTH_CLIENT_SECRET = "${word}";\n`);
  writeFileSync(`${folder}/bundle/gemini.js`, "");
  return `${folder}/bundle/gemini.js`;
}

/** A token endpoint whose refresh tokens can be used once: the n-th gives the n+1-th. */
export function tokenEndpoint(
  answer: (n: number) => object,
  onAsk: () => Promise<void> = async () => undefined,
): Promise<StandIn> {
  let n = 1;
  return standIn((_req, res, { body }) => {
    const wanted = `refresh-${n}`;
    const answered = async () => {
      if (!body.includes(wanted)) return void res.writeHead(400).end(JSON.stringify({ error: "invalid_grant" }));
      n += 1;
      await onAsk();
      res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer(n)));
    };
    answered().catch((error: unknown) => res.destroy(error instanceof Error ? error : undefined));
  });
}

export function loginIn(folder: string, format: LoginFormat, port: number, over: Partial<LoginOptions> = {}): Login {
  return new Login({
    format,
    env: { HOME: folder },
    programPath: "/nowhere",
    tokenUrl: `http://127.0.0.1:${port}/token`,
    ...over,
  });
}
