import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../adapters/disk-error.ts";
import { exists } from "../../adapters/vcs/locate.ts";
import { unfitBranchName } from "../../adapters/vcs/ref-names.ts";
import { mustGit, runGit } from "../../adapters/vcs/run-git.ts";
import { strayNames, strayNamesInDotenv } from "../../domain/stray-keys.ts";
import { EXIT, UserError } from "../../domain/user-error.ts";
import type { LoadedBatch } from "./load-batch.ts";

/** A variable that would change who pays, by its name, and where it is set. */
export interface StrayKey {
  readonly name: string;
  /** For people: not yet safe for a terminal. */
  readonly where: string;
}

/**
 * Files that agents' programs load by themselves: Bun's, which some are built with, where NODE_ENV is not set
 * (bun.com/docs/runtime/environment-variables), and Gemini's own (geminicli.com/docs/reference/configuration).
 */
const DOTENV_FILES = [".env", ".env.local", ".env.development", ".env.development.local", ".gemini/.env"] as const;

/** How much of such a file is read. Bytes. */
const MOST = 1024 * 1024;

/** A file that is not read to its end, and so counts as setting anything. */
const TOO_LARGE = "(not read: larger than 1 MiB)";

/**
 * Refuses a start that a stray key would make somebody pay for: a UserError (exit 4) that names each variable and where it
 * is. It is asked at every
 * start, also one that goes on with a run.
 */
export async function refuseStrayKeys(loaded: LoadedBatch, env: NodeJS.ProcessEnv): Promise<void> {
  const found = await findStrayKeys(env, loaded);
  if (found.length === 0) return;
  throw new UserError({
    what: "a model API key or setting would change who pays for the agents",
    why: describeStrayKeys(found).join("\n"),
    todo: howToAllow(found),
    exitCode: EXIT.refused,
  });
}

/** One line for each. */
export function describeStrayKeys(found: readonly StrayKey[]): readonly string[] {
  return found.map(({ name, where }) => `${name} is set in ${where}`);
}

/** What a person can do about them. */
export function howToAllow(found: readonly StrayKey[]): string {
  const names = [...new Set(found.filter(({ where }) => where === ENVIRONMENT).map(({ name }) => name))];
  const unset = names.length === 0 ? "Take it out of the file" : `unset ${names.join(" ")}`;
  const files = names.length > 0 && found.some(({ where }) => where !== ENVIRONMENT) ? ", take it out of the files" : "";
  return `${unset}${files}, or allow it: --allow-api-key. Agents are not given loopdash's own variables either way, but a program may load the files.`;
}

const ENVIRONMENT = "loopdash's environment";

/**
 * Every variable that would change who pays: in `env`, and where there is a batch in the `.env` files beside it, at the top
 * of its repositories, and in the commits that worktrees are made from. Names alone are taken from any of them.
 */
export async function findStrayKeys(env: NodeJS.ProcessEnv, loaded?: LoadedBatch): Promise<readonly StrayKey[]> {
  const own = strayNames(env).map((name) => ({ name, where: ENVIRONMENT }));
  if (loaded === undefined) return own;
  const repos = Object.values(loaded.batch.repos);
  const folders = [...new Set([loaded.folder, ...repos.map(({ path }) => path)])];
  const [inFiles, inCommits] = await Promise.all([
    Promise.all(folders.flatMap((folder) => DOTENV_FILES.map((file) => inFile(join(folder, file))))),
    Promise.all(repos.map(({ path, base }) => inCommit(path, base))),
  ]);
  const files = inFiles.flat();
  // A file that is committed is usually checked out too, and once is enough.
  const known = new Set(files.map(({ name, where }) => `${name} ${where}`));
  const commits = inCommits.flat().filter(({ name, file }) => !known.has(`${name} ${file}`));
  return [...own, ...files, ...commits.map(({ name, where }) => ({ name, where }))];
}

async function inFile(path: string): Promise<readonly StrayKey[]> {
  const text = await readSome(path);
  if (text === undefined) return [];
  const names = text === "too large" ? [TOO_LARGE] : strayNamesInDotenv(text.text);
  return names.map((name) => ({ name, where: path }));
}

/** Where there is nothing to read, or nothing that this user can read, no program of this user's loads anything. */
const NOT_READABLE = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "EISDIR", "ELOOP", "ENXIO"]);

async function readSome(path: string): Promise<{ readonly text: string } | "too large" | undefined> {
  try {
    // Not to wait for a writer, should it be a fifo.
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

/** What the tip of a base branch would put into every worktree. Nothing where git finds no such repository or branch. */
async function inCommit(path: string, base: string): Promise<readonly (StrayKey & { readonly file: string })[]> {
  if (unfitBranchName(base) !== undefined || !(await exists(path))) return [];
  const gitDir = (await exists(join(path, ".git"))) ? join(path, ".git") : path;
  // A link within the tree is followed. What is not there is answered in another form, and skipped.
  const format = "%(objectname) %(objecttype) %(objectsize) %(rest)";
  const input = DOTENV_FILES.map((file) => `refs/heads/${base}:${file} ${file}\n`).join("");
  const args = ["cat-file", `--batch-check=${format}`, "--follow-symlinks"];
  const { stdout } = await runGit(path, { gitDir, args, input });
  const blobs = stdout.matchAll(/^([0-9a-f]{40,64}) blob (\d+) (.+)$/gm);
  const found = [...blobs].map(async ([, id = "", size = "", file = ""]) => {
    const tooLarge = Number(size) > MOST;
    const text = tooLarge ? "" : await mustGit(path, { gitDir, args: ["cat-file", "blob", id] });
    const names = tooLarge ? [TOO_LARGE] : strayNamesInDotenv(text);
    return names.map((name) => ({ name, where: `${file} of the branch ${base} in ${path}`, file: join(path, file) }));
  });
  return (await Promise.all(found)).flat();
}
