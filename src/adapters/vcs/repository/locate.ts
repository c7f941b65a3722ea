import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { errorCode } from "../../../domain/values/text.ts";
import type { GitCall, Setting } from "../git/git-call.ts";
import { mustGit, runGit } from "../git/run-git.ts";
import { type Borrowed, listAlternates } from "./alternates.ts";
import type { ObjectFormat } from "./git-dir.ts";
import { refuseUnfitCheckout, refuseUnfitGitDir } from "./plain-clone.ts";

/** The parts of a repository and the relevant configuration. Read once, before any worker runs. */
export interface Located {
  /** The folder the user named, resolved. */
  readonly path: string;
  readonly commonDir: string;
  readonly objects: string;
  /** Further object folders that it reads. */
  readonly borrowed: readonly Borrowed[];
  readonly format: ObjectFormat;
  readonly bare: boolean;
  /** The main worktree; undefined for a bare repository. */
  readonly mainWorktree: string | undefined;
  readonly shallow: string | undefined;
  /** Settings about how files are kept, which start no program. */
  readonly inert: readonly Setting[];
  /** All settings, by lower-case name. */
  readonly settings: ReadonlyMap<string, string>;
}

/** Settings that loopdash's own git folders copy from the repository: how content and names are compared and stored. */
const INERT = [
  "core.filemode",
  "core.ignorecase",
  "core.symlinks",
  "core.autocrlf",
  "core.eol",
  "core.precomposeunicode",
  "core.sharedrepository",
];

/** Reads the layout of the repository at `path`, a real path. Throws a GitFailure if git finds no repository exactly there. */
export async function locate(path: string): Promise<Located> {
  const gitDir = await findGitDir(path);
  const [[ownDir, common], listed] = await Promise.all([
    gitFolders(path, gitDir),
    mustGit(path, { gitDir, args: ["config", "--list", "--show-scope", "-z"] }),
  ]);
  const commonDir = await realpath(common);
  const settings = parseConfig(listed);
  const objects = join(commonDir, "objects");
  const shallow = join(commonDir, "shallow");
  const isMain = (await realpath(ownDir)) === commonDir;
  const bare = settings.get("core.bare") === "true";
  return {
    path,
    commonDir,
    objects,
    borrowed: await listAlternates(objects),
    format: settings.get("extensions.objectformat") === "sha256" ? "sha256" : "sha1",
    bare,
    mainWorktree: bare ? undefined : isMain ? path : mainWorktree(commonDir, settings),
    shallow: (await exists(shallow)) ? shallow : undefined,
    inert: [
      ...INERT.flatMap((key): Setting[] => {
        const value = settings.get(key);
        return value === undefined ? [] : [[key, value]];
      }),
      ["core.excludesFile", join(commonDir, "info", "exclude")],
      ["core.attributesFile", join(commonDir, "info", "attributes")],
    ],
    settings,
  };
}

/** The main worktree, seen from a linked one: by core.worktree if the git folder lies apart, otherwise beside it. */
function mainWorktree(commonDir: string, settings: ReadonlyMap<string, string>): string | undefined {
  const apart = settings.get("core.worktree");
  if (apart !== undefined) return resolve(commonDir, apart);
  return basename(commonDir) === ".git" ? dirname(commonDir) : undefined;
}

/** The git folder of a checkout, and the one that all its checkouts share. A path with a line break is asked for by itself. */
async function gitFolders(path: string, gitDir: string): Promise<readonly [string, string]> {
  const tell = async (...which: readonly string[]): Promise<string> =>
    (await mustGit(path, { gitDir, args: ["rev-parse", "--path-format=absolute", ...which] })).replace(/\n$/, "");
  const [own = "", common = "", ...more] = (await tell("--git-dir", "--git-common-dir")).split("\n");
  return more.length === 0 ? [own, common] : Promise.all([tell("--git-dir"), tell("--git-common-dir")]);
}

/**
 * Reads what git prints of settings with `--show-scope -z`: scope, NUL, name, newline, value, NUL; a name alone means true. The last one that
 * counts wins. Settings that loopdash passes itself ("command") are left out.
 */
export function parseConfig(
  listed: string,
  counts: (scope: string, name: string) => boolean = (scope) => scope !== "command",
): Map<string, string> {
  const settings = new Map<string, string>();
  const fields = listed.split("\0");
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const entry = fields[i + 1] ?? "";
    const end = entry.indexOf("\n");
    const name = end < 0 ? entry : entry.slice(0, end);
    if (counts(fields[i] ?? "", name)) settings.set(name, end < 0 ? "true" : entry.slice(end + 1));
  }
  return settings;
}

/**
 * Settings that switch off the filters of a clone's configuration, for a git that reads or writes files of its checkout. Without them,
 * git starts those programs for each file that `.gitattributes` names.
 */
export async function withoutFilters(cwd: string, gitDir: string): Promise<readonly Setting[]> {
  const { stdout } = await runGit(cwd, { gitDir, args: ["config", "-z", "--name-only", "--get-regexp", "^filter\\."] });
  const drivers = new Set(stdout.split("\0").flatMap((key) => /^filter\.(.+)\.[^.]+$/s.exec(key)?.[1] ?? []));
  return [...drivers].flatMap((driver): Setting[] => [
    ...["clean", "smudge", "process"].map((key): Setting => [`filter.${driver}.${key}`, ""]),
    [`filter.${driver}.required`, "false"],
  ]);
}

/** The place of a git that looks through a clone's checkout and starts no filter. Throws a UserError (exit 4) if git would wait there. */
export async function checkoutPlace(top: string, gitDir: string): Promise<Pick<GitCall, "gitDir" | "workTree" | "config">> {
  refuseUnfitCheckout(top, (await mustGit(top, { gitDir, args: ["ls-files", "-z"] })).split("\0"));
  return { gitDir, workTree: top, config: await withoutFilters(top, gitDir) };
}

/** The git folder of a clone; of a bare one, its own folder. Throws a UserError (exit 4) if git would wait at one of its files. */
export async function findGitDir(path: string): Promise<string> {
  const inside = join(path, ".git");
  const gitDir = (await exists(inside)) ? inside : path;
  refuseUnfitGitDir(gitDir);
  return gitDir;
}

/** True if something exists at `path`, even a link to nowhere. */
export async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** True if a file operation failed because the file or folder does not exist. */
export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
