import { lstatSync, readFileSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { EXIT, UserError } from "../../../domain/values/user-error.ts";
import { displayName } from "../git/ref-names.ts";

/** Files of a git folder that git opens whatever it is asked. It would wait for a pipe, and read a device, for ever. */
const OPENED = [
  ...["HEAD", "config", "config.worktree", "index", "packed-refs", "shallow", "commondir"],
  ...["info/exclude", "info/attributes", "info/sparse-checkout", "objects/info/alternates"],
];
/** Files that git reads in each folder of a checkout. It follows no link at their place. */
const RULES = [".gitignore", ".gitattributes"];
const RULES_BYTES = 16 * 2 ** 20;
/** Bytes of a file that git is let read: it may convert one as a whole, in memory. */
const MOST_BYTES = 4 * 2 ** 30;

/** Throws a UserError (exit 4) if a file of a git folder cannot be read like one. Not every unpacked folder was cloned. */
export function refuseUnfitGitDir(gitDir: string): void {
  for (const path of [gitDir, ...OPENED.map((name) => join(gitDir, name))]) refuse(path, attempt(path, statSync), MOST_BYTES);
  const config = join(gitDir, "config");
  refuse(config, attempt(config, statSync), RULES_BYTES);
  refuseUnfitValues(config, new Set());
}

/** The keys of a configuration that name files which git reads as settings: `include.path` and the like. */
const NAMES_FILE = /\b(path|excludesfile|attributesfile|file)[\t ]*=[\t "]*([^"\n]+)/gi;

function refuseUnfitValues(config: string, seen: Set<string>): void {
  if (seen.has(config) || attempt(config, statSync)?.isFile() !== true) return;
  seen.add(config);
  for (const [, key = "", value = ""] of readFileSync(config, "latin1").matchAll(NAMES_FILE)) {
    const file = resolve(dirname(config), value.trim().replace(/^~(?=\/)/, homedir()));
    if (file === "/dev/null") continue;
    refuse(file, attempt(file, statSync), RULES_BYTES);
    if (key.toLowerCase() === "path") refuseUnfitValues(file, seen);
  }
}

/** The same for a checkout, whose tracked paths these are: before git looks into its files. */
export function refuseUnfitCheckout(top: string, tracked: readonly string[]): void {
  const folders = new Set([top]);
  const modules = join(top, ".gitmodules");
  refuse(modules, attempt(modules, statSync), RULES_BYTES);
  for (const path of tracked.filter((each) => each !== "")) {
    const file = join(top, path);
    for (let folder = dirname(file); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
    const found = attempt(file, lstatSync);
    // A pipe in place of a tracked file is a change, which git does not open.
    if (found?.isFile()) refuse(file, found, MOST_BYTES);
  }
  for (const folder of folders)
    for (const name of RULES) {
      const found = attempt(join(folder, name), lstatSync);
      if (!found?.isSymbolicLink()) refuse(join(folder, name), found, RULES_BYTES);
    }
}

function attempt(path: string, look: typeof statSync): Stats | undefined {
  try {
    return look(path, { throwIfNoEntry: false });
  } catch {
    // What cannot be looked at, git reports.
    return undefined;
  }
}

function refuse(path: string, found: Stats | undefined, most: number): void {
  if (found === undefined || found.isDirectory() || (found.isFile() && found.size <= most)) return;
  const why = found.isFile() ? `it has ${found.size} bytes` : "it is a pipe, a socket or a device";
  const what = `git cannot read ${displayName(path)}`;
  throw new UserError({ what, why, todo: "Remove it, if it is not yours.", exitCode: EXIT.refused });
}
