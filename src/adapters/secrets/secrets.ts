import { readFileSync, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { SecretUnavailable } from "@loopdash/model-gateway";
import type { SecretSpec, SecretSpecs } from "../../domain/batch/secret-spec.ts";
import { errorCode, plainText } from "../../domain/values/text.ts";
import type { Secrets } from "../../ports/secrets.ts";
import { runBriefly } from "../executor/brief-run.ts";
import type { LearningMasker } from "./masker.ts";

/** Time for a command to print a value. Milliseconds; some ask a server. */
const FETCH_MS = 60_000;
/** Bytes of the largest file or output that is a value. */
const LARGEST = 64 * 1024;
/** Characters of the shortest value: a shorter one would be masked in harmless text, and can be guessed. */
const SHORTEST = 8;
/** Characters of a command's stderr in a message. */
const SAID_CHARS = 300;
/** Words of stderr that may be a value nobody has seen yet: long, with letters and digits. */
const LIKE_A_VALUE = /(?<![\w+=~.-])(?=[\w+=~.-]*\d)(?=[\w+=~.-]*[A-Za-z])[\w+=~.-]{16,}/g;
/** The least time between two fetches because a value was refused. Milliseconds. A request loop must not become a command loop. */
const RENEW_EVERY_MS = 10_000;

export interface SecretsOptions {
  readonly specs: SecretSpecs;
  /** Learns each value before anybody gets it. */
  readonly masker: LearningMasker;
  /** The folder of the batch file, in which commands run. */
  readonly folder: string;
  /** loopdash's own environment: variables are read from it, and commands get it. */
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds; for tests. */
  readonly fetchMs?: number;
  /** A clock in milliseconds; for tests. */
  readonly now?: () => number;
}

interface Held {
  readonly bytes: Buffer;
  readonly at: number;
}

/** Creates the secrets of a batch. Nothing is fetched before it is needed. */
export function createSecrets(options: SecretsOptions): Secrets {
  const { specs, masker, now = () => performance.now() } = options;
  const held = new Map<string, Held>();
  const fetches = new Map<string, Promise<string>>();
  const secretSpec = (name: string): SecretSpec => {
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
    if (spec === undefined) throw new SecretUnavailable(`the batch has no secret "${name}"`);
    return spec;
  };
  const fetchNow = async (name: string, spec: SecretSpec): Promise<string> => {
    const value = checked(name, spec, await readValue(name, spec, options));
    masker.learn(name, value);
    held.get(name)?.bytes.fill(0);
    held.set(name, { bytes: Buffer.from(value), at: now() });
    return value;
  };
  const fetchOnce = (name: string, spec: SecretSpec): Promise<string> => {
    const underWay = fetches.get(name);
    if (underWay !== undefined) return underWay;
    const fetched = fetchNow(name, spec).finally(() => fetches.delete(name));
    fetches.set(name, fetched);
    return fetched;
  };
  return {
    async get(name) {
      const spec = secretSpec(name);
      const had = held.get(name);
      const forMs = (spec.expiresAfterMinutes ?? Number.POSITIVE_INFINITY) * 60_000;
      return had !== undefined && now() - had.at < forMs ? had.bytes.toString() : fetchOnce(name, spec);
    },
    async preload() {
      const atHand = Object.entries(specs).filter(([, { command }]) => command === undefined);
      // Read again when needed, so that a value put there meanwhile counts.
      const learnOne = async (name: string, spec: SecretSpec) =>
        masker.learn(name, checked(name, spec, await readValue(name, spec, options)));
      await Promise.all(atHand.map(([name, spec]) => learnOne(name, spec).catch(ifUnavailable)));
    },
    async renew(name, refused) {
      const had = held.get(name);
      const value = had?.bytes.toString();
      if (had === undefined || value === undefined) return fetchOnce(name, secretSpec(name));
      if (value !== refused || now() - had.at < RENEW_EVERY_MS) return value;
      return fetchOnce(name, secretSpec(name));
    },
    forget() {
      for (const { bytes } of held.values()) bytes.fill(0);
      held.clear();
    },
  };
}

/** Ignores a secret that has no value now. The step that needs it reports it. */
function ifUnavailable(error: unknown): undefined {
  if (!(error instanceof SecretUnavailable)) throw error;
}

/** The value without line ends behind it, which editors and commands add. Throws a SecretUnavailable if it is unfit. */
function checked(name: string, { env, file }: SecretSpec, text: string): string {
  const unfit = unfitSecret(text);
  const source = env ?? file;
  const from = source === undefined ? "" : ` from ${plainText(source)}`;
  if (unfit !== undefined) throw new SecretUnavailable(`the secret "${name}"${from} ${unfit}`);
  return withoutLineEnds(text);
}

/** The reason why this text cannot be a secret, for use behind its name; undefined if it can be. */
export function unfitSecret(text: string): string | undefined {
  const value = withoutLineEnds(text);
  if (value.trim() === "") return "is empty";
  if (value.length < SHORTEST)
    return `has fewer than ${SHORTEST} characters: it could be guessed, and masking it would mask harmless text too`;
  return value.includes("\0") ? "holds a zero byte" : undefined;
}

function withoutLineEnds(text: string): string {
  return text.replace(/(?<![\r\n])[\r\n]+$/, "");
}

/** The same for the text of a file. One that cannot be read now may be readable later, and is no reason. */
export function unfitSecretFile(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size > LARGEST) return undefined;
  try {
    return unfitSecret(readFileSync(path, "utf8"));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

async function readValue(name: string, { env, file, command }: SecretSpec, options: SecretsOptions): Promise<string> {
  if (env !== undefined) {
    const value = options.env[env];
    if (value !== undefined && value !== "") return value;
    throw new SecretUnavailable(`the secret "${name}" is missing: ${env} is not set in loopdash's environment`);
  }
  if (file !== undefined) return readSecretFile(name, secretFile(file, options));
  return await readCommand(name, command ?? [], options);
}

/** The path of a file that holds a secret. */
export function secretFile(file: string, { folder, env }: Pick<SecretsOptions, "folder" | "env">): string {
  if (file.startsWith("~/")) return join(env["HOME"] ?? homedir(), file.slice(2));
  return file.startsWith("/") ? file : join(folder, file);
}

async function readSecretFile(name: string, path: string): Promise<string> {
  const why = (problem: string) =>
    new SecretUnavailable(`the secret "${name}" cannot be read from ${plainText(path, 300)}: ${problem}`);
  try {
    const found = await stat(path);
    if (!found.isFile()) throw why("it is not a file");
    if (found.size > LARGEST) throw why(`it has more than ${LARGEST} bytes`);
    return await readFile(path, "utf8");
  } catch (error) {
    throw error instanceof SecretUnavailable ? error : why(errorCode(error) ?? "reading failed");
  }
}

/**
 * Its stdout is the value, so a message never quotes it. Its stderr may hold the value too, and is masked as far as it is known.
 */
async function readCommand(name: string, argv: readonly string[], options: SecretsOptions): Promise<string> {
  const { folder, env, masker, fetchMs = FETCH_MS } = options;
  const defined = Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  const { exitCode, stdout, stderr } = await runBriefly(argv, {
    env: Object.fromEntries(defined),
    cwd: folder,
    timeoutMs: fetchMs,
  });
  if (exitCode === 0 && Buffer.byteLength(stdout) <= LARGEST) return stdout;
  if (stdout.trim().length >= SHORTEST) masker.learn(name, stdout.trim());
  const said = plainText(masker.text(stderr).replaceAll(LIKE_A_VALUE, "[…]").trim(), SAID_CHARS);
  const how =
    exitCode === undefined
      ? `did not start, or not end within ${fetchMs / 1000} s`
      : exitCode === 0
        ? `printed more than ${LARGEST} bytes`
        : `exited with code ${exitCode}`;
  const words = `${plainText(argv[0] ?? "", 200)} ${how}${said === "" ? "" : `: ${said}`}`;
  throw new SecretUnavailable(`the secret "${name}" could not be fetched: ${words}`);
}
