import { writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { plainText } from "../../domain/values/text.ts";
import { entriesBelow, isErrorCode } from "./protected-files.ts";

/** Entries of a checkout that are looked at. */
const MOST_ENTRIES = 2_000_000;

/**
 * Variables of git for a command that holds a secret or runs outside the sandbox. Files of a checkout must not choose what its git
 * commands run: not by hooks, filters or drivers that the settings of the user or the system look for there, nor by folders that
 * look like a repository (git-config(1): GIT_CONFIG_COUNT, safe.bareRepository, which git has since 2.38).
 */
export const CAREFUL_GIT: Readonly<Record<string, string>> = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_ATTR_NOSYSTEM: "1",
  ...variables([
    ["safe.bareRepository", "explicit"],
    ["core.attributesFile", "/dev/null"],
    ["core.fsmonitor", "false"],
    ["core.hooksPath", "/dev/null"],
  ]),
};

function variables(settings: readonly (readonly [key: string, value: string])[]): Readonly<Record<string, string>> {
  const each = settings.flatMap(([key, value], n) => [
    [`GIT_CONFIG_KEY_${n}`, key] as const,
    [`GIT_CONFIG_VALUE_${n}`, value] as const,
  ]);
  return Object.fromEntries([["GIT_CONFIG_COUNT", String(settings.length)] as const, ...each]);
}

/**
 * The evidence against a checkout that holds a repository inside it, such as a submodule: whoever writes its settings chooses what a
 * git command there runs, and so does a plain `git status` above it. `power`: what the next command has that they must not get.
 */
export async function nestedGitEvidence(
  checkout: string,
  power: string,
  of: Pick<Evidence, "step" | "name">,
): Promise<Evidence | undefined> {
  const found = await nestedGit(checkout);
  if (found === undefined) return undefined;
  const summary = `${plainText(found, 200)} is a repository inside the checkout, whose settings could run programs ${power}`;
  const detail =
    "No command that has a secret, or that runs outside the sandbox, runs beside one. Leave submodules out of prepare, remove the folder `.git` in them at its end, or run the command in the sandbox and without a secret in its variables.";
  return { ...of, summary, detail };
}

/** The first folder below the top of a checkout with an entry called `.git`, in any case; undefined if there is none. */
async function nestedGit(checkout: string): Promise<string | undefined> {
  let entries = 0;
  try {
    for await (const { path } of entriesBelow(checkout, (folder) => !isGit(folder))) {
      entries += 1;
      if (entries > MOST_ENTRIES) return `${path} (and more than ${MOST_ENTRIES} other files and folders)`;
      if (path.includes("/") && isGit(path)) return dirname(path);
    }
  } catch (error) {
    if (!isErrorCode(error, "ENAMETOOLONG")) throw error;
    return "a folder whose path is too long to be looked at";
  }
  return undefined;
}

function isGit(path: string): boolean {
  return basename(path).toLowerCase() === ".git";
}

/** Lets git in a checkout read the objects of its repository where they are outside the sandbox. */
export async function borrowOutside(checkout: string, objects: string): Promise<void> {
  await writeFile(join(checkout, ".git", "objects", "info", "alternates"), `${objects}\n`);
}
