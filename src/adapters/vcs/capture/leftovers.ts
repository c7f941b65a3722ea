import type { Dirent } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { join, relative } from "node:path";
import { systemCode } from "../../disk-error.ts";
import { displayName } from "../git/git-call.ts";
import type { GuardedGit } from "../git/guarded-git.ts";
import { ifThere, type Store } from "../repository/store.ts";

/** The largest ignore or attribute file that git may read: it reads them whole. In blocks of 512 bytes, as find(1) counts. */
const MAX_RULES_BLOCKS = 2 * 1024;

const BLOCK = 512;

/** Limits up to which this process walks a worktree itself: entries, and characters of a path. */
const MOST_HERE = 2_000;
const LONGEST_HERE = 2_000;

/** Files whose sizes are read in parallel. */
const AT_ONCE = 64;

const RULES = ["(", "-iname", ".gitignore", "-o", "-iname", ".gitattributes", ")"];
/** Files that git opens by name while it walks a folder; it may also open any file of a nested repository. */
const OPENED = ["(", "-iname", ".git", "-o", "-ipath", "*/.git/*", "-o", ...RULES, ")"];
/** Files of a nested repository that git reads whole before it recognizes the repository. */
const READ_WHOLE = [
  "(",
  ...["HEAD", "config", "commondir", "refs/*"].flatMap((name) => ["-o", "-ipath", `*/.git/${name}`]).slice(1),
  ")",
];
/** Opening a pipe waits for a writer, and a device may do anything; so does a link to either (`-xtype`). */
const UNFIT = ["(", "-xtype", "p", "-o", "-xtype", "b", "-o", "-xtype", "c", ")"];
const TOO_LONG = ["(", "-type", "f", "-size", `+${MAX_RULES_BLOCKS}`, "(", ...RULES, "-o", ...READ_WHOLE, ")", ")"];

/**
 * Refuses a worktree in which git would wait for a pipe, or read a huge file whole, while it looks for rules or nested
 * repositories. find(1) checks it: it never opens a file and walks folders that are deeper than a path can be long. A small
 * worktree without such files is checked in this process, which takes a tenth of the time.
 */
export async function refuseUnfitRules(store: Store, guard: GuardedGit, workTree: string): Promise<void> {
  if (await isPlain(workTree)) return;
  const args = [workTree, "-xdev", ...OPENED, "(", ...UNFIT, "-o", ...TOO_LONG, ")", "-print0"];
  const { stdout } = await guard.run(store.contentCall(["find"]), { text: 'exec find "$@"', args });
  const [first = ""] = stdout.split("\0");
  if (first === "") return;
  const isRegular = (await ifThere(lstat(first)))?.isFile() === true;
  const name = displayName(relative(workTree, first));
  throw new Error(isRegular ? `${name} is larger than ${MAX_RULES_BLOCKS / 2} KiB` : `${name} is not a regular file`);
}

/** True if a worktree is small, and has neither a nested repository nor rules in unusual files. */
async function isPlain(workTree: string): Promise<boolean> {
  const folders = [workTree];
  let entries = 0;
  try {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      if (folder.length > LONGEST_HERE) return false;
      for await (const entry of await opendir(folder)) {
        entries += 1;
        if (entries > MOST_HERE || !(await isPlainEntry(folder, entry, folder === workTree))) return false;
        if (entry.isDirectory()) folders.push(join(folder, entry.name));
      }
    }
  } catch (error) {
    // A folder that is closed to its owner, or has a name that is not text.
    if (systemCode(error) === undefined) throw error;
    return false;
  }
  return true;
}

async function isPlainEntry(folder: string, entry: Dirent, isTop: boolean): Promise<boolean> {
  const name = entry.name.toLowerCase();
  if (name === ".git") return isTop && entry.isFile();
  if (name !== ".gitignore" && name !== ".gitattributes") return true;
  const found = await ifThere(lstat(join(folder, entry.name)));
  return found === undefined || (found.isFile() && found.size <= MAX_RULES_BLOCKS * BLOCK);
}

/** Refuses files that are too large, one by one or together. Sparse files count with their nominal size. */
export async function refuseTooLarge(guard: GuardedGit, workTree: string, paths: readonly string[]): Promise<void> {
  const { oneFileBytes, allFilesBytes } = guard.bounds;
  let sum = 0;
  for (let i = 0; i < paths.length; i += AT_ONCE) {
    guard.check();
    const some = paths.slice(i, i + AT_ONCE);
    const found = await Promise.all(some.map((path) => ifThere(lstat(join(workTree, path)))));
    for (const [n, stats] of found.entries()) {
      if (stats?.isFile() !== true) continue;
      sum += stats.size;
      if (stats.size > oneFileBytes) throw new Error(`${displayName(some[n] ?? "")} is larger than ${mib(oneFileBytes)}`);
    }
    if (sum > allFilesBytes) throw new Error(`the files that are new or changed are larger than ${mib(allFilesBytes)} together`);
  }
}

function mib(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}
