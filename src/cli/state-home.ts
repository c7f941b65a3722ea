import { randomUUID } from "node:crypto";
import { chmodSync, closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { diskProblem } from "../adapters/disk-error.ts";
import { makePrivateFolder } from "../adapters/private-folder.ts";
import { wayToPlace } from "../adapters/sandbox/mounts/real-path.ts";
import type { RunId } from "../domain/values/ids.ts";
import { EXIT, UserError } from "../domain/values/user-error.ts";
import { homeFolder } from "./real-places.ts";

/** The paths of loopdash's state. All are absolute. */
export interface StateHome {
  readonly root: string;
  /** The database of runs, journals and costs. */
  readonly db: string;
  /** One folder per run. */
  readonly runs: string;
  readonly worktrees: string;
  readonly locks: string;
  /** Kept results of prepare commands. Created by the first. */
  readonly prepared: string;
  /** Initial harness of new runs if heals have changed it; see `Harness`. Created by the first heal. */
  readonly harness: string;
  /** The secret that signs kept results of checks. Created by the first run. */
  readonly resultsSecret: string;
}

/** Written and removed to prove that a folder is writable: one block of a usual file system. */
const PROBE = Buffer.alloc(4096, 1);

/**
 * LOOPDASH_HOME, resolved from `cwd` if it is relative; else `loopdash` in the XDG state folder, which counts only if absolute
 * (XDG Base Directory Specification 0.8). Links are followed, because what a sandbox shows is compared by real paths. Touches nothing.
 */
export function stateHome(env: Readonly<Record<string, string | undefined>>, cwd: string): StateHome {
  const { real: root } = wayToPlace(env.LOOPDASH_HOME ? resolve(cwd, env.LOOPDASH_HOME) : join(stateFolder(env), "loopdash"));
  return {
    root,
    db: join(root, "loopdash.db"),
    runs: join(root, "runs"),
    worktrees: join(root, "worktrees"),
    locks: join(root, "locks"),
    prepared: join(root, "prepared"),
    harness: join(root, "harness"),
    resultsSecret: join(root, "results.key"),
  };
}

/**
 * Creates the folders, for this user alone, and proves that each is writable. Throws a UserError (exit 4) if one is not, or if
 * others may write to an existing home.
 */
export function prepareStateHome(home: StateHome): void {
  prepare(home.root, () => {
    makePrivateFolder(home.root);
    refuseShared(home.root);
    prove(home.root);
  });
  for (const folder of [home.runs, home.worktrees, home.locks]) {
    prepare(folder, () => {
      makePrivateFolder(folder);
      chmodSync(folder, 0o700);
      prove(folder);
    });
  }
}

function stateFolder(env: Readonly<Record<string, string | undefined>>): string {
  const xdg = env.XDG_STATE_HOME;
  if (xdg !== undefined && isAbsolute(xdg)) return xdg;
  return join(homeFolder(env), ".local", "state");
}

/**
 * Throws a UserError (exit 4) if others may write to the home. The user may keep other things in it, so changing its mode is up
 * to the user.
 */
export function refuseShared(root: string): void {
  if ((statSync(root).mode & 0o022) === 0) return;
  throw new UserError({
    what: `cannot keep state in ${root}`,
    why: "other users can write there, and could change what judges a run",
    todo: `Run: chmod go-w '${root.replaceAll("'", "'\\''")}', or name another folder in LOOPDASH_HOME.`,
    exitCode: EXIT.refused,
  });
}

/** Writes a block into a folder and removes it again. Throws the system's error if the folder is not writable. */
export function prove(folder: string): void {
  const file = join(folder, `.probe-${randomUUID()}`);
  const fd = openSync(file, "wx", 0o600);
  try {
    let done = 0;
    while (done < PROBE.length) done += writeSync(fd, PROBE, done);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
    rmSync(file);
  }
}

function prepare(folder: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    const problem = diskProblem(error);
    if (problem === undefined) throw error;
    throw new UserError({ what: `cannot keep state in ${folder}`, ...problem, exitCode: EXIT.refused, cause: error });
  }
}

/** The folder of a run. */
export function runFolder(home: StateHome, run: RunId): string {
  return join(home.runs, run);
}
