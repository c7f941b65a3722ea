import { hash } from "node:crypto";
import { join } from "node:path";
import { EXIT, UserError } from "../../domain/user-error.ts";
import { privateTmp } from "../private-tmp.ts";

/** Longest path of a Unix socket in bytes: sun_path without its final NUL (unix(7): 108 on Linux, 104 on macOS and BSD). */
export const LONGEST_SOCKET_PATH = process.platform === "linux" ? 107 : 103;

/**
 * Where the engine of a run listens: in the run's folder, or, where that path is too long for a socket, in a private
 * folder of this user under the system's temporary folder. Engine and clients get the same answer.
 * Throws a UserError (exit 4) where that folder is not this user's alone.
 */
export function socketPathFor(runFolder: string): string {
  const near = join(runFolder, "engine.sock");
  if (fits(near)) return near;
  const folder = privateTmp();
  const far = join(folder, `${hash("sha256", runFolder).slice(0, 32)}.sock`);
  if (!fits(far)) {
    throw new UserError({
      what: `cannot put the run's socket in ${folder}`,
      why: `its path is too long for a socket (${LONGEST_SOCKET_PATH} bytes)`,
      todo: "Set TMPDIR to a folder with a shorter path.",
      exitCode: EXIT.refused,
    });
  }
  return far;
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= LONGEST_SOCKET_PATH;
}
