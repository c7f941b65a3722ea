import { type Dirent, readdirSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { findNamedScript } from "../../domain/batch/commands.ts";
import type { Argv } from "../../domain/batch/prepare-command.ts";
import { hasErrorCode } from "../../domain/values/text.ts";
import { isWithin, realPath } from "./mounts/real-path.ts";

/** Entries of a script's folder, at all depths, up to which it is shown with the script. A larger folder is no set of scripts. */
const MOST_ENTRIES = 500;

/** Where a batch's files lie, and what no command may be shown. */
export interface BatchPaths {
  /** The batch file's folder, a real path. */
  readonly folder: string;
  /** The tracker, the oracle's files and loopdash's state: naming one opens nothing (law 3). */
  readonly hidden: readonly string[];
  /** The folders of the repositories: a command finds their files in its own checkout. */
  readonly repos: readonly string[];
  /** Home folders, real paths: never shown whole. */
  readonly homes: readonly string[];
}

/** A path that a command names and that is not shown to it. */
export interface UnshownPath {
  readonly path: string;
  readonly why: "missing" | "hidden" | "whole-folder";
}

/** The files of the batch's folder that a command names. */
export interface NamedFiles {
  /** What its sandbox shows, read-only. */
  readonly read: readonly string[];
  readonly unshown: readonly UnshownPath[];
}

/**
 * The files below the batch's folder that a command names. Each is shown by itself, because the folder may hold the tracker, the
 * oracle and secrets. A program or script in a subfolder is shown with that subfolder, since it may load its neighbours, unless the
 * subfolder has something hidden, a name that begins with a dot, a repository, or more than 500 entries.
 */
export function namedFiles(argv: Argv, places: BatchPaths): NamedFiles {
  const script = findNamedScript(argv)?.at;
  const read = new Set<string>();
  const unshown: UnshownPath[] = [];
  argv.forEach((word, at) => {
    for (const path of pathsIn(word, places.folder)) {
      const why = whyUnshown(path, places);
      if (why === "of-a-repository") continue;
      if (why !== undefined) {
        unshown.push({ path, why });
        continue;
      }
      read.add(path);
      if ((at === 0 || at === script) && isShownWhole(dirname(path), places)) read.add(dirname(path));
    }
  });
  return { read: [...read], unshown };
}

/** The paths in a word that are the folder or lie below it: the whole word, `--name=path`, or paths in a shell's script. */
function pathsIn(word: string, folder: string): readonly string[] {
  const value = /^-{1,2}[\w-]+=(?=\/)/.exec(word)?.[0].length ?? 0;
  const whole = word.slice(value);
  if (isAbsolute(whole) && isWithin(folder, whole) && (!/\s/.test(whole) || realPath(whole) !== undefined))
    return [trimmed(whole)];
  const found: string[] = [];
  for (let from = word.indexOf(folder); from !== -1; from = word.indexOf(folder, from + folder.length)) {
    const path = /^[^\s'"`;|&<>(),:=$*?]*/.exec(word.slice(from))?.[0] ?? "";
    if (isWithin(folder, path)) found.push(trimmed(path));
  }
  return found;
}

/** In the simplest form, which a confinement asks for. */
function trimmed(path: string): string {
  return join(path).replace(/(?<=[^/])\/+$/, "");
}

function whyUnshown(path: string, { folder, hidden, repos }: BatchPaths): UnshownPath["why"] | "of-a-repository" | undefined {
  const real = realPath(path);
  if ([path, real ?? path].some((each) => repos.some((repo) => isWithin(realPath(repo) ?? repo, each)))) return "of-a-repository";
  if (real === undefined) return "missing";
  if (real === folder || isWithin(real, folder)) return "whole-folder";
  const closed = hidden.map((each) => realPath(each) ?? each);
  return closed.some((each) => isWithin(each, real) || isWithin(real, each)) ? "hidden" : undefined;
}

function isShownWhole(subfolder: string, { folder, hidden, repos, homes }: BatchPaths): boolean {
  const real = realPath(subfolder);
  if (real === undefined || real === folder || !isWithin(folder, real)) return false;
  const inside = [...hidden, ...repos, ...homes].map((each) => realPath(each) ?? each);
  if (inside.some((each) => isWithin(real, each))) return false;
  let left = MOST_ENTRIES;
  const folders = [real];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of readVisibleEntries(next)) {
      left -= 1;
      if (left < 0 || entry.name.startsWith(".")) return false;
      if (entry.isDirectory()) folders.push(join(next, entry.name));
    }
  }
  return true;
}

function readVisibleEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (hasErrorCode(error, "EACCES", "ENOENT")) return [];
    throw error;
  }
}
