import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { SocketLocation } from "@loopdash/model-gateway";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { diskProblem } from "../disk-error.ts";
import { makePrivateFolder } from "../private-folder.ts";
import { LONGEST_SOCKET_PATH, privateTmp } from "../private-tmp.ts";
import { removeFolder } from "../remove-folder.ts";

const PREFIX = "gw-";
const NAME = "s";
/** Characters that mkdtemp adds. */
const RANDOM = 6;

/**
 * Makes a new folder (mode 0700) in `near` or, if a socket's path would be too long there, in a private folder of this user under
 * the system's temporary folder. Throws a UserError (exit 4) if neither works.
 */
export function makeSocketLocation(near: string): SocketLocation {
  const folder = make(fits(near) ? near : shorter());
  return { socketPath: join(folder, NAME), remove: () => removeFolder(folder) };
}

function make(within: string): string {
  try {
    makePrivateFolder(within);
    return mkdtempSync(join(within, PREFIX));
  } catch (error) {
    const problem = diskProblem(error);
    if (problem === undefined) throw error;
    throw new UserError({ what: `cannot make a gateway in ${within}`, ...problem, exitCode: EXIT.refused, cause: error });
  }
}

function shorter(): string {
  const folder = privateTmp();
  if (fits(folder)) return folder;
  throw new UserError({
    what: `cannot put a gateway's socket in ${folder}`,
    why: `its path is too long for a socket (${LONGEST_SOCKET_PATH} bytes)`,
    todo: "Set TMPDIR to a folder with a shorter path.",
    exitCode: EXIT.refused,
  });
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, PREFIX, NAME)) + RANDOM <= LONGEST_SOCKET_PATH;
}
