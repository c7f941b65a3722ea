import { readdir, readFile, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { asNumber, asString } from "@loopdash/values";
import { VENDORS } from "../../../domain/batch/vendors.ts";
import { errorCode } from "../../../domain/values/text.ts";
import type { LoginFormat } from "./login-format.ts";

/**
 * The login of Gemini CLI with Google: `oauth_creds.json`. Google wants the client id and "secret" of the installed program,
 * which are public. They are read from the program's files, so they are those of the program that logged in.
 */
export const geminiLogin: LoginFormat = {
  program: "gemini",
  command: VENDORS.gemini.login ?? "gemini",
  tokenUrl: "https://oauth2.googleapis.com/token",
  file: (env) => join(env["GEMINI_CLI_HOME"] || env["HOME"] || homedir(), ".gemini", "oauth_creds.json"),
  read(kept) {
    const access = asString(kept["access_token"]);
    if (!access) return "it has no login with Google";
    const refresh = asString(kept["refresh_token"]) || undefined;
    return { access, refresh, expiresAt: asNumber(kept["expiry_date"]), headers: {} };
  },
  async refresh({ token, programPath }) {
    const client = await findClient(programPath);
    if (client === undefined) return "the files of the installed gemini program have no client id";
    const body = new URLSearchParams({ ...client, grant_type: "refresh_token", refresh_token: token }).toString();
    return { headers: { "content-type": "application/x-www-form-urlencoded" }, body };
  },
  renewed(kept, answer, now) {
    const seconds = asNumber(answer["expires_in"]);
    if (!asString(answer["access_token"]) || seconds === undefined) return undefined;
    const { expires_in: _, ...fresh } = answer;
    return { ...kept, ...fresh, expiry_date: now + seconds * 1_000 };
  },
  lifetime: (answer) => asNumber(answer["expires_in"]),
};

const ID = /\bOAUTH_CLIENT_ID\s*=\s*["'](\d+-[a-z0-9]+\.apps\.googleusercontent\.com)["']/;
const SECRET = /\bOAUTH_CLIENT_SECRET\s*=\s*["']([\w-]{20,80})["']/;

/** The program's client id and secret, from the scripts in the folder of its start script. */
async function findClient(program: string): Promise<{ readonly client_id: string; readonly client_secret: string } | undefined> {
  const folder = dirname(await realpath(program));
  for (const name of await scriptsIn(folder)) {
    const text = await readFile(join(folder, name), "utf8");
    const [id, secret] = [ID.exec(text)?.[1], SECRET.exec(text)?.[1]];
    if (id !== undefined && secret !== undefined) return { client_id: id, client_secret: secret };
  }
  return undefined;
}

async function scriptsIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith(".js"));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}
