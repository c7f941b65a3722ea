import { realpathSync } from "node:fs";
import { EXIT, UserError } from "../../domain/user-error.ts";
import type { LockHolder } from "../../ports/locks.ts";
import type { LoadedBatch } from "./load-batch.ts";

/** What an engine has for itself: its batch file, and the base of each repository. */
export function lockNames({ batch, path }: LoadedBatch): string[] {
  const bases = Object.values(batch.repos).map((repo) => `base ${repo.base} of ${realpathSync(repo.path)}`);
  return [batchLock(path), ...bases];
}

/** The lock that says whether an engine works on a batch file. */
export function batchLock(batchPath: string): string {
  return `batch ${batchPath}`;
}

/** The refusal to a second engine. */
export function refuseHeld(resource: string, holder: LockHolder | undefined): UserError {
  const who = holder === undefined ? "another engine" : `another engine (pid ${holder.pid}, batch "${holder.run}", since ${new Date(holder.since).toISOString()})`;
  return new UserError({
    what: "another run is at work here",
    why: `${who} holds the ${resource}`,
    todo: "Watch it with: loopdash attach. Or wait until it has ended.",
    exitCode: EXIT.refused,
  });
}
