import { createHash } from "node:crypto";
import { lstat, realpath, stat } from "node:fs/promises";
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

/** The identity of a file outside, and of the one that a link leads to. */
async function outsideIdentity(path: string): Promise<string> {
  try {
    const [real, found, link] = await Promise.all([realpath(path), stat(path), lstat(path)]);
    return [real, found.ino, found.size, found.mtimeMs, link.ino, link.mtimeMs].join(":");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "EACCES", "ELOOP")) return "";
    throw error;
  }
}
