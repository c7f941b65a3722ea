import { runBriefly } from "../../executor/brief-run.ts";
import type { Setting } from "../git/git-call.ts";

/** The user's settings and variables, with which git reaches a remote as the user does. */
export interface RemoteAccess {
  readonly settings: readonly Setting[];
  readonly env: Readonly<Record<string, string>>;
}

/** A protocol by which git reaches a remote. */
export type RemoteProtocol = "file" | "http" | "https" | "ssh";

/** Variables that git, ssh and curl need to reach a remote as the user does. A worker is given none of them. */
const VARIABLES = [
  ...["HOME", "USER", "LOGNAME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR"],
] as const;

/** The user's own settings for addresses, http and credentials. The repository's are left out: a worker's code may have run near it. */
const OWN_SETTINGS = "^(http|credential|url)\\.|^core\\.sshcommand$";
const TIMEOUT_MS = 20_000;

/** The protocol of a remote's address; undefined for any that loopdash does not use. */
export function remoteProtocol(address: string): RemoteProtocol | undefined {
  const scheme = /^([a-z+]+):\/\//i.exec(address)?.[1]?.toLowerCase();
  if (scheme === undefined) return /^[^/]*:(?!\/\/)/.test(address) && !address.startsWith("/") ? "ssh" : "file";
  if (scheme === "git+ssh" || scheme === "ssh+git") return "ssh";
  return (["file", "http", "https", "ssh"] as const).find((each) => each === scheme);
}

/** Reads the user's own settings, by which git would reach the remote for the user. Nobody is there to answer a question. */
export async function remoteAccess(env: NodeJS.ProcessEnv): Promise<RemoteAccess> {
  const known = Object.fromEntries(VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name] ?? ""]])));
  const finds = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"];
  const where = Object.fromEntries(finds.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name] ?? ""]])));
  const path = env["PATH"] ?? "/usr/bin:/bin";
  const scopes = await Promise.all(
    ["--system", "--global"].map((scope) =>
      runBriefly(["git", "config", scope, "-z", "--get-regexp", OWN_SETTINGS], {
        env: { PATH: path, ...known, ...where },
        timeoutMs: TIMEOUT_MS,
      }),
    ),
  );
  const settings = scopes
    .flatMap(({ stdout }) => stdout.split("\0"))
    .flatMap((entry): Setting[] => {
      const [name = "", ...value] = entry.split("\n");
      return name === "" ? [] : [[name, value.join("\n")]];
    });
  return { settings, env: { ...known, GIT_SSH_COMMAND: sshCommand(settings, known) } };
}

/** A connection by ssh is dead if it is not made within a minute, or if its host answers nothing for a minute (ssh_config(5)). */
const SSH_BOUNDS = "-o ConnectTimeout=60 -o ServerAliveInterval=15 -o ServerAliveCountMax=4";

/** ssh that asks nobody anything. An option of the user's own counts before these. */
function sshCommand(settings: readonly Setting[], env: Readonly<Record<string, string>>): string {
  const own = settings.findLast(([name]) => name === "core.sshcommand")?.[1];
  return `${env["GIT_SSH_COMMAND"] ?? own ?? "ssh"} -o BatchMode=yes ${SSH_BOUNDS}`;
}

/** Settings that send a token to the host of this address, and to no other. */
export function tokenSettings(
  address: string,
  { user, token }: { readonly user: string; readonly token: string },
): readonly Setting[] {
  const basic = Buffer.from(`${user}:${token}`).toString("base64");
  return [
    // An empty value takes back what the user's own settings add.
    ["credential.helper", ""],
    [`http.${new URL(address).origin}/.extraHeader`, ""],
    [`http.${new URL(address).origin}/.extraHeader`, `Authorization: Basic ${basic}`],
    ["http.followRedirects", "false"],
  ];
}
