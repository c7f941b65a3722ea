import { homedir } from "node:os";
import { join } from "node:path";
import { asNumber, asObject, asString } from "@loopdash/values";
import { VENDORS } from "../../../domain/batch/vendors.ts";
import { type LoginFormat, readJwtClaims } from "./login-format.ts";

/** Codex's public client id (in the program, 0.169.0). */
const CLIENT_ID = "app_EMoamEEZ73f0CkXaXp7hrann";
const CLAIMS = "https://api.openai.com/auth";

/** The login of Codex with ChatGPT: `tokens` in `auth.json` of its folder. Each refresh gives another refresh token. */
export const codexLogin: LoginFormat = {
  program: "codex",
  command: VENDORS.codex.login ?? "codex",
  tokenUrl: "https://auth.openai.com/oauth/token",
  file: (env) => join(env["CODEX_HOME"] || join(env["HOME"] || homedir(), ".codex"), "auth.json"),
  read(kept) {
    const tokens = asObject(kept["tokens"]);
    const access = asString(tokens?.["access_token"]);
    if (!access) return "it has no login with ChatGPT";
    const claims = readJwtClaims(access);
    const account = asString(tokens?.["account_id"]) || asString(asObject(claims?.[CLAIMS])?.["chatgpt_account_id"]);
    const seconds = asNumber(claims?.["exp"]);
    return {
      access,
      refresh: asString(tokens?.["refresh_token"]) || undefined,
      expiresAt: seconds === undefined ? undefined : seconds * 1_000,
      headers: Object.fromEntries(account === undefined ? [] : [["chatgpt-account-id", account]]),
    };
  },
  async refresh({ token }) {
    const body = JSON.stringify({ client_id: CLIENT_ID, grant_type: "refresh_token", refresh_token: token });
    return { headers: { "content-type": "application/json" }, body };
  },
  renewed(kept, answer, now) {
    if (!asString(answer["access_token"])) return undefined;
    const fresh = ["id_token", "access_token", "refresh_token"].filter((name) => asString(answer[name]));
    const tokens = { ...asObject(kept["tokens"]), ...Object.fromEntries(fresh.map((name) => [name, answer[name]])) };
    return { ...kept, tokens, last_refresh: new Date(now).toISOString() };
  },
  lifetime(answer) {
    const claims = readJwtClaims(asString(answer["access_token"]) ?? "");
    const [from, until] = [asNumber(claims?.["iat"]), asNumber(claims?.["exp"])];
    return from === undefined || until === undefined ? asNumber(answer["expires_in"]) : until - from;
  },
};
