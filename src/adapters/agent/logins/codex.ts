import { homedir } from "node:os";
import { join } from "node:path";
import { VENDORS } from "../../../domain/batch/vendors.ts";
import { numberOf, objectOf, textOf } from "../../json.ts";
import { claimsOf, type LoginFormat } from "./login-format.ts";

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
    const tokens = objectOf(kept["tokens"]);
    const access = textOf(tokens?.["access_token"]);
    if (!access) return "it has no login with ChatGPT";
    const claims = claimsOf(access);
    const account = textOf(tokens?.["account_id"]) || textOf(objectOf(claims?.[CLAIMS])?.["chatgpt_account_id"]);
    const seconds = numberOf(claims?.["exp"]);
    return {
      access,
      refresh: textOf(tokens?.["refresh_token"]) || undefined,
      expiresAt: seconds === undefined ? undefined : seconds * 1_000,
      headers: account === undefined ? {} : { "chatgpt-account-id": account },
    };
  },
  async refresh({ token }) {
    const body = JSON.stringify({ client_id: CLIENT_ID, grant_type: "refresh_token", refresh_token: token });
    return { headers: { "content-type": "application/json" }, body };
  },
  renewed(kept, answer, now) {
    if (!textOf(answer["access_token"])) return undefined;
    const fresh = ["id_token", "access_token", "refresh_token"].filter((name) => textOf(answer[name]));
    const tokens = { ...objectOf(kept["tokens"]), ...Object.fromEntries(fresh.map((name) => [name, answer[name]])) };
    return { ...kept, tokens, last_refresh: new Date(now).toISOString() };
  },
  lifetime(answer) {
    const claims = claimsOf(textOf(answer["access_token"]) ?? "");
    const [from, until] = [numberOf(claims?.["iat"]), numberOf(claims?.["exp"])];
    return from === undefined || until === undefined ? numberOf(answer["expires_in"]) : until - from;
  },
};
