import { homedir } from "node:os";
import { join } from "node:path";
import { runBriefly } from "../../executor/brief-run.ts";
import { parseConfig } from "./locate.ts";

/** The configuration of a repository and its user that decides how commits look. */
export interface GitIdentity {
  /** `Name <mail>`; undefined if git knows none. */
  readonly author: string | undefined;
  readonly committer: string | undefined;
  /** True if commit.gpgSign is set. */
  readonly isSigned: boolean;
  readonly signing: SigningSettings;
}

/** How a signature is made: git's settings gpg.* and user.signingKey. */
export interface SigningSettings {
  readonly format: "openpgp" | "x509" | "ssh";
  readonly key: string | undefined;
  readonly program: string;
}

const TIMEOUT_MS = 20_000;
/** What git itself needs to find its configuration. It starts no program for this question. */
const FINDS = ["HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"];

/** Reads the identity and signing settings that git itself would use for a commit by hand in this repository. */
export async function gitIdentity(path: string, env: NodeJS.ProcessEnv): Promise<GitIdentity> {
  const args = ["config", "-z", "--show-scope", "--get-regexp", "^(user|author|committer|gpg|commit)\\."];
  // A program is the person's own choice: whoever made the clone could name one in its configuration.
  const counts = (scope: string, name: string): boolean => !name.endsWith("program") || !/^(?:local|worktree)$/.test(scope);
  const settings = parseConfig(await asPerson(path, args, env), counts);
  const at = (...keys: string[]): string | undefined => keys.map((key) => settings.get(key)).find((value) => value);
  const person = (name: string | undefined, mail: string | undefined): string | undefined => {
    const [plain, address] = [name, mail].map((text) => text?.replace(/[<>\p{Cc}]/gu, "").trim());
    return plain && address ? `${plain} <${address.replace(/\s/g, "")}>` : undefined;
  };
  const of = (role: "author" | "committer"): string | undefined => {
    const variable = `GIT_${role.toUpperCase()}`;
    const name = env[`${variable}_NAME`] ?? at(`${role}.name`, "user.name");
    return person(name, env[`${variable}_EMAIL`] ?? at(`${role}.email`, "user.email"));
  };
  return {
    author: of("author"),
    committer: of("committer"),
    isSigned: isTrue(settings.get("commit.gpgsign")),
    signing: signing(at, env),
  };
}

/** The address of the remote `origin` as git itself uses it, with `url.<base>.insteadOf`; "" if there is none. */
export async function originUrl(path: string, env: NodeJS.ProcessEnv): Promise<string> {
  return (await asPerson(path, ["remote", "get-url", "origin"], env)).trim();
}

/** What git prints with the configuration of its user. */
async function asPerson(path: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const known = Object.fromEntries(FINDS.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name] ?? ""]])));
  const options = { env: { PATH: env["PATH"] ?? "/usr/bin:/bin", ...known }, timeoutMs: TIMEOUT_MS };
  return (await runBriefly(["git", "-C", path, ...args], options)).stdout;
}

function signing(at: (...keys: string[]) => string | undefined, env: NodeJS.ProcessEnv): SigningSettings {
  const home = (path: string): string => (path.startsWith("~/") ? join(env["HOME"] ?? homedir(), path.slice(2)) : path);
  const asked = at("gpg.format");
  const format = asked === "ssh" || asked === "x509" ? asked : "openpgp";
  const key = at("user.signingkey");
  const own = format === "openpgp" ? at("gpg.openpgp.program", "gpg.program") : at(`gpg.${format}.program`);
  const program = own ?? { openpgp: "gpg", x509: "gpgsm", ssh: "ssh-keygen" }[format];
  return { format, key: key === undefined ? undefined : home(key), program: home(program) };
}

/** A boolean of git's configuration; a key without a value is true. */
function isTrue(value: string | undefined): boolean {
  return value !== undefined && /^(?:|true|yes|on|[1-9]\d*)$/i.test(value);
}
