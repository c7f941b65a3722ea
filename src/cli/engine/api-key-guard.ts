import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { systemCode } from "../../adapters/disk-error.ts";
import { apiKeyNames, apiKeyNamesInDotenv, apiKeyNamesInSettings } from "../../domain/batch/api-key-guard.ts";
import { allAccounts, listPrograms, type VendorSpec } from "../../domain/batch/party.ts";
import type { RepoSpec } from "../../domain/batch/repo-spec.ts";
import { VENDORS } from "../../domain/batch/vendors.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { readBaseFiles } from "./base-files.ts";
import type { LoadedBatch } from "./load-batch.ts";

/** A variable that would change who pays: its name and its location. */
export interface FoundApiKey {
  readonly name: string;
  /** For people: not yet safe for a terminal. */
  readonly where: string;
}

/** A file that agents' programs load by themselves, and the reader of its variable names. */
interface Loaded {
  readonly file: string;
  readonly names: (text: string) => readonly string[];
}

const dotenv = (file: string): Loaded => ({ file, names: apiKeyNamesInDotenv });
const settings = (file: string): Loaded => ({ file, names: apiKeyNamesInSettings });

const LOADS = Object.values(VENDORS).flatMap(({ loads }) => loads ?? []);

/**
 * In a working folder: Bun's files, which some programs (built with Bun) load if NODE_ENV is not set
 * (bun.com/docs/runtime/environment-variables), and the programs' own. If they are committed, every worktree has them, so no
 * sandbox helps.
 */
const IN_FOLDER = [
  ...[".env", ".env.local", ".env.development", ".env.development.local"].map(dotenv),
  ...LOADS.flatMap(({ inFolder }) => inFolder.dotenv.map(dotenv)),
  ...LOADS.flatMap(({ inFolder }) => inFolder.settings.map(settings)),
];

/**
 * In a home. A sandbox hides the home behind a private one, so these files have no effect unless the batch has no sandbox, may
 * run without one, or opens their folder.
 */
const IN_HOME = [
  dotenv(".env"),
  ...LOADS.flatMap(({ inHome }) => inHome.dotenv.map(dotenv)),
  ...LOADS.flatMap(({ inHome }) => inHome.settings.map(settings)),
];

/** Bytes read of such a file at most. */
const MOST = 1024 * 1024;

/** A file that is not read to its end counts as setting every variable. */
const TOO_LARGE = "(not read: larger than 1 MiB)";

/**
 * Refuses to start if a stray key would change who pays: throws a UserError (exit 4) that names each variable and its location.
 * Every start checks this, also one that resumes a run.
 */
export function refuseApiKeys(found: readonly FoundApiKey[]): void {
  if (found.length === 0) return;
  throw new UserError({
    what: "a model API key or setting would change who pays for the agents",
    why: describeApiKeys(found).join("\n"),
    todo: howToAllow(found),
    exitCode: EXIT.refused,
  });
}

/** One line for each variable. */
export function describeApiKeys(found: readonly FoundApiKey[]): readonly string[] {
  return found.map(({ name, where }) => `${name} is set in ${where}`);
}

/** The remedies, for people. */
export function howToAllow(found: readonly FoundApiKey[]): string {
  const names = [...new Set(found.filter(({ where }) => where === ENVIRONMENT).map(({ name }) => name))];
  const unset = names.length === 0 ? "Take it out of the file" : `unset ${names.join(" ")}`;
  const files = names.length > 0 && found.some(({ where }) => where !== ENVIRONMENT) ? ", take it out of the files" : "";
  return `${unset}${files}, or allow it: --allow-api-key. Agents are not given loopdash's own variables either way, but a program may load the files.`;
}

const ENVIRONMENT = "loopdash's environment";

/**
 * Finds every variable that would change who pays: in `env`, and for a batch also in the files that programs load at the top of
 * its repositories, in the commits of its worktrees, and in the home of `env` if agents can see it. Reads only names from them.
 */
export async function findApiKeys(env: NodeJS.ProcessEnv, loaded?: LoadedBatch): Promise<readonly FoundApiKey[]> {
  // The keys that the batch names are not stray ones: those accounts are meant to pay.
  const accounts = listPrograms(loaded?.batch ?? {}).flatMap(({ spec }) =>
    spec.kind === "command" ? [] : allAccounts<VendorSpec>(spec),
  );
  const secrets = loaded?.batch.secrets ?? {};
  const meant = new Set(accounts.map(({ apiKeyEnv, apiKeySecret = "" }) => apiKeyEnv ?? secrets[apiKeySecret]?.env));
  const own = apiKeyNames(env).flatMap((name) => (meant.has(name) ? [] : [{ name, where: ENVIRONMENT }]));
  if (loaded === undefined) return own;
  const repos = Object.values(loaded.batch.repos);
  const folders = [...new Set([loaded.folder, ...repos.map(({ path }) => path)])];
  const places = folders.flatMap((folder) => IN_FOLDER.map((options) => ({ ...options, file: join(folder, options.file) })));
  const all = [...places, ...inHome(env["HOME"], loaded.batch)];
  const once = [...new Map(all.map((options) => [options.file, options])).values()];
  const [inFiles, inCommits] = await Promise.all([Promise.all(once.map(inFile)), Promise.all(repos.map(inCommit))]);
  const files = inFiles.flat();
  // A committed file is usually checked out too; it is listed once.
  const known = new Set(files.map(({ name, where }) => `${name} ${where}`));
  const commits = inCommits.flat().filter(({ name, file }) => !known.has(`${name} ${file}`));
  return [...own, ...files, ...commits.map(({ name, where }) => ({ name, where }))];
}

/** The files of a home that the agents of a batch can see. */
function inHome(home: string | undefined, { sandbox, sandboxPolicy }: LoadedBatch["batch"]): readonly Loaded[] {
  if (home === undefined || !isAbsolute(home)) return [];
  const files = IN_HOME.map((options) => ({ ...options, file: join(home, options.file) }));
  if (sandbox !== "required") return files;
  const opened = [...(sandboxPolicy?.read ?? []), ...(sandboxPolicy?.write ?? [])];
  return files.filter(({ file }) => opened.some((folder) => `${file}/`.startsWith(`${resolve(folder)}/`.replace("//", "/"))));
}

async function inFile({ file, names }: Loaded): Promise<readonly FoundApiKey[]> {
  const text = await readSome(file);
  if (text === undefined) return [];
  const found = text === "too large" ? [TOO_LARGE] : names(text.text);
  return found.map((name) => ({ name, where: file }));
}

/** A file that does not exist or that this user cannot read is not loaded by this user's programs either. */
const NOT_READABLE = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "EISDIR", "ELOOP", "ENXIO"]);

async function readSome(path: string): Promise<{ readonly text: string } | "too large" | undefined> {
  try {
    // Does not wait for a writer if the file is a fifo.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) return undefined;
      return stats.size > MOST ? "too large" : { text: await file.readFile("utf8") };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (NOT_READABLE.has(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}

/** The files that the tip of a base branch puts into every worktree. */
async function inCommit(repo: RepoSpec): Promise<readonly (FoundApiKey & { readonly file: string })[]> {
  const { path, base } = repo;
  const files = await readBaseFiles(
    repo,
    IN_FOLDER.map(({ file }) => file),
  );
  return [...files].flatMap(([file, content]) => {
    const names = IN_FOLDER.find((options) => options.file === file)?.names ?? apiKeyNamesInDotenv;
    const stray = content === "too large" ? [TOO_LARGE] : names(content.text);
    return stray.map((name) => ({ name, where: `${file} of the branch ${base} in ${path}`, file: join(path, file) }));
  });
}
