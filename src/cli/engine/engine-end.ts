import { rm } from "node:fs/promises";
import { join } from "node:path";
import { diskProblem } from "../../adapters/disk-error.ts";
import type { GitHelper } from "../../adapters/vcs/git/git-helper.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { errorMessage } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { Channel } from "../../ports/channel.ts";
import type { RunStore } from "../../ports/run-store.ts";
import type { RunSecrets } from "./run-secrets.ts";

/** How an engine ended: with its run, or by a fault of the disk that may pass. */
export type EngineEnd = { readonly kind: "over"; readonly state: RunState } | EngineFault;

/** The journal could not be written. The engine has stopped, and the run is as a crash would leave it. */
export interface EngineFault {
  readonly kind: "fault";
  readonly cause: unknown;
  /** The last state. The journal may lack its last activity. */
  readonly state: RunState;
  /** For clients that connect meanwhile. */
  readonly recent: readonly RunEvent[];
  readonly inherited: Inherited;
}

/**
 * What an engine hands over to the next one of this process. It stays locked and open until then, so no other engine gets the
 * run.
 */
export interface Inherited {
  readonly run: RunId;
  readonly folder: string;
  readonly db: string;
  readonly locks: readonly Disposable[];
  readonly channel: Channel;
}

/** What an engine releases at its end, whatever the outcome. The locks of the run are not among them: see `Inherited`. */
export interface EngineResources {
  readonly git: GitHelper;
  store?: RunStore;
  secrets?: RunSecrets;
  webhook?: { close(): Promise<void> };
  notices?: { close(): Promise<void> };
  readonly locks: Disposable[];
}

/** Releases the resources of an engine. */
export async function releaseResources({ git, notices, store, locks, secrets, webhook }: EngineResources): Promise<void> {
  await notices?.close();
  await webhook?.close();
  secrets?.secrets.forget();
  await git.close();
  try {
    // Writes the journal's queue, which a locked or full disk may refuse again: the locks are released all the same.
    store?.close();
  } finally {
    disposeAll(locks);
  }
}

/** Releases locks. */
export function disposeAll(locks: readonly Disposable[]): void {
  for (const lock of locks) lock[Symbol.dispose]();
}

/** Closes what an engine left, if no other engine follows. */
export async function releaseInherited({ channel, folder, locks }: Inherited): Promise<void> {
  try {
    await channel.close();
    for (const name of ["engine.pid", "engine.door"]) await rm(join(folder, name), { force: true });
  } finally {
    disposeAll(locks);
  }
}

/** The fault that ended an engine, for a person. */
export function faultOf(cause: unknown): string {
  return diskProblem(cause)?.why ?? errorMessage(cause);
}

/** The end of a run whose journal could not be written. */
export function journalFailed(run: RunId, cause: unknown): UserError {
  return new UserError({
    what: `the run ${run} had to stop`,
    why: faultOf(cause),
    todo: "Fix it (free disk space, say) and run the same command: it continues from the last event that was written.",
    exitCode: EXIT.unjudged,
    cause,
  });
}

/** The end of a run that was stopped while its journal could not be written: the stop itself is not on record. */
export function journalStopped(run: RunId, { by, cause }: { readonly by: string; readonly cause: unknown }): UserError {
  return new UserError({
    what: `the run ${run} was stopped by ${by} while its journal could not be written`,
    why: faultOf(cause),
    todo: "Run the same command again once it can: it continues from the last event that was written.",
    exitCode: EXIT.interrupted,
    cause,
  });
}
