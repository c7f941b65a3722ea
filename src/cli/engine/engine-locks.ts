import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { createLocks } from "../../adapters/locks/sqlite-locks.ts";
import { privateTmp } from "../../adapters/private-tmp.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { ExclusiveNames } from "../../loop/run/exclusive-names.ts";
import type { Lock, LockHolder, Locks } from "../../ports/locks.ts";
import type { StateHome } from "../state-home.ts";
import type { LoadedBatch } from "./load-batch.ts";

/**
 * Locks everything that an engine needs for itself: its batch file within this LOOPDASH_HOME, and the base of each repository on
 * this machine, across every LOOPDASH_HOME. Throws a UserError (exit 4) if another engine holds one of them.
 */
export function takeLocks({ batch, path }: LoadedBatch, home: StateHome): readonly Lock[] {
  const holder: LockHolder = { pid: process.pid, run: batch.name, since: Date.now() };
  const bases = Object.values(batch.repos).map((repo) => baseLock(repo.path, repo.base));
  const mine = createLocks(home.locks).take([batchLock(path)], holder);
  if (!mine.ok) throw refuseHeld(mine.resource, mine.holder);
  try {
    const shared = machineLocks().take(bases, holder);
    if (shared.ok) return [...mine.locks, ...shared.locks];
    throw refuseHeld(shared.resource, shared.holder);
  } catch (error) {
    for (const lock of mine.locks) lock[Symbol.dispose]();
    throw error;
  }
}

/** Locks between all engines of this user on this machine, across every LOOPDASH_HOME. `waitMs` as for `createLocks`. */
export function machineLocks(waitMs?: number): Locks {
  return createLocks(join(privateTmp(), "locks"), waitMs);
}

/** The engine looks at held names every second while a ticket waits for one: a look must not hold up everything else. */
const EXCLUSIVE_WAIT_MS = 2;

/** The exclusive names of a run, among all runs of this user on this machine. */
export function exclusiveNamesOf(run: RunId): ExclusiveNames {
  return new ExclusiveNames(machineLocks(EXCLUSIVE_WAIT_MS), { pid: process.pid, run, since: Date.now() });
}

/** The lock that an engine holds while it works on a base branch of a repository, which must exist. All its worktrees share it. */
export function baseLock(repoPath: string, base: string): string {
  return `base ${base} of ${commonDirOf(realpathSync(repoPath)).replace(/\/\.git$/, "")}`;
}

/** The git folder that all worktrees of a repository share, by the files that name it (gitrepository-layout(5)). */
function commonDirOf(path: string): string {
  const inside = join(path, ".git");
  const gitDir = namedIn(inside, /^gitdir: (.*)$/m, path) ?? (existsSync(inside) ? realpathSync(inside) : path);
  return namedIn(join(gitDir, "commondir"), /^(.*)$/m, gitDir) ?? gitDir;
}

/** The folder that a file names, relative to `from`; undefined if there is no such file. */
function namedIn(file: string, pattern: RegExp, from: string): string | undefined {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const name = pattern.exec(readFileSync(file, "utf8"))?.[1];
  return name === undefined ? undefined : realpathSync(resolve(from, name));
}

/** The lock that an engine holds while it works on a batch file. */
export function batchLock(batchPath: string): string {
  return `batch ${batchPath}`;
}

/** The refusal to a second engine. */
function refuseHeld(resource: string, holder: LockHolder | undefined): UserError {
  const who =
    holder === undefined
      ? "another engine"
      : `another engine (pid ${holder.pid}, batch "${holder.run}", since ${new Date(holder.since).toISOString()})`;
  return new UserError({
    what: "another run is at work here",
    why: `${who} holds the ${resource}`,
    todo: `Watch it with: loopdash attach${holder === undefined ? "" : ` ${plainText(holder.run, 200)}`}. Or wait until it has ended.`,
    exitCode: EXIT.refused,
  });
}
