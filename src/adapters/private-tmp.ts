import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT, UserError } from "../domain/values/user-error.ts";
import { diskProblem, systemCode } from "./disk-error.ts";

/** Longest path of a Unix socket in bytes: sun_path without its final NUL (unix(7): 108 on Linux, 104 on macOS and BSD). */
export const LONGEST_SOCKET_PATH = process.platform === "linux" ? 107 : 103;

/**
 * A folder of this user's own under the system's temporary folder, the same for every LOOPDASH_HOME. Makes it if it is missing.
 * Throws a UserError (exit 4) if it is not this user's alone.
 */
export function privateTmp(): string {
  // Not userInfo(): it throws for a user without an entry in the password file, as containers have them.
  const uid = process.getuid?.() ?? -1;
  const folder = join(tmpdir(), `loopdash-${uid}`);
  makePrivate(folder, uid);
  return folder;
}

/** In a folder that everybody may write to, another user's folder or link may have the name. */
function makePrivate(folder: string, uid: number): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const problem = diskProblem(error);
    if (problem === undefined) throw error;
    if (systemCode(error) !== "EEXIST")
      throw refusal(folder, problem.why, "Set TMPDIR to a folder that this user can write.", error);
  }
  const found = lstatSync(folder);
  const todo = "Remove it, or set TMPDIR to a folder of your own.";
  if (!found.isDirectory()) throw refusal(folder, "it is not a folder", todo);
  if (uid !== -1 && found.uid !== uid) throw refusal(folder, "it belongs to another user", todo);
  if ((found.mode & 0o077) !== 0) throw refusal(folder, "other users have rights in it", todo);
}

function refusal(folder: string, why: string, todo: string, cause?: unknown): UserError {
  return new UserError({ what: `cannot use the folder ${folder}`, why, todo, exitCode: EXIT.refused, cause });
}
