import { lstat, mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasErrorCode } from "../../domain/values/text.ts";
import { runBriefly } from "../executor/brief-run.ts";
import { removeFolder } from "../remove-folder.ts";

/** Limit for copying a tree. Milliseconds. */
const COPY_MS = 15 * 60_000;

/**
 * Copies a folder to a path that does not exist, by reflink if the file system has them (ioctl_ficlone(2), clonefile(2)), else
 * byte by byte: the copy shares no inode. Links are copied as links. Returns the problem, if there was one.
 */
export async function copyTree(from: string, to: string): Promise<string | undefined> {
  const gnu = ["cp", "-R", "-P", "--preserve=mode,timestamps,links", "--reflink=auto", "--", from, to];
  const bsd = ["cp", "-c", "-R", "-P", "-p", from, to];
  const { exitCode, stderr, problem } = await runBriefly(process.platform === "darwin" ? bsd : gnu, {
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    timeoutMs: COPY_MS,
  });
  return exitCode === 0 ? undefined : (stderr.split("\n", 1)[0] || problem).slice(0, 300);
}

/**
 * Moves the paths `roots` of a folder into a checkout, in the place of what is there, and removes `removed` from it. Every folder
 * on the way must be a plain one: a link could lead elsewhere. Returns the first path that has none, and then has changed nothing.
 */
export async function placeCopy(
  copy: string,
  checkout: string,
  { roots, removed }: { readonly roots: readonly string[]; readonly removed: readonly string[] },
): Promise<string | undefined> {
  const checked = new Set<string>();
  for (const path of [...roots, ...removed]) {
    if (!(await isReachedPlainly(checkout, path, checked))) return path;
  }
  for (const path of removed) await removeFolder(join(checkout, path));
  for (const path of roots) {
    await removeFolder(join(checkout, path));
    await rename(join(copy, path), join(checkout, path));
  }
  return undefined;
}

/** Moves `roots` out of a checkout, to the same paths below `to`. */
export async function takeOut(checkout: string, to: string, roots: readonly string[]): Promise<void> {
  for (const path of roots) {
    await mkdir(dirname(join(to, path)), { recursive: true, mode: 0o700 });
    await rename(join(checkout, path), join(to, path));
  }
}

async function isReachedPlainly(root: string, path: string, checked: Set<string>): Promise<boolean> {
  const parts = path.split("/").slice(0, -1);
  for (const [n] of parts.entries()) {
    const folder = parts.slice(0, n + 1).join("/");
    if (checked.has(folder)) continue;
    if (!(await isFolder(join(root, folder)))) return false;
    checked.add(folder);
  }
  return true;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}
