import { homedir } from "node:os";
import { join } from "node:path";
import { asList, asNumber, asObject, asString } from "@loopdash/values";
import { VENDORS } from "../../../domain/batch/vendors.ts";
import type { LoginFormat } from "./login-format.ts";

/** Claude Code's public client id; the file may name another one (in the program, 2.1.330). */
const CLIENT_ID = "9d1c250a-e61b-44d9-88ed-5944d1962f5e";

/** The login of Claude Code: `claudeAiOauth` in `.credentials.json` of its folder. Each refresh gives another refresh token. */
export const claudeLogin: LoginFormat = {
  program: "claude",
  command: VENDORS.claude.login ?? "claude",
  tokenUrl: "https://platform.claude.com/v1/oauth/token",
  file: (env) => join(env["CLAUDE_CONFIG_DIR"] || join(env["HOME"] || homedir(), ".claude"), ".credentials.json"),
  // Claude Code's own lock, by the same name and made in the same way (proper-lockfile).
  ownLock: (file) => join(file, "..", ".oauth_refresh.lock"),
  read(kept) {
    const login = asObject(kept["claudeAiOauth"]);
    const access = asString(login?.["accessToken"]);
    if (!access) return "it has no login of claude.ai";
    return {
      access,
      refresh: asString(login?.["refreshToken"]) || undefined,
      expiresAt: asNumber(login?.["expiresAt"]),
      headers: {},
    };
  },
  async refresh({ token, kept }) {
    const login = asObject(kept["claudeAiOauth"]);
    const scopes = asList(login?.["scopes"]).filter((scope) => typeof scope === "string");
    const body = {
      grant_type: "refresh_token",
      refresh_token: token,
      client_id: asString(login?.["clientId"]) ?? CLIENT_ID,
      ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
    };
    return { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  },
  renewed(kept, answer, now) {
    const login = asObject(kept["claudeAiOauth"]);
    const accessToken = asString(answer["access_token"]);
    const seconds = asNumber(answer["expires_in"]);
    if (!accessToken || seconds === undefined) return undefined;
    const refreshToken = asString(answer["refresh_token"]) ?? login?.["refreshToken"];
    return { ...kept, claudeAiOauth: { ...login, accessToken, refreshToken, expiresAt: now + seconds * 1_000 } };
  },
  lifetime: (answer) => asNumber(answer["expires_in"]),
};
