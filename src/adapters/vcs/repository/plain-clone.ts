import { lstatSync, readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { EXIT, UserError } from "../../../domain/values/user-error.ts";
import { displayName } from "../git/git-call.ts";

/** Entries below a git folder that are looked at. A look at 100,000 takes some 0.2 s. */
const MOST_ENTRIES = 200_000;
/** Files of a git folder that git reads whatever it is asked. */
const OPENED = [
  ...["HEAD", "config", "config.worktree", "index", "packed-refs", "shallow", "commondir"],
  ...["info/exclude", "info/attributes", "info/sparse-checkout", "objects/info/alternates"],
];
/** Files that git reads in each folder of a checkout. It follows no link at their place. */
const RULES = [".gitignore", ".gitattributes"];
/** Bytes of a file of rules or settings that git is let read. */
const RULES_BYTES = 16 * 2 ** 20;
/** Bytes of a file that git is let read: it may convert one as a whole, in memory. */
const MOST_BYTES = 4 * 2 ** 30;

/** Throws a UserError (exit 4) if a file of a git folder cannot be read like one. Not every unpacked folder was cloned. */
export function refuseUnfitGitDir(gitDir: string): void {
  for (const path of [gitDir, ...OPENED.map((name) => join(gitDir, name))]) refuse(path);
  refuseUnfitConfig(join(gitDir, "config"), new Set());
  // A linked worktree's `.git` is a file that names its folder, and that one names the folder that all worktrees share.
  const own = resolve(dirname(gitDir), readSmallFile(gitDir).replace(/^gitdir: /, "") || gitDir);
  const shared = resolve(own, readSmallFile(join(own, "commondir")));
  // A folder of anything else is not looked through.
  if (tryStat(join(shared, "HEAD")) === undefined) return;
  const objects = join(shared, "objects");
  const borrowed = readSmallFile(join(objects, "info", "alternates")).split("\n");
  // The records of other worktrees are read by nobody who was not asked for them; a worker can write into its own.
  refusePipes([own, shared, ...borrowed.map((folder) => resolve(objects, folder))], join(shared, "worktrees"));
}

/** The same for everything below folders: git opens refs, packs and objects by what others name, and would wait for a pipe for ever. */
function refusePipes(paths: string[], apart: string): void {
  for (let left = MOST_ENTRIES, path = paths.pop(); path !== undefined && left > 0; left -= 1, path = paths.pop()) {
    // The socket of git's own file monitor is opened by nobody.
    const found = path.endsWith(".ipc") ? undefined : refuse(path, Number.POSITIVE_INFINITY);
    const isOpen = path !== apart && found?.isDirectory() === true;
    for (const name of isOpen ? namesIn(path) : []) paths.push(join(path, name));
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // git reports what cannot be read.
    return [];
  }
}

/** The text of a file that names folders; empty if it is none. */
function readSmallFile(file: string): string {
  return refuse(file, RULES_BYTES)?.isFile() ? readFileSync(file, "utf8").trimEnd() : "";
}

/** The keys of a configuration that name files which git reads as settings: `include.path` and the like. */
const NAMES_FILE = /\b(path|excludesfile|attributesfile|file)[\t ]*=[\t "]*([^"\n]+)/gi;

/** The same for a configuration and all files that it names. */
function refuseUnfitConfig(config: string, seen: Set<string>): void {
  if (refuse(config, RULES_BYTES)?.isFile() !== true || seen.has(config)) return;
  seen.add(config);
  for (const [, key = "", value = ""] of readFileSync(config, "latin1").matchAll(NAMES_FILE)) {
    const file = resolve(dirname(config), value.trim().replace(/^~(?=\/)/, homedir()));
    if (key.toLowerCase() === "path") refuseUnfitConfig(file, seen);
    else refuse(file, RULES_BYTES);
  }
}

/** The same for a checkout, whose tracked paths these are: before git looks into its files. */
export function refuseUnfitCheckout(top: string, tracked: readonly string[]): void {
  const folders = new Set([top]);
  refuse(join(top, ".gitmodules"), RULES_BYTES);
  for (const path of tracked.filter((each) => each !== "")) {
    const file = join(top, path);
    for (let folder = dirname(file); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
    // A pipe in place of a tracked file is a change, which git does not open.
    if (tryStat(file, lstatSync)?.isFile()) refuse(file);
  }
  const rules = [...folders].flatMap((folder) => RULES.map((name) => join(folder, name)));
  for (const file of rules) if (!tryStat(file, lstatSync)?.isSymbolicLink()) refuse(file, RULES_BYTES);
}

function tryStat(path: string, look = statSync): Stats | undefined {
  try {
    return look(path, { throwIfNoEntry: false });
  } catch {
    // git reports what cannot be looked at.
    return undefined;
  }
}

/** Looks at `path`. Throws a UserError if git would wait there, or read more than `most` bytes. */
function refuse(path: string, most = MOST_BYTES): Stats | undefined {
  const found = tryStat(path);
  const isFit = found === undefined || found.isDirectory() || (found.isFile() && found.size <= most);
  if (isFit || path === "/dev/null") return found;
  const why = found.isFile() ? `it has ${found.size} bytes` : "it is a pipe, a socket or a device";
  const what = `git cannot read ${displayName(path)}`;
  throw new UserError({ what, why, todo: "Remove it, if it is not yours.", exitCode: EXIT.refused });
}
