import { createHash, randomUUID } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { exchange } from "../../executor/exchange.ts";
import type { SigningSettings } from "../repository/git-identity.ts";

/** Time for a signature, also for a person who touches a key. */
const TIMEOUT_MS = 60_000;
/** Signatures that are remembered: one of OpenPGP holds the time, and a candidate that is built again must stay the same commit. */
const REMEMBERED = 1000;

/** What agents of keys need. No child of an agent or a step ever gets these. */
const NEEDS = ["HOME", "PATH", "GNUPGHOME", "SSH_AUTH_SOCK", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "DBUS_SESSION_BUS_ADDRESS"];

/** A commit that must be signed was not signed, so there is no commit. It says nothing about any change. */
export class SigningFailed extends Error {
  override readonly name = "SigningFailed";
}

/** Makes the signature of a commit's text, as git does. Throws SigningFailed. */
export type Signer = (text: string) => Promise<string>;

/** A signer with git's settings. `who` is the committer, whose key OpenPGP takes by default. `scratch` is a private folder. */
export function createSigner(
  settings: SigningSettings,
  { who, scratch, env }: { readonly who: string; readonly scratch: string; readonly env: NodeJS.ProcessEnv },
): Signer {
  const known = new Map<string, string>();
  const needed = Object.fromEntries(NEEDS.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name] ?? ""]])));
  // Nobody is there to answer: a key with a passphrase needs an agent.
  const silent = { ...needed, LC_ALL: "C", SSH_ASKPASS: "/bin/false", SSH_ASKPASS_REQUIRE: "force" };
  return async (text) => {
    const sha = createHash("sha256").update(text).digest("hex");
    const before = known.get(sha);
    if (before !== undefined) return before;
    const file = join(scratch, `sign-${randomUUID()}`);
    try {
      await writeFile(file, text, { mode: 0o600 });
      const signature = await (settings.format === "ssh"
        ? bySsh(settings, file, silent)
        : byGpg(settings, { file, who, env: silent }));
      if (known.size >= REMEMBERED) known.clear();
      known.set(sha, signature);
      return signature;
    } finally {
      for (const end of ["", ".sig", ".pub"]) await rm(`${file}${end}`, { force: true });
    }
  };
}

async function bySsh({ key, program }: SigningSettings, file: string, env: Readonly<Record<string, string>>): Promise<string> {
  if (key === undefined) throw new SigningFailed("the commit cannot be signed: git's user.signingKey names no SSH key");
  const literal = /^(?:key::)?((?:ssh-|ecdsa-|sk-)\S+ .*)$/.exec(key)?.[1];
  if (literal !== undefined) await writeFile(`${file}.pub`, `${literal}\n`, { mode: 0o600 });
  const by = literal === undefined ? ["-f", key] : ["-f", `${file}.pub`, "-U"];
  await mustSign([program, "-Y", "sign", "-n", "git", ...by, file], file, env);
  return (await readFile(`${file}.sig`, "utf8")).replaceAll("\r", "");
}

async function byGpg(
  { key, program }: SigningSettings,
  { file, who, env }: { readonly file: string; readonly who: string; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  const args = ["--batch", "--status-fd=2", "-bsau", key ?? who, "--output", `${file}.sig`, file];
  const stderr = await mustSign([program, ...args], file, env);
  if (!stderr.includes("[GNUPG:] SIG_CREATED ")) throw failed(program, stderr, "it made no signature");
  return (await readFile(`${file}.sig`, "utf8")).replaceAll("\r", "");
}

/** Runs a signer, and all that it starts, within its time. Returns its stderr; throws SigningFailed unless it exits with 0. */
async function mustSign(argv: readonly string[], file: string, env: Readonly<Record<string, string>>): Promise<string> {
  const bounds = { timeoutMs: TIMEOUT_MS, maxBytes: 2 ** 20, purpose: "signing a commit" };
  const ended = await exchange({ argv, cwd: dirname(file), env, input: "", ...bounds });
  if (ended.how === "exited" && ended.exitCode === 0) return ended.stderr;
  const late = `it did not sign within ${TIMEOUT_MS / 1000} s, and was ended: it may wait for a passphrase or a touch of a key`;
  const said = ended.how === "failed-to-start" || ended.how === "out-of-time" ? "" : ended.stderr;
  const why = ended.how === "failed-to-start" ? ended.why : ended.how === "out-of-time" ? late : `it ${ended.how}`;
  throw failed(argv[0] ?? "", said, why);
}

function failed(program: string, stderr: string, problem: string): SigningFailed {
  const said = stderr
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("[GNUPG:]"))
    .join(" ");
  return new SigningFailed(`the commit cannot be signed: ${program}: ${(said || problem).slice(0, 400)}`);
}

/** The header of a signature in a commit (gitformat-signature(5)). `format` is the repository's hash. */
export function signatureHeader(signature: string, format: string): string {
  return `${format === "sha256" ? "gpgsig-sha256" : "gpgsig"} ${signature.trimEnd().replaceAll("\n", "\n ")}`;
}
