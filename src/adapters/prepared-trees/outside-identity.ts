import { createHash } from "node:crypto";
import { lstat, opendir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "../../domain/values/error-text.ts";
import type { PreparedTrees } from "../../ports/prepared-trees.ts";
import { resolveProgram } from "../executor/resolve-program.ts";

/** The identity of programs and files outside a checkout; see PreparedTrees. */
export async function identityOfOutside({ programs, paths, env }: Parameters<PreparedTrees["identityOf"]>[0]): Promise<string> {
  const hash = createHash("sha256");
  for (const program of programs) {
    const file = await resolveProgram(program, { cwd: "/", path: env["PATH"] ?? "" });
    hash.update(`${program}\0${file === undefined ? "" : await outsideIdentity(file)}\0`);
  }
  for (const path of paths) hash.update(`${path}\0${await outsideIdentity(path)}\0`);
  return hash.digest("hex");
}

/**
 * Entries of a folder outside that count, at most: what it takes to read them is paid for each preparation. Of a larger folder
 * (a toolchain, say) only its own times count.
 */
const MOST_ENTRIES = 10_000;

/** The identity of a file outside, and of the one that a link leads to; or of a folder, with everything in it. */
async function outsideIdentity(path: string): Promise<string> {
  try {
    const [real, found, link] = await Promise.all([realpath(path), stat(path), lstat(path)]);
    const own = [real, found.ino, found.size, found.mtimeMs, link.ino, link.mtimeMs].join(":");
    return found.isDirectory() ? `${own}:${await contentIdentity(real)}` : own;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "EACCES", "ELOOP")) return "";
    throw error;
  }
}

/** Changes if a file below a folder is written, added or removed. Empty if there are too many, or if one cannot be read. */
async function contentIdentity(root: string): Promise<string> {
  const lines: string[] = [];
  try {
    for await (const entry of await opendir(root, { recursive: true })) {
      const path = join(entry.parentPath, entry.name);
      const { ino, mode, mtimeMs, size } = await lstat(path);
      lines.push([path, ino, mode, ...(entry.isDirectory() ? [] : [mtimeMs, size])].join(":"));
      if (lines.length > MOST_ENTRIES) return "";
    }
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "EACCES", "ELOOP")) return "";
    throw error;
  }
  return createHash("sha256").update(lines.toSorted().join("\0")).digest("hex");
}
