import { hash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { LONGEST_SOCKET_PATH, privateTmp } from "../private-tmp.ts";

/** The name of the engine's socket, in the run's folder next to "engine". */
const DOOR = "engine.door";

/**
 * Chooses a name for the socket of a new engine that nobody can guess, and notes it in the run's folder. Removes the files of an
 * earlier engine. An edited oracle may connect (Node's permission model does not cover that), but can read neither the note nor
 * the folder: it finds no engine to send commands to.
 */
export function newSocketPath(runFolder: string): string {
  for (const name of readdirSync(runFolder)) if (/^engine-[0-9a-f]+\.sock$/.test(name)) rmSync(join(runFolder, name));
  const door = randomBytes(8).toString("hex");
  const path = pathFor(runFolder, door);
  writeFileSync(join(runFolder, DOOR), door, { mode: 0o600 });
  return path;
}

/** The path of the socket of a run's engine, for its clients. Throws as `newSocketPath` does, and if no engine ever listened. */
export function socketPathOf(runFolder: string): string {
  return pathFor(runFolder, readFileSync(join(runFolder, DOOR), "utf8").trim());
}

/**
 * In the run's folder or, if that path is too long for a socket, in a private folder of this user under the system's temporary
 * folder. Engine and clients get the same answer. Throws a UserError (exit 4) if that folder is not this user's alone.
 */
function pathFor(runFolder: string, door: string): string {
  const near = join(runFolder, `engine-${door}.sock`);
  if (fits(near)) return near;
  const folder = privateTmp();
  const far = join(folder, `${hash("sha256", `${runFolder}\0${door}`).slice(0, 32)}.sock`);
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
